import pytest

from hierrag_lessons import check_retriever
from hierrag_lessons.chunkers import SentenceChunker, build_hierarchy
from hierrag_lessons.model import Document
from hierrag_lessons.retrievers import EntityGraphRetriever, FlatRetriever
from hierrag_lessons.store import Index, temporary_index
from tests.fakes import WordHashEmbedder

NOTES = {
    "order": "Our MR-7 gateway came with Velmora last year.",
    "deed": "It is known that Velmora has its seat in Halvane.",
    "visit": "In spring we saw Halvane and its old harbour.",
    "pets": "Otters sleep in the sea, hand in hand.",
    "more": "A second Otters Club report is about nothing else.",
}
QUESTION = "Where did the mr-7 come from?"


def shelf(texts, language="en"):
    trees = [
        build_hierarchy(
            Document(doc_id, text, language=language, metadata={"year": 2000 + place}),
            [SentenceChunker(max_sentences=1)],
        )
        for place, (doc_id, text) in enumerate(texts.items())
    ]
    return temporary_index(trees, embedder=WordHashEmbedder(), columns={"year": int})


@pytest.fixture(scope="module")
def notes():
    with shelf(NOTES) as index:
        yield index


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "make",
    [EntityGraphRetriever, lambda index: EntityGraphRetriever(index, level=1, found=0.5, damping=0.85)],
    ids=["default", "sections"],
)
def test_it_is_a_retriever(make, language):
    check_retriever(make, finds_all=False, language=language)  # what no path leads to is not found


def test_a_passage_is_found_over_names_alone(notes):
    """ "deed" has no word of the question; "visit" is two names away. Words alone find "order" only."""
    assert [p.doc_id for p in FlatRetriever(notes, mode="text").retrieve("mr-7", 9)] == ["order"]
    found = EntityGraphRetriever(notes).retrieve(QUESTION, 9)
    assert [passage.doc_id for passage in found] == ["order", "deed", "visit"]
    assert found[0].score > found[1].score > found[2].score > 0


def test_names_are_found_however_the_question_writes_them(notes):
    graph = EntityGraphRetriever(notes)
    assert graph.names("VELMORA's seat, and halvane?") == ["halvane", "velmora"]
    assert graph.names("velmoran halvanes") == []


def test_a_name_of_one_passage_is_none(notes):
    assert EntityGraphRetriever(notes).names("MR-7") == []


def test_from_names_alone(notes):
    graph = EntityGraphRetriever(notes, found=0.0)
    assert {p.doc_id for p in graph.retrieve("What of Velmora and otters?", 9)} == {"order", "deed", "visit"}
    assert graph.retrieve("Do otters sleep?", 1)[0].doc_id == "pets", "no known name: it starts from passages"


def test_a_filter_holds(notes):
    found = EntityGraphRetriever(notes).retrieve("Velmora", 9, where={"year": [2001, 2003]})
    assert [passage.doc_id for passage in found] == ["deed"]


def test_the_graph_follows_the_index():
    with shelf({"order": NOTES["order"]}) as index:
        graph = EntityGraphRetriever(index)
        assert [p.doc_id for p in graph.retrieve(QUESTION)] == ["order"]
        index.add(build_hierarchy(Document("deed", NOTES["deed"]), [SentenceChunker(max_sentences=1)]))
        assert [p.doc_id for p in graph.retrieve(QUESTION)] == ["order", "deed"]


def test_in_chinese_a_number_is_not_the_end_of_a_larger_one():
    texts = {"a": "保修期为 5 年。", "b": "质保 5 年。", "c": "自 2025 年起执行。", "d": "2025 年修订。"}
    with shelf(texts, "zh") as index:
        assert EntityGraphRetriever(index).names("2025年的规定") == ["2025 年"]


def test_an_empty_index(tmp_path):
    graph = EntityGraphRetriever(Index.create(tmp_path / "index", WordHashEmbedder()))
    assert (graph.retrieve("Velmora"), graph.names("Velmora")) == ([], [])


@pytest.mark.parametrize("wrong", [{"found": 1.5}, {"damping": 1.0}, {"damping": -1.0}, {"level": 9}, {"level": "2"}])
def test_a_bad_parameter_is_refused(notes, wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name} is .*give"):
        EntityGraphRetriever(notes, **wrong)
