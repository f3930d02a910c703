import pytest

from hierrag_lessons.chunkers import FixedSizeChunker
from hierrag_lessons.documents import load_corpus
from hierrag_lessons.evaluation import compare
from hierrag_lessons.questions import Evidence, Question
from hierrag_lessons.scoreboard import course_set, score_chunkers
from hierrag_lessons.spans import Document
from tests.fakes import WordHashEmbedder

TEXTS = {
    "fruit": "apples grow on trees. pears do as well. ",
    "metal": "iron rusts. copper turns green. gold does not. ",
}
DOCUMENTS = [Document(name, text) for name, text in TEXTS.items()]


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
