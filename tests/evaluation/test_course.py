import pytest

from hierrag_lessons.chunkers import FixedSizeChunker, build_hierarchy, course_hierarchy
from hierrag_lessons.embedding import MiniLMEmbedder, TruncationWarning
from hierrag_lessons.evaluation import (
    BUDGETS,
    Evidence,
    Question,
    compare,
    course_set,
    evaluate,
    largest_changes,
    score_chunkers,
    score_retrievers,
)
from hierrag_lessons.model import Document
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.store import temporary_index
from hierrag_lessons.text import count_tokens
from tests.fakes import WordHashEmbedder

TEXTS = {
    "fruit": "apples grow on trees. pears do as well. ",
    "metal": "iron rusts. copper turns green. gold does not. ",
}
FAKE = WordHashEmbedder()
DOCUMENTS = [Document(name, text) for name, text in TEXTS.items()]


class Backwards:
    """A retriever that returns the worst passages first."""

    def __init__(self, index):
        self.index = index

    def retrieve_batch(self, queries, k=5):
        return [found[::-1] for found in FlatRetriever(self.index).retrieve_batch(queries, 50)]


def ask(question_id: str, text: str, doc_id: str, quote: str) -> Question:
    start = TEXTS[doc_id].index(quote)
    return Question(question_id, text, "single_fact", "", (Evidence(doc_id, start, start + len(quote)),))


QUESTIONS = [ask("1", "copper turns green", "metal", "copper turns green"), ask("2", "apples", "fruit", "apples grow")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_two_halves_share_no_question(language):
    documents, dev = course_set(language)
    assert documents == load_corpus(language)
    _, test = course_set(language, "test")
    assert not {question.id for question in dev} & {question.id for question in test}
    assert {question.split for question in dev} == {"dev"}
    assert {question.split for question in test} == {"test"}
    assert {question.language for question in [*dev, *test]} == {language}
    assert min(len(dev), len(test)) >= 45


def test_every_chunker_is_scored_on_every_question():
    chunkers = {"whole": FixedSizeChunker(100), "small": FixedSizeChunker(4)}
    results = score_chunkers(chunkers, DOCUMENTS, QUESTIONS, (5, 50), embedder=WordHashEmbedder())
    assert list(results) == ["whole", "small"]
    for result in results.values():
        assert result.scores("recall", 50) == {"1": 1, "2": 1}
    # In five tokens only the small chunk with the evidence fits.
    assert results["small"].mean("recall", 5) > results["whole"].mean("recall", 5)
    assert [row[0] for row in compare(results, "recall", 5).rows] == ["whole", "small"]


def test_documents_are_in_one_language():
    mixed = [*DOCUMENTS, Document("中", "中文。", language="zh")]
    with pytest.raises(ValueError, match=r"the documents are in \['en', 'zh'\]; give those of one language"):
        score_chunkers({"whole": FixedSizeChunker(100)}, mixed, QUESTIONS)
    with pytest.raises(ValueError, match="the documents are in no language"):
        score_chunkers({"whole": FixedSizeChunker(100)}, [], QUESTIONS)


def test_another_half_or_language_is_refused() -> None:
    with pytest.raises(ValueError, match="split is 'val'; give one of dev, test"):
        course_set("en", "val")
    with pytest.raises(ValueError, match="language is 'fr'; give one of en, zh"):
        course_set("fr")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_hierarchy_of_the_course_has_three_sizes(language):
    for document in course_set(language)[0]:
        made = course_hierarchy(document)
        assert len(made.levels) == 4
        for nodes, limit in zip(made.levels[1:], (2000, 600, 200), strict=True):
            sizes = [count_tokens(node.text) for node in nodes if not node.metadata.get("oversized")]
            assert max(sizes, default=0) <= limit


def test_a_temporary_index_is_gone_afterwards():
    with temporary_index([build_hierarchy(d, [FixedSizeChunker(4)]) for d in DOCUMENTS], embedder=FAKE) as index:
        assert index.doc_ids() == ["fruit", "metal"]
        folder = index.path
    assert not folder.exists()
    with pytest.raises(ValueError, match="the documents are in no language"), temporary_index([]):
        pass


def test_only_embedding_is_without_the_warning_of_long_texts():
    long = build_hierarchy(Document("long", "word " * 400), [FixedSizeChunker(1000)])
    with temporary_index([long], embedder=MiniLMEmbedder()) as index, pytest.warns(TruncationWarning):
        index.search("word " * 400)


def test_retrievers_are_scored_and_their_largest_changes_named():
    hierarchies = [build_hierarchy(document, [FixedSizeChunker(4)]) for document in DOCUMENTS]
    with temporary_index(hierarchies, embedder=FAKE) as index:
        results = score_retrievers({"found": FlatRetriever(index), "odd": Backwards(index)}, QUESTIONS, (4, 50))
        assert list(results) == ["found", "odd"]
        assert results["odd"].mean("recall", 4) < results["found"].mean("recall", 4)
        assert score_retrievers({"found": FlatRetriever(index)}, QUESTIONS)["found"].budgets == BUDGETS
    rescued, spoiled = largest_changes(results["odd"], results["found"], budget=4)
    assert rescued.after - rescued.before == max(
        results["found"].scores("recall", 4)[question.id] - results["odd"].scores("recall", 4)[question.id]
        for question in QUESTIONS
    )
    back, forth = largest_changes(results["found"], results["odd"], budget=4)
    assert (forth.question, forth.before, forth.after) == (rescued.question, rescued.after, rescued.before)
    assert (forth.passages_before, forth.passages_after) == (rescued.passages_after, rescued.passages_before)
    assert back is spoiled is None  # nothing is found only backwards
    assert largest_changes(results["found"], results["found"], budget=4) == (None, None)


def test_largest_changes_needs_a_question_in_common():
    with temporary_index([build_hierarchy(d, [FixedSizeChunker(4)]) for d in DOCUMENTS], embedder=FAKE) as index:
        one, other = (evaluate(FlatRetriever(index), [question], (50,)) for question in QUESTIONS)
    with pytest.raises(ValueError, match="have no question with recall in common"):
        largest_changes(one, other)
