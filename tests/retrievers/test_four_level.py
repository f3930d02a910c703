from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lancedb.query import AsyncQueryBase

from hierrag_lessons import check_retriever
from hierrag_lessons.chunkers import FixedSizeChunker, Level, StructureChunker, course_hierarchy
from hierrag_lessons.contracts.shelf import make_shelf
from hierrag_lessons.evaluation import course_set
from hierrag_lessons.model import Document, Hierarchy, Hit, Node, Passage, Retriever, Span, sort_key
from hierrag_lessons.propositions import LLMPropositions, Proposition, RulePropositions
from hierrag_lessons.retrievers import BANDS, FlatRetriever, FourLevelRetriever, expand
from hierrag_lessons.retrievers.four_level import grade
from hierrag_lessons.spans import merge, overlap
from hierrag_lessons.store import Index
from hierrag_lessons.summaries import Summary, build_four_levels, cited
from hierrag_lessons.text import count_tokens
from tests.fakes import ZOO, WordChunker, WordHashEmbedder
from tests.texts import HOSTILE

SUBSETS = [frozenset(c) for c in chain.from_iterable(combinations(Level, n) for n in range(1, 5))]
CHUNKERS = (WordChunker(12, context="Zoo"), WordChunker(4, context="Zoo"))


@dataclass
class FirstWords:
    """Sums up by the first two words of each part, and cites them. It remembers what it was asked."""

    name: str = "first words"
    asked: list[list[Node]] = field(default_factory=list)

    def summarise(self, document, nodes, max_tokens):
        self.asked.append(list(nodes))
        spans = [span for node in nodes for span in node.spans]
        cites = merge(Span(start, min(end, start + 7)) for start, end in spans)
        return Summary(" … ".join(document.text[start:end] for start, end in cites), tuple(cites))


@dataclass
class Nothing:
    """A part that must not be asked."""

    name: str = "nothing"

    def summarise(self, document, nodes, max_tokens):
        raise AssertionError("a level that is switched off was summed up")

    def extract(self, document, within=None):
        raise AssertionError("a level that is switched off was extracted")


def four_levels(document, **options):
    return build_four_levels(document, CHUNKERS, **{"summariser": FirstWords(), **options})


def zoo(name="cats"):
    return Document(name, f"{ZOO[name]} It was late; the day ended. {ZOO['fish']}")


# Building.


def test_the_levels_and_their_links():
    document = zoo()
    made = four_levels(document)
    assert made.searched == set(Level)
    assert [len(level) for level in made.levels] == [1, 1, 4, 11, 5]
    for level, nodes in enumerate(made.levels):
        for position, node in enumerate(nodes):
            assert (node.level, node.position, node.doc_id) == (level, position, "cats")
            parent = made.parent(node)
            assert (parent is None) == (level == 0)
            assert parent is None or parent.level == level - 1
    for node in chain(made.levels[Level.DOCUMENT], made.levels[Level.SECTION], made.levels[Level.PROPOSITION]):
        assert node.derived
    for chunk in made.levels[Level.CHUNK]:
        assert not chunk.derived
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert made.parent(chunk).start <= chunk.start < chunk.end <= made.parent(chunk).end
    assert made.levels[Level.DOCUMENT][0].sources == (document.span,)


def test_summaries_stand_for_the_whole_and_cite_parts():
    document, writer = zoo(), FirstWords()
    made = four_levels(document, summariser=writer)
    sections = made.levels[Level.SECTION]
    for section, asked in zip(sections, writer.asked, strict=False):
        assert section.sources == (section.span,)
        assert [node.span for node in asked] == [node.span for node in made.children(section)]
        assert cited(section) == tuple(merge(Span(n.start, min(n.end, n.start + 7)) for n in asked))
        assert section.metadata["summariser"] == "first words"
        assert section.text.startswith(document.text[section.start : section.start + 7])
    # The document's summary reads what the sections' summaries say, not the document again.
    assert [node.text for node in writer.asked[-1]] == [section.text for section in sections]
    assert [node.sources for node in writer.asked[-1]] == [cited(section) for section in sections]
    chunk = made.levels[Level.CHUNK][0]
    assert cited(chunk) == (chunk.span,)


def test_the_only_section_is_summed_up_from_its_chunks_for_the_document_too():
    writer = FirstWords()
    made = four_levels(Document("cat", "The cat sat on the mat."), summariser=writer)
    assert [[node.level for node in asked] for asked in writer.asked] == [[Level.CHUNK] * 2] * 2
    assert made.levels[Level.DOCUMENT][0].text == made.levels[Level.SECTION][0].text


@pytest.mark.parametrize("levels", SUBSETS, ids=lambda levels: "+".join(level.name.lower() for level in sorted(levels)))
def test_a_level_that_is_off_is_not_there_and_changes_no_other(levels):
    """For all 15 combinations: the full hierarchy, with nodes taken out and the rest linked past them, one by one."""
    document = zoo()
    full = four_levels(document)
    made = four_levels(document, levels=levels)
    assert made.searched == levels
    assert len(made.levels) == max(levels) + 1
    for level, nodes in enumerate(made.levels):
        expected = []
        for node in full.levels[level] if level in levels or level == 0 else ():
            parent = full.parent(node)
            while parent is not None and parent.level and parent.level not in levels:
                parent = full.parent(parent)
            expected.append((node, None if parent is None else parent.node_id))
        assert [node.parent_id for node in nodes] == [parent for _, parent in expected]
        assert [(n.node_id, n.text, n.span, n.sources, n.context, n.metadata, n.position) for n in nodes] == [
            (n.node_id, n.text, n.span, n.sources, n.context, n.metadata, n.position) for n, _ in expected
        ]


@pytest.mark.parametrize("levels", SUBSETS, ids=lambda levels: "+".join(level.name.lower() for level in sorted(levels)))
def test_what_is_off_is_not_paid_for(levels):
    writer = FirstWords()
    summaries = bool(levels & {Level.DOCUMENT, Level.SECTION})
    extractor = RulePropositions() if Level.PROPOSITION in levels else Nothing()
    made = four_levels(
        zoo(), levels=levels, summariser=writer if summaries else Nothing(), extractor=extractor, document_tokens=9
    )
    assert len(writer.asked) == (4 if summaries else 0) + (Level.DOCUMENT in levels)
    assert made.leaves


@pytest.mark.parametrize(
    "levels",
    [frozenset(Level), {Level.DOCUMENT, Level.PROPOSITION}, {Level.SECTION, Level.CHUNK}, {Level.PROPOSITION}],
    ids=lambda levels: "+".join(level.name.lower() for level in sorted(levels)),
)
def test_an_index_holds_and_searches_just_the_levels_that_are_on(tmp_path, levels):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    made = [four_levels(zoo(name), levels=levels) for name in ("cats", "dogs")]
    index.add(made)
    assert index.levels == sorted(levels)
    assert [index.count(level) for level in range(5)] == [
        sum(len(each.levels[level]) for each in made) if level in levels or level == 0 else 0 for level in range(5)
    ]
    for part in SUBSETS:
        if not part <= levels:
            with pytest.raises(ValueError, match="not searchable"):
                FourLevelRetriever(index, levels=part)
    for part in (*(frozenset({level}) for level in levels), frozenset(levels)):
        for mode in ("generation",) if part != levels else ("never", "generation", "ambiguous", "always"):
            retriever = FourLevelRetriever(index, levels=part, expand=mode, lower=-1)
            passages = retriever.retrieve("the running dog", 30)
            assert passages
            assert {hit.node.level for passage in passages for hit in passage.hits} <= part
            assert all(passage.end - passage.start < len(index.text(passage.doc_id)) for passage in passages)


@pytest.mark.parametrize("text", ["", " \n\n "], ids=["empty", "blank"])
@pytest.mark.parametrize("levels", [tuple(Level), (Level.DOCUMENT,), (Level.PROPOSITION,)])
def test_a_blank_document_has_only_its_root(text, levels):
    made = build_four_levels(Document("blank", text), levels=levels, summariser=Nothing())
    assert [len(level) for level in made.levels] == [1] + [0] * max(levels)


def test_overlapping_chunks_take_a_proposition_once():
    document = zoo()
    made = build_four_levels(document, (WordChunker(20), FixedSizeChunker(8, 4)), summariser=FirstWords())
    starts = [chunk.start for chunk in made.levels[Level.CHUNK]]
    assert any(a.end > b.start for a, b in zip(made.levels[3], made.levels[3][1:], strict=False))
    propositions = made.levels[Level.PROPOSITION]
    assert len(propositions) == len(RulePropositions().extract(document))
    for node in propositions:
        home = made.parent(node)
        assert home.start == max(start for start in starts if start <= node.sources[-1].start)
        assert overlap(home.span, node.sources[-1])


def test_an_item_keeps_the_line_that_introduces_it_wherever_the_chunks_end():
    text = "# Rules\n\nA member must not:\n\n- (a) trade for others;\n\n- (b) share its key.\n"
    made = build_four_levels(Document("act", text, "markdown"), (StructureChunker(100), StructureChunker(8, 0)))
    item = next(node for node in made.levels[Level.PROPOSITION] if "key" in node.text)
    assert item.text == "A member must not: share its key."
    assert [text[start:end] for start, end in item.sources] == ["A member must not:", "- (b) share its key."]
    assert "share its key" in made.parent(item).text
    assert "A member must not" not in made.parent(item).text


def test_propositions_of_a_model_come_in_with_their_sources():
    class OneFact:
        """Says the same of every text, and quotes it."""

        def extract(self, document, within=None):
            return [Proposition(document.doc_id, "Cats sit.", (Span(4, 15),))]

    (only,) = four_levels(zoo(), extractor=OneFact()).levels[Level.PROPOSITION]
    assert (only.text, only.sources, only.context) == ("Cats sit.", (Span(4, 15),), "Zoo")
    assert hasattr(LLMPropositions, "extract")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_chunks_are_those_of_the_course_and_the_summaries_fit(language):
    documents, _ = course_set(language)
    for document in documents[-2:]:
        made, frame = build_four_levels(document), course_hierarchy(document)
        assert [n.embedding_text for n in made.levels[Level.CHUNK]] == [n.embedding_text for n in frame.leaves]
        assert [n.span for n in made.levels[Level.SECTION]] == [n.span for n in frame.levels[1]]
        assert count_tokens(made.levels[Level.DOCUMENT][0].text) <= 300
        for section in made.levels[Level.SECTION]:
            assert 0 < count_tokens(section.text) <= 200
            assert "\n".join(document.text[start:end] for start, end in cited(section)) == section.text
        covered = merge(source for node in made.levels[Level.PROPOSITION] for source in node.sources)
        assert all(span.end <= len(document.text) for span in covered)
        assert made == build_four_levels(document)


@given(
    st.text(st.sampled_from("ab .\n#-;，。字🙂\u0301"), max_size=80), st.sampled_from(["text", "markdown", "dialogue"])
)
def test_any_text_gives_a_hierarchy_that_an_index_takes(text, kind):
    document = Document("any", text, kind)
    made = build_four_levels(document, (FixedSizeChunker(12), FixedSizeChunker(4)), summariser=FirstWords())
    by_id = {node.node_id: node for node in made}
    assert len(by_id) == sum(len(level) for level in made.levels)
    for node in made:
        assert node.spans == tuple(merge(node.spans)) or node.level == 0
        assert (node.start, node.end) == (node.spans[0].start, node.spans[-1].end)
        assert node.parent_id is None or node.parent_id in by_id


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts(text):
    made = build_four_levels(Document("hostile", text))
    assert len(made.levels) == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": ()}, r"levels is \(\); give one or more of 1, 2, 3, 4"),
        ({"levels": (0, 3)}, r"levels is \(0, 3\); give one or more of 1, 2, 3, 4"),
        ({"levels": (5,)}, r"levels is \(5,\); give one or more of"),
        ({"chunkers": (FixedSizeChunker(100),)}, "chunkers has only one; give one for the sections"),
        ({"section_tokens": 0}, "section_tokens is 0; give 1 or more"),
        ({"document_tokens": 0}, "document_tokens is 0"),
    ],
)
def test_impossible_builds_are_refused(options, message):
    with pytest.raises(ValueError, match=message.replace("[]", r"\[\]")):
        build_four_levels(zoo(), **options)


# Searching.

MAKERS = {
    "default": FourLevelRetriever,
    "never, whole": partial(FourLevelRetriever, expand="never", summaries="whole"),
    "ambiguous": partial(FourLevelRetriever, expand="ambiguous", lower=-1, upper=0.4),
    "hybrid, always": partial(FourLevelRetriever, mode="hybrid", expand="always", summaries="whole"),
    "text, propositions": partial(FourLevelRetriever, mode="text", levels=[Level.PROPOSITION]),
    "summaries, cited": partial(FourLevelRetriever, levels=(1, 2)),
}
WITHOUT = {
    "sections off": partial(four_levels, levels=(Level.DOCUMENT, Level.CHUNK, Level.PROPOSITION)),
    "chunks off": partial(four_levels, levels=(Level.DOCUMENT, Level.SECTION, Level.PROPOSITION)),
}


def finds_all(make):
    """Hits that are judged incorrect are dropped, and summaries do not cite everything."""
    options = getattr(make, "keywords", {})
    return options.get("expand") != "ambiguous" and options.get("levels") != (1, 2)


@pytest.fixture(scope="module")
def shelf():
    return make_shelf(build_hierarchy=four_levels)


@pytest.fixture(scope="module")
def nodes(shelf):
    """All nodes of the shelf by their ids, as they were built."""
    return {node.node_id: node for document in shelf.documents.values() for node in four_levels(document)}


@pytest.fixture(scope="module")
def chinese():
    return make_shelf("zh", build_four_levels)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "ambiguous"])
def test_every_promise(name):
    check_retriever(MAKERS[name], build_hierarchy=four_levels, finds_all=finds_all(MAKERS[name]))


@pytest.mark.parametrize("built", WITHOUT.values(), ids=WITHOUT)
def test_every_promise_without_a_level(built):
    check_retriever(MAKERS["ambiguous"], build_hierarchy=built, finds_all=False)


def test_every_promise_in_a_chinese_index():
    check_retriever(MAKERS["ambiguous"], language="zh", build_hierarchy=build_four_levels, finds_all=False)


def expected(shelf, nodes, query, k, *, levels=tuple(Level), expand="generation", summaries="cited", bands=(0, 1)):
    """The definition, one hit after the other, with all hits that there are; what is above comes from the trees."""
    every = shelf.index.search(query, len(nodes))
    hits = [hit for hit in every if hit.node.level in levels]
    scores = {hit.node.node_id: hit.score for hit in every}
    found = {}
    for hit in hits:
        node, target, score = hit.node, hit.node, hit.score
        above = []
        while node.parent_id and (node := nodes[node.parent_id]).level >= Level.SECTION:
            above.append(node)
        node = hit.node
        climbs = {"never": (), "always": (Level.CHUNK, Level.PROPOSITION)}.get(expand, (Level.PROPOSITION,))
        if node.level in climbs:
            target = above[0] if above else node
        if expand == "ambiguous":
            if score < bands[0]:
                continue
            dropped = False
            if score < bands[1]:
                for parent in above if node.level >= Level.CHUNK else []:
                    again = scores.get(parent.node_id)
                    if again is not None and again >= bands[1]:
                        target, score = parent, again
                        break
                    if again is not None and again < bands[0]:
                        dropped = True
                        break
            if dropped:
                continue
        cites = node.level <= Level.SECTION and summaries == "cited"
        for start, end in cited(node) if cites else target.spans:
            place = (hit.doc_id, start, end)
            scored, own = found.get(place, (score, []))
            found[place] = (max(scored, score), [*own, hit])
    passages = [
        Passage(
            doc_id, start, end, shelf.documents[doc_id].text[start:end], "", score, tuple(sorted(own, key=sort_key))
        )
        for (doc_id, start, end), (score, own) in found.items()
    ]
    return sorted(passages, key=sort_key)[:k]


def by_place(passages):
    """Everything but the order, which float32 noise decides among equal scores, and the digits that it touches."""
    return [
        (p.doc_id, p.span, p.text, pytest.approx(p.score), {hit.node.node_id for hit in p.hits})
        for p in sorted(passages, key=lambda p: (p.doc_id, p.span))
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"expand": "never"},
        {"expand": "never", "summaries": "whole"},
        {"expand": "always"},
        {"expand": "always", "levels": (Level.CHUNK,)},
        {"levels": (Level.DOCUMENT, Level.PROPOSITION)},
        *({"expand": "ambiguous", "bands": bands} for bands in [(0, 1), (0.2, 0.5), (0.3, 0.4), (0.5, 0.5), (0, 0.3)]),
    ],
    ids=str,
)
def test_the_definition(shelf, nodes, options):
    bands = options.get("bands", (0, 1))
    given = {key: value for key, value in options.items() if key != "bands"}
    retriever = FourLevelRetriever(shelf.index, lower=bands[0], upper=bands[1], **given)
    queries = ["the running dog", "deep blue lake", "a cat on the roof of the barn", "late day"]
    # With all hits looked at, so that what is behind the first ones counts as well.
    for query, found in zip(queries, retriever.retrieve_batch(queries, 500), strict=True):
        assert by_place(found) == by_place(expected(shelf, nodes, query, 500, **options))
        assert found or options["bands"] == (0.5, 0.5)


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(0.5, "correct"), (0.49, "ambiguous"), (0.2, "ambiguous"), (0.19, "incorrect"), (-1, "incorrect"), (1, "correct")],
)
def test_judging_at_equality(score, verdict):
    assert grade(score, 0.2, 0.5) == verdict
    assert grade(score, 0.5, 0.5) != "ambiguous"


def small(tmp_path, texts, vectors):
    """One section of one chunk of one proposition, with the cosines that a query 'q' shall have with each."""

    class Given:
        name, dim = "given", 2

        def encode(self, asked):
            import numpy as np

            cosines = [1.0 if text == "q" else vectors[text] for text in asked]
            return np.array([[c, (1 - c * c) ** 0.5] for c in cosines], np.float32)

    text = texts["chunk"]
    root = Node("d:0", "d", 0, 0, len(text) + 10, text + " and more.")
    section = Node("d:2", "d", 2, 0, len(text) + 4, texts["section"], "", "d:0", sources=(Span(0, len(text) + 4),))
    chunk = Node("d:3", "d", 3, 0, len(text), text, "", "d:2")
    proposition = Node("d:4", "d", 4, 0, 3, texts["proposition"], "", "d:3", sources=(Span(0, 3),))
    document = Document("d", root.text)
    index = Index.create(tmp_path / "index", Given())
    index.add(Hierarchy(document, ((root,), (), (section,), (chunk,), (proposition,)), frozenset({2, 3, 4})))
    return index


@pytest.mark.parametrize(
    ("proposition", "chunk", "section", "wanted"),
    [
        (0.8, 0.1, 0.1, [("chunk", 0.8)]),  # correct: nothing above is asked
        (0.4, 0.7, 0.1, [("chunk", 0.7)]),  # the chunk is correct
        (0.4, 0.1, 0.9, []),  # the chunk is incorrect: dropped
        (0.4, 0.4, 0.6, [("section", 0.6)]),  # the chunk can't say, the section can
        (0.4, 0.4, 0.1, []),
        (0.4, 0.4, 0.4, [("chunk", 0.4)]),  # nobody can say: as for generation
        (0.1, 0.9, 0.9, []),  # incorrect: nothing above is asked
    ],
)
def test_corrective_expansion_step_by_step(tmp_path, proposition, chunk, section, wanted):
    texts = {"chunk": "The cat sat.", "section": "Cats.", "proposition": "A cat sat."}
    cosines = {"chunk": chunk, "section": section, "proposition": proposition}
    index = small(tmp_path, texts, {texts[name]: cosine for name, cosine in cosines.items()})
    retriever = FourLevelRetriever(index, [Level.PROPOSITION], "ambiguous", lower=0.2, upper=0.5)
    ends = {"chunk": 12, "section": 16}
    found = [(passage.end, passage.score) for passage in retriever.retrieve("q")]
    assert found == [(ends[name], pytest.approx(score, abs=1e-6)) for name, score in wanted]


def test_a_node_that_cannot_be_judged_is_passed_over(tmp_path):
    texts = {"chunk": "The cat sat.", "section": "Cats.", "proposition": "A cat sat."}
    index = small(tmp_path, texts, {"The cat sat.": 0.1, "Cats.": 0.9, "A cat sat.": 0.4})
    made = Hierarchy(index.document("d"), tuple(tuple(index.nodes([f"d:{i}"])) if i != 1 else () for i in range(5)))
    index.add(made, levels=[2, 4])  # the chunk is stored without a vector
    retriever = FourLevelRetriever(index, expand="ambiguous", levels=[4], lower=0.2, upper=0.5)
    (passage,) = retriever.retrieve("q")
    assert (passage.end, passage.score) == (16, pytest.approx(0.9))


def test_the_bands_are_those_of_the_language(shelf, chinese):
    """Character n-grams share far less than sentence vectors do, so Chinese texts are correct at lower cosines."""
    assert BANDS == {"en": (0.2, 0.5), "zh": (0.05, 0.2)}
    assert FourLevelRetriever(shelf.index).bands == (0.2, 0.5)
    assert FourLevelRetriever(chinese.index).bands == (0.05, 0.2)
    for index in (shelf.index, chinese.index):
        assert FourLevelRetriever(index, lower=0.0, upper=0.9).bands == (0.0, 0.9)
    assert FourLevelRetriever(chinese.index, upper=0.9).bands == (0.05, 0.9)


def test_a_proposition_matches_and_its_chunk_is_returned(shelf):
    for passage in FourLevelRetriever(shelf.index, [Level.PROPOSITION]).retrieve("the running dog", 9):
        chunks = {node.span for node in four_levels(shelf.documents[passage.doc_id]).levels[Level.CHUNK]}
        assert passage.span in chunks
        assert {hit.node.level for hit in passage.hits} == {Level.PROPOSITION}


def test_chunks_alone_are_the_flat_baseline(shelf):
    ours, flat = FourLevelRetriever(shelf.index, [Level.CHUNK]), FlatRetriever(shelf.index, Level.CHUNK)
    for query in ("the running dog", "deep blue lake fish"):
        assert ours.retrieve(query, 8) == flat.retrieve(query, 8)


@pytest.mark.parametrize("expand", ["never", "generation", "always", "ambiguous"])
def test_the_number_of_table_queries_does_not_grow_with_the_hits(shelf, monkeypatch, expand):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    retriever = FourLevelRetriever(shelf.index, [Level.PROPOSITION, Level.CHUNK], expand, lower=-1, upper=0.99)
    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    counts = set()
    for k in (1, 2, 3):
        run[0] = 0
        assert retriever.retrieve("the running dog", k)
        counts.add(run[0])
    # The hits; the nodes above; to judge them; the texts of sources and sections.
    assert max(counts) <= {"never": 2, "generation": 2, "always": 3, "ambiguous": 6}[expand]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": [0]}, r"levels is \[0\]; give one or more of 1, 2, 3, 4"),
        ({"levels": []}, r"levels is \[\]"),
        ({"levels": [5]}, r"levels is \[5\]"),
        ({"expand": "up"}, "expand is 'up'; give one of never, generation, ambiguous, always"),
        ({"summaries": "none"}, "summaries is 'none'; give one of cited, whole"),
        ({"mode": "dense"}, "mode is 'dense'"),
        ({"expand": "ambiguous", "mode": "text"}, "mode is 'text', and its scores have no scale"),
        ({"expand": "ambiguous", "mode": "hybrid"}, "mode is 'hybrid'"),
        ({"lower": 0.6, "upper": 0.5}, "lower is 0.6 and upper is 0.5; give numbers, lower no more than upper"),
        ({"lower": float("nan")}, "lower is nan"),
    ],
)
def test_impossible_parameters_are_refused_when_made(shelf, options, message):
    with pytest.raises(ValueError, match=message):
        FourLevelRetriever(shelf.index, **options)


@pytest.mark.parametrize("built", WITHOUT.values(), ids=WITHOUT)
def test_a_level_that_was_switched_off_cannot_be_searched(built):
    index = make_shelf(build_hierarchy=built).index
    off = next(level for level in (Level.SECTION, Level.CHUNK) if level not in index.levels)
    with pytest.raises(ValueError, match=f"level {off} is not searchable"):
        FourLevelRetriever(index, [off])


def test_it_is_a_retriever(shelf):
    retriever: Retriever = FourLevelRetriever(shelf.index)
    assert len(retriever.retrieve("the running dog", k=2)) == 2


# Expanding on request.


def test_each_step_up(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    made = build_four_levels(zoo(), (WordChunker(30), WordChunker(15)), summariser=FirstWords())
    index.add(made)
    proposition = made.levels[Level.PROPOSITION][0]
    chunk = made.parent(proposition)
    section = made.parent(chunk)
    hit = Hit(proposition, 0.5)
    (first,) = expand(index, [hit])
    assert (first.span, first.text, first.score, first.hits) == (chunk.span, chunk.text, 0.5, (hit,))
    (second,) = expand(index, [first])
    assert (second.span, second.text) == (section.span, made.document.text[section.start : section.end])
    assert expand(index, [second]) == [second]
    (third,) = expand(index, [second], top=0)
    assert third.span == made.document.span
    assert expand(index, [third], top=0) == [third]
    assert expand(index, []) == []
    assert expand(index, [Hit(made.levels[Level.DOCUMENT][0], 0.5)])[0].span == made.document.span


def test_a_cited_summary_expands_to_its_whole_section(shelf):
    section = four_levels(shelf.documents["cats"]).levels[Level.SECTION][0]
    found = FourLevelRetriever(shelf.index, [Level.SECTION]).retrieve("The cat sat", 50)
    parts = [passage for passage in found if passage.hits[0].node.node_id == section.node_id]
    assert len(parts) > 1
    (whole,) = expand(shelf.index, parts)
    assert (whole.span, whole.score) == (section.span, max(part.score for part in parts))


def test_what_a_documents_summary_cites_does_not_expand_to_the_whole_document(shelf):
    """The node that led to the passage is above the level to climb to: there is nothing to climb to."""
    found = FourLevelRetriever(shelf.index, [Level.DOCUMENT]).retrieve("The cat sat", 50)
    part = next(passage for passage in found if passage.doc_id == "cats")
    assert part.hits[0].node.level == Level.DOCUMENT
    assert part.end - part.start < len(shelf.documents["cats"].text)
    assert expand(shelf.index, [part]) == [part]
    assert expand(shelf.index, [part], top=Level.DOCUMENT)[0].span == shelf.documents["cats"].span


def test_a_line_that_has_nothing_on_the_highest_level_does_not_climb_past_it(tmp_path):
    """Sections are off, so that the parent of a chunk is the document's summary."""
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    made = four_levels(zoo(), levels=(Level.DOCUMENT, Level.CHUNK))
    index.add(made)
    hit = Hit(made.levels[Level.CHUNK][0], 0.5)
    assert [passage.span for passage in expand(index, [hit])] == [hit.node.span]
    assert [passage.span for passage in expand(index, [hit], top=Level.DOCUMENT)] == [made.document.span]


def test_two_chunks_of_one_section_expand_to_it_once(shelf):
    made = four_levels(shelf.documents["dogs"])
    chunks = made.children(made.levels[Level.SECTION][0])
    hits = [Hit(chunks[1], 0.3), Hit(chunks[0], 0.6)]
    (passage,) = expand(shelf.index, hits)
    assert (passage.span, passage.score) == (made.levels[Level.SECTION][0].span, 0.6)
    assert passage.hits == tuple(sorted(hits, key=sort_key))


def test_expanding_takes_few_table_queries(shelf, monkeypatch):
    passages = FourLevelRetriever(shelf.index, [Level.PROPOSITION], "never").retrieve("the running dog", 20)
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    assert len(expand(shelf.index, passages)) > 1
    assert run[0] <= 3


def test_a_passage_without_hits_cannot_be_expanded(shelf):
    with pytest.raises(ValueError, match="the passage cats:0-7 has no hits"):
        expand(shelf.index, [Passage("cats", 0, 7, "The cat")])
