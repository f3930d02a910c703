"""Named places looked up: in headings, captions and metadata, and all Articles of the course's laws."""

import re
from statistics import pstdev

import pytest

from hierrag_lessons import (
    check_retriever,
    course_hierarchy,
    load_corpus,
    pack,
    read_blocks,
    temporary_index,
)
from hierrag_lessons.chunkers import StructureChunker, build_hierarchy
from hierrag_lessons.embedding import CharNgramEmbedder
from hierrag_lessons.model import Document, Span
from hierrag_lessons.queries import NamedPlaceRetriever, find_places, to_filter
from hierrag_lessons.queries.contents import contents_of
from hierrag_lessons.retrievers import AutoMergingRetriever, FlatRetriever, HybridRetriever
from hierrag_lessons.spans import cover, merge
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder, hierarchy

LAW = """# Fish Act

## Title I — Waters

### Article 1 — Scope

(1) This Act applies to lakes.

(2) It applies to rivers where:

- (a) there are fish.

(3) It does not apply to the sea.

### Article 2 — Fees

A fee is due, see Table 1 and Article 1.

**Table 1.** Fees.

| Fish | Fee |
|---|---|
| Pike | 3 |

## 2.1 Forms

Use the form.
"""
REPORT = "# Item 1A. Risks\n\n## Risk 9. Ice\n\nIce may be thin.\n\n## Risk 19. Sun\n\nSun may be strong.\n"
CALL = "Ann Lee, CEO: We grew.\nBob, CFO: Costs rose."


def documents() -> list[Document]:
    turns = [{"start": 0, "end": 22, "speaker": "Ann Lee, CEO"}, {"start": 23, "end": 40, "speaker": "Bob, CFO"}]
    return [
        Document("act", LAW, "markdown", metadata={"year": 2025, "edition": "after amendment"}),
        Document("act old", LAW.replace("lakes", "ponds"), "markdown", metadata={"year": 2023, "edition": "first"}),
        Document("report", REPORT, "markdown", metadata={"year": 2024, "edition": "fiscal 2024"}),
        Document("call", CALL, "dialogue", metadata={"turns": turns}),
        Document("guide 7.2", "Press the button.", metadata={"edition": "7.2"}),
        Document("guide 7.4", "Press the button twice.", metadata={"edition": "7.4"}),
        Document("rods", "Rods bend.", metadata={"edition": "Edition 4"}),
        Document("rods old", "Rods break.", metadata={"year": 2022}),
    ]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    columns = {"year": int, "edition": str, "speakers": list[str]}
    index = Index.create(tmp_path_factory.mktemp("places") / "index", WordHashEmbedder(), columns=columns)
    index.add([build_hierarchy(d, [StructureChunker(60, 20), StructureChunker(12, 4)]) for d in documents()])
    return index


def first(index, question, k=5, where=None, **options):
    return NamedPlaceRetriever(FlatRetriever(index, mode="text"), index, **options).retrieve(question, k, where)


# --- contracts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_keeps_what_retrievers_promise(language):
    check_retriever(lambda index: NamedPlaceRetriever(FlatRetriever(index), index), language=language)
    check_retriever(
        lambda index: NamedPlaceRetriever(AutoMergingRetriever(index, mode="text"), index, most=1),
        language=language,
        build_hierarchy=hierarchy,
    )


def test_a_question_that_names_nothing_gets_what_the_retriever_finds(index):
    plain = FlatRetriever(index, mode="text")
    for question in ("Which fish has a fee?", "Article 99 about fish fees", "fish fees of 1999"):
        assert NamedPlaceRetriever(plain, index).retrieve(question) == plain.retrieve(question)


@pytest.mark.parametrize(("name", "value"), [("retriever", "flat"), ("index", "folder"), ("most", 0)])
def test_bad_parameters_are_refused(index, name, value):
    given = {"retriever": FlatRetriever(index), "index": index, name: value}
    with pytest.raises(ValueError, match=name):
        NamedPlaceRetriever(**given)


# --- headings and captions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "begins", "ends"),
    [
        ("What does Article 1 say?", "### Article 1", "not apply to the sea."),
        ("What does Article 1(2) say?", "(2) It applies", "there are fish."),
        ("What does Article 1(3) say?", "(3) It does", "the sea."),
        ("What does Article 1(9) say?", "### Article 1", "the sea."),
        ("What is in Title I?", "## Title I", "| Pike | 3 |"),
        ("What does table 1 show?", "**Table 1.**", "| Pike | 3 |"),
        ("section 2.1", "## 2.1 Forms", "Use the form."),
        ("What is Risk 9?", "## Risk 9.", "thin."),
        ("What is in Item 1A?", "# Item 1A.", "strong."),
    ],
)
def test_what_is_named_stands_first_with_all_that_belongs_to_it(index, question, begins, ends):
    found = first(index, question)[0]
    assert found.text.startswith(begins)
    assert found.text.endswith(ends)
    assert found.text == next(d for d in documents() if d.doc_id == found.doc_id).text[found.start : found.end]


def test_a_paragraph_stands_before_its_article(index):
    texts = [passage.text[:8] for passage in first(index, "What does Article 1(2) of the act say?", most=2)]
    assert texts[:2] == ["(2) It a", "### Arti"]


def test_a_mention_is_no_heading(index):
    """Article 2 speaks of Article 1 and of Table 1."""
    [article] = {passage.text for passage in first(index, "Article 1", most=1)[:1]}
    assert "A fee is due" not in article


def test_of_several_documents_the_newest_is_first_or_the_one_that_is_named(index):
    assert [p.doc_id for p in first(index, "What does Article 1 say?", k=2)] == ["act", "act old"]
    assert [p.doc_id for p in first(index, "What did Article 1 say in 2023?", k=1)] == ["act old"]
    assert [p.doc_id for p in first(index, "What did Article 1 of the old act say?", k=1)] == ["act old"]


def test_at_most_so_many_places_of_one_name(index):
    found = first(index, "What does Article 1 say?", k=20, most=1)
    assert sum(passage.text.startswith("### Article 1") for passage in found if len(passage.text) > 60) == 1


def test_the_filter_of_the_caller_holds(index):
    for question in ("What does Article 1 say?", "What does Article 1 say in 2025?"):
        found = first(index, question, k=20, where={"doc_id": "act old"})
        assert {hit.doc_id for passage in found for hit in passage.hits} == {"act old"}
        assert found[0].text.startswith("### Article 1")


def test_chinese_paragraphs_are_counted_and_points_are_marked():
    text = "**第一条**　总则。\n\n第二段：\n\n（一）甲；\n\n（二）乙。\n\n第三段。\n\n**第二条**　其他。"
    document = Document("law", text, "markdown", "zh")
    tree = build_hierarchy(document, [StructureChunker(12, 4)])
    with temporary_index([tree], embedder=CharNgramEmbedder()) as index:
        texts = [
            NamedPlaceRetriever(FlatRetriever(index), index).retrieve(f"第一条{part}", 1)[0].text
            for part in ("第二款", "第三款", "第二项", "")
        ]
    assert texts[0].startswith("第二段")
    assert texts[0].endswith("乙。")
    assert texts[1:3] == ["第三段。", "（二）乙。\n\n第三段。"]
    assert texts[3].startswith("**第一条**")


def test_headings_follow_every_commit(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    retriever = NamedPlaceRetriever(FlatRetriever(index), index)
    assert retriever.retrieve("Article 1") == []
    for text in ("# Article 1 Cats\n\nThey sleep.", "# Article 1 Dogs\n\nThey run."):
        index.add(build_hierarchy(Document("law", text, "markdown"), [StructureChunker(12, 4)]))
        assert retriever.retrieve("Article 1", 1)[0].text == text
    index.delete(["law"])
    assert retriever.retrieve("Article 1") == []


def test_the_contents_are_read_once_a_commit(index):
    assert contents_of(index) is contents_of(index)


# --- filters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Rain in 2024?", {"year": [2024]}),
        ("Rain in 2023 and 2024?", {"year": [2023, 2024]}),
        ("Rain in 1999?", None),
        ("How in 7.4?", {"edition": ["7.4"]}),
        ("How in v7.4.3?", {"edition": ["7.4"]}),
        ("How in 7.9?", None),
        ("What did the CEO say?", {"speakers": ["Ann Lee, CEO"]}),
        ("What did Bob say?", {"speakers": ["Bob, CFO"]}),
        ("What did Carl say?", None),
        ("How in 7.4, and in 2023?", {"edition": ["7.4"]}),  # nothing is of both
        ("Which rod for firmware before 4.2, on the 2022 sheet?", {"year": [2022]}),  # no "Edition 4"
        ("How in edition 4?", {"edition": ["Edition 4"]}),
        ("Article 1", None),
    ],
)
def test_a_filter_has_only_values_of_the_index(index, question, expected):
    assert to_filter(find_places(question), index) == expected


def test_a_filter_leaves_something_inside_the_one_that_there_is(index):
    assert to_filter(find_places("in 2024"), index, {"doc_id": "act"}) is None
    assert to_filter(find_places("in 2024"), index, {"doc_id": "report"}) == {"year": [2024]}


def test_hostile_values_stay_values(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder(), columns={"edition": str})
    index.add(hierarchy(Document("a", "One dog.", metadata={"edition": "1.0' OR '1'='1"})))
    index.add(hierarchy(Document("b", "Two dogs.", metadata={"edition": "2.0"})))
    where = to_filter(find_places("the dog of version 1.0"), index)
    assert where == {"edition": ["1.0' OR '1'='1"]}
    assert index.doc_ids(where) == ["a"]


def test_what_is_outside_the_filter_comes_behind(index):
    found = first(index, "button 7.4", k=5, boost=3)  # two passages have a small deviation
    assert [passage.doc_id for passage in found[:2]] == ["guide 7.4", "guide 7.2"]
    spoken = first(index, "What did the CFO say about how costs grew?", k=1, boost=3)
    assert "Bob" in spoken[0].text


def test_what_is_inside_gets_a_deviation_on_the_score_that_it_has(index):
    """A hybrid search inside the filter has z-scores of its own, on another scale."""
    plain = HybridRetriever(index)
    question = "Which fee is due for fish in 2025?"
    found = plain.retrieve(question, 100)
    added = pstdev([passage.score for passage in found])
    expected = sorted(
        (-passage.score - added * (passage.metadata.get("year") == 2025), passage.doc_id, passage.start)
        for passage in found
    )
    boosted = NamedPlaceRetriever(plain, index).retrieve(question, 100)
    assert [(p.doc_id, p.start) for p in boosted] == [(doc_id, start) for _, doc_id, start in expected]


def test_a_boost_needs_one_search(index):
    asked = []

    class Counting:
        def retrieve_batch(self, queries, k=5, where=None):
            asked.append(list(queries))
            return FlatRetriever(index).retrieve_batch(queries, k, where)

    assert NamedPlaceRetriever(Counting(), index).retrieve("button 7.2", 1)[0].doc_id == "guide 7.2"
    assert asked == [["button 7.2"]]


def test_without_a_boost_a_field_changes_nothing(index):
    """Scores that are standardised over what was found, as here, are others inside a filter."""
    plain = HybridRetriever(index)
    unboosted = NamedPlaceRetriever(plain, index, boost=0)
    assert unboosted.retrieve("button 7.2") == plain.retrieve("button 7.2")
    assert unboosted.retrieve("Article 1 in 7.2", 1)[0].text.startswith("### Article 1")


@pytest.mark.parametrize("bad", ["2024", [2024], None])
def test_what_is_no_place_is_refused(index, bad):
    with pytest.raises(ValueError, match="places"):
        to_filter(bad, index)


def test_an_article_ends_where_a_heading_above_its_level_begins(index):
    (place,) = find_places("What does Article 2 say?")
    for location in contents_of(index).locate(place, "Article 2"):
        assert LAW[location.span.start : location.span.end] == LAW[LAW.index("### Article 2") : LAW.index("\n\n## 2.1")]


# --- all Articles of the course's laws -------------------------------------------------------------------------------

LAWS = [
    ("en", "en/transparency_act", r"Article (\d+) ", "What does Article {} say?", 76),
    ("zh", "zh/expense_regulation", "第([一二三四五六七八九十]+)条", "第{}条规定了什么？", 93),
]


@pytest.mark.parametrize("collection", ["core", "all"])
@pytest.mark.parametrize(("language", "doc_id", "pattern", "ask", "count"), LAWS)
def test_every_article_that_is_named_is_in_the_context(language, doc_id, pattern, ask, count, collection):
    documents = [
        document
        for document in load_corpus(language, collection)
        if not re.search(r"news|email|chats", document.doc_id)  # they have no Articles, and take time
    ]
    law = next(document for document in documents if document.doc_id == doc_id)
    blocks = [block for block in read_blocks(law) if block.kind == "heading"]
    articles = {}
    for place, block in enumerate(blocks):
        if number := re.match(pattern, block.path[-1]):
            ends = [other.start for other in blocks[place + 1 :] if len(other.path) <= len(block.path)]
            articles[number[1]] = Span(block.start, [*ends, len(law.text)][0])
    assert len(articles) == count
    columns = {"year": int, "edition": str}
    trees = [course_hierarchy(document) for document in documents]
    with temporary_index(trees, embedder=CharNgramEmbedder(64), columns=columns) as index:
        retriever = NamedPlaceRetriever(FlatRetriever(index, mode="text"), index)
        found = retriever.retrieve_batch([ask.format(number) for number in articles], 10)
    for (number, span), passages in zip(articles.items(), found, strict=True):
        packed = [p for p in pack(passages, 1200) if p.doc_id == doc_id]
        inside = [Span(max(p.start, span.start), min(p.end, span.end)) for p in packed]
        text = law.text[span.start : span.end].rstrip()
        assert cover(merge(piece for piece in inside if piece.start < piece.end)) >= len(text), number
