import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import RecursiveChunker, SentenceChunker, sentence_units
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import Cut, check_cover, check_document, check_texts
from hierrag_lessons.model import Chunk, Document
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import count_tokens, make_ruler, split_sentences
from tests.texts import HOSTILE, label, texts


def count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


MEASURES = {"tokens": count_tokens, "characters": len, "bytes": count_bytes}


@pytest.mark.parametrize("piece", [" \u0301", "a\u200d ", "가 ", "नि "])
def test_time_grows_with_the_text_only(piece: str) -> None:
    document = Document("d", piece * (60_000 // len(piece)))
    started = time.process_time()
    chunks = SentenceChunker(400).chunk(document)
    assert time.process_time() - started < 10  # under half a second; where cuts are looked for from the start, hours
    check_cover(Cut(SentenceChunker(400), document, None, chunks))


@pytest.fixture(params=MEASURES.values(), ids=MEASURES, scope="module")
def measure(request):
    return request.param


def check_overlap(document: Document, chunks: list[Chunk], overlap: int) -> None:
    """What a chunk repeats is whole sentences, at most ``overlap`` of them, and never all of the chunk before."""
    sentences = split_sentences(document.text)
    for previous, chunk in pairwise(chunks):
        if chunk.start < previous.end:
            repeated = [s for s in sentences if chunk.start <= s.start and s.end <= previous.end]
            assert repeated[0].start == chunk.start
            assert repeated[-1].end == previous.end
            assert len(repeated) <= overlap


CONFIGURATIONS = [
    SentenceChunker(),
    SentenceChunker(40, 1),
    SentenceChunker(12, 3, len),
    SentenceChunker(1, 0, count_bytes),
    SentenceChunker(max_sentences=1),
    SentenceChunker(60, 1, len, max_sentences=3),
]


@pytest.mark.parametrize("chunker", CONFIGURATIONS, ids=label)
def test_every_promise(chunker) -> None:
    check_chunker(chunker)


@given(text=texts, max_size=st.integers(1, 40), overlap=st.integers(0, 4))
def test_guarantees_on_any_text(measure, text: str, max_size: int, overlap: int) -> None:
    document = Document("d", text)
    chunks = check_document(SentenceChunker(max_size, overlap, measure), document)
    check_overlap(document, chunks, overlap)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("max_size", [1, 2, 7, 50])
def test_guarantees_on_hostile_text(measure, text: str, max_size: int) -> None:
    for overlap in (0, 1, 3):
        document = Document("d", text)
        chunks = check_document(SentenceChunker(max_size, overlap, measure), document)
        check_overlap(document, chunks, overlap)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("max_size", "overlap"), [(200, 0), (60, 2)])
def test_guarantees_on_the_corpora(language, max_size: int, overlap: int) -> None:
    for document in load_corpus(language)[:8]:
        chunks = check_document(SentenceChunker(max_size, overlap), document)
        check_overlap(document, chunks, overlap)


def test_guarantees_on_the_python_reference(reference) -> None:
    for document in reference[::6]:
        check_document(SentenceChunker(100, 1), document)


@given(text=texts, max_size=st.integers(1, 40), overlap=st.integers(0, 3))
def test_nesting(text: str, max_size: int, overlap: int) -> None:
    document = Document("d", text)
    for coarse in (RecursiveChunker(60, 10), SentenceChunker(60, 1)):
        check_nesting(SentenceChunker(max_size, overlap), document, coarse)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "max_size is 0"),
        ({"max_size": -5}, "max_size is -5"),
        ({"overlap_sentences": -1}, "overlap_sentences is -1"),
        ({"max_sentences": 0}, "max_sentences is 0"),
        ({"max_sentences": 1.5}, "max_sentences is 1.5"),
        ({"max_sentences": 2, "overlap_sentences": 2}, "overlap_sentences is 2 with max_sentences 2; give fewer"),
    ],
)
def test_impossible_parameters_are_refused_when_made(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SentenceChunker(**arguments)


@given(text=texts, max_size=st.integers(1, 40), most=st.integers(1, 4), overlap=st.integers(0, 3))
def test_chunks_of_a_few_sentences(measure, text: str, max_size: int, most: int, overlap: int) -> None:
    document, overlap = Document("d", text), min(overlap, most - 1)
    chunker = SentenceChunker(max_size, overlap, measure, max_sentences=most)
    chunks = check_document(chunker, document)
    check_overlap(document, chunks, overlap)
    sentences = split_sentences(text)
    for chunk in chunks:
        assert sum(s.start < chunk.end and chunk.start < s.end for s in sentences) <= most


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_sentence_is_one_chunk(language) -> None:
    for document in load_corpus(language):
        chunks = SentenceChunker(max_sentences=1).chunk(document)
        assert [chunk.span for chunk in chunks] == split_sentences(document.text)


def test_a_sentence_that_is_too_long_is_packed_from_its_clauses() -> None:
    document = Document("d", "Yes. When it rains, it pours, and it never stops. No.")
    chunks = SentenceChunker(max_size=30, measure=len, max_sentences=1).chunk(document)
    assert [chunk.text for chunk in chunks] == ["Yes.", "When it rains, it pours,", "and it never stops.", "No."]


def test_sentences_are_packed_as_long_as_they_fit() -> None:
    document = Document("d", "One two. Three four. Five six. Seven.")
    chunks = SentenceChunker(max_size=20, measure=len).chunk(document)
    assert [chunk.text for chunk in chunks] == ["One two. Three four.", "Five six. Seven."]


def test_whole_sentences_are_repeated_while_the_next_one_fits() -> None:
    document = Document("d", "One two. Three four. Five six. Seven eight nine ten.")
    chunks = SentenceChunker(max_size=22, overlap_sentences=1, measure=len).chunk(document)
    assert [chunk.text for chunk in chunks] == [
        "One two. Three four.",
        "Three four. Five six.",
        "Seven eight nine ten.",
    ]


def test_a_sentence_that_is_too_long_is_cut_at_clauses_then_words() -> None:
    document = Document("d", "When it rains, it pours and it never stops; so they say. Yes.")
    chunks = SentenceChunker(max_size=18, measure=len).chunk(document)
    assert [chunk.text for chunk in chunks] == [
        "When it rains,",
        "it pours and it",
        "never stops;",
        "so they say. Yes.",
    ]


def test_units_are_sentences_and_pieces_of_long_ones() -> None:
    text = "Short one. " + "word, " * 30 + "end. Short two."
    ruler = make_ruler(text, len)
    units = sentence_units(text, Document("d", text).span, ruler, 50)
    assert all(ruler.size(*unit) <= 50 for unit in units)
    assert [text[s:e] for s, e in (units[0], units[-1])] == ["Short one.", "Short two."]
    assert 5 <= len(units) <= 7


def test_defect_2_a_closing_quote_opens_no_chunk_and_latin_stops_count() -> None:
    text = "他说：“今天下雨了。”然后走了。Dr. Smith paid $3.5 million. It was fine!"
    chunks = SentenceChunker(max_size=31, measure=len).chunk(Document("d", text))
    assert [chunk.text for chunk in chunks] == [
        "他说：“今天下雨了。”然后走了。",
        "Dr. Smith paid $3.5 million.",
        "It was fine!",
    ]


def test_defect_3_overlap_starts_with_a_sentence_and_long_sentences_are_cut() -> None:
    text = "第一句话在这里。第二句话也在这里。" + "很长的一句，" * 250 + "完。最后一句。"
    document = Document("d", text)
    chunks = SentenceChunker(max_size=600, overlap_sentences=1, measure=len).chunk(document)
    assert max(len(chunk.text) for chunk in chunks) <= 600
    check_overlap(document, chunks, 1)
    chunks = SentenceChunker(max_size=20, overlap_sentences=1, measure=len).chunk(Document("d", text[:17] + "第三句。"))
    assert [chunk.text for chunk in chunks] == ["第一句话在这里。第二句话也在这里。", "第二句话也在这里。第三句。"]


@pytest.mark.parametrize("piece", ["a", "中", "x\u0301", "a, ", "中。"])
def test_a_long_text(piece: str) -> None:
    size = 2_000_000 if piece == "a" else 300_000
    document = Document("d", piece * (size // len(piece.encode())))
    started = time.process_time()
    chunks = SentenceChunker(200, 1).chunk(document)
    assert time.process_time() - started < size / 50_000
    check_texts(Cut(SentenceChunker(200, 1), document, None, chunks))
    check_cover(Cut(SentenceChunker(200, 1), document, None, chunks))
    assert max(count_tokens(chunk.text) for chunk in chunks) <= 200
