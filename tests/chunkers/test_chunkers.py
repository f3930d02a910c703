import inspect
import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import check_chunker, chunkers
from hierrag_lessons.chunkers import CHINESE, CODE, ENGLISH, MARKDOWN, FixedSizeChunker, RecursiveChunker
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import Cut, check_cover, check_document, check_texts
from hierrag_lessons.model import Document, Span
from hierrag_lessons.text import count_tokens
from tests.texts import HOSTILE, texts


def count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


MEASURES = {"tokens": count_tokens, "characters": len, "bytes": count_bytes}
SEPARATORS = {
    "english": ENGLISH,
    "chinese": CHINESE,
    "markdown": MARKDOWN,
    "code": CODE,
    "own": (r"(?i)item \d+\.", r"\r", "o", ""),
}
CHUNKERS = {
    "fixed": FixedSizeChunker,
    **{f"recursive {name}": lambda s=s, **kw: RecursiveChunker(separators=s, **kw) for name, s in SEPARATORS.items()},
}

sizes = st.tuples(st.integers(1, 40), st.integers(0, 39)).filter(lambda pair: pair[1] < pair[0])


@pytest.fixture(params=CHUNKERS.values(), ids=CHUNKERS, scope="module")
def make(request):
    return request.param


@pytest.fixture(params=MEASURES.values(), ids=MEASURES, scope="module")
def measure(request):
    return request.param


@pytest.mark.parametrize(("max_size", "overlap", "measure"), [(1, 0, len), (30, 9, count_tokens)])
def test_every_promise(make, max_size: int, overlap: int, measure) -> None:
    check_chunker(make(max_size=max_size, overlap=overlap, measure=measure))


@pytest.mark.parametrize("name", ["fixed", "recursive own"])
@pytest.mark.parametrize(("max_size", "overlap", "measure"), [(7, 3, count_bytes), (400, 40, count_tokens)])
def test_every_promise_in_other_sizes(name: str, max_size: int, overlap: int, measure) -> None:
    check_chunker(CHUNKERS[name](max_size=max_size, overlap=overlap, measure=measure))


@given(text=texts, sizes=sizes)
def test_guarantees_on_any_text(make, measure, text: str, sizes: tuple[int, int]) -> None:
    max_size, overlap = sizes
    document = Document("d", text)
    check_document(make(max_size=max_size, overlap=overlap, measure=measure), document)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("max_size", [1, 2, 7, 50])
def test_guarantees_on_hostile_text(make, measure, text: str, max_size: int) -> None:
    for overlap in {0, max_size // 3, max_size - 1}:
        document = Document("d", text)
        chunker = make(max_size=max_size, overlap=overlap, measure=measure)
        check_document(chunker, document)


@pytest.mark.parametrize(("max_size", "overlap"), [(200, 0), (200, 40), (24, 23)])
def test_guarantees_on_the_python_reference(make, reference, max_size: int, overlap: int) -> None:
    chunker = make(max_size=max_size, overlap=overlap)
    for document in reference[:: 4 if max_size > 100 else 12]:
        check_document(chunker, document)


@given(text=texts, sizes=sizes)
def test_nesting(make, text: str, sizes: tuple[int, int]) -> None:
    max_size, overlap = sizes
    coarse, fine = make(max_size=60, overlap=10), make(max_size=max_size, overlap=overlap)
    check_nesting(fine, Document("d", text), coarse)


@pytest.mark.parametrize("overlap", [0, 3])
def test_a_line_end_cut_in_two_by_the_part_to_cut_is_no_chunk(make, measure, overlap: int) -> None:
    document = Document("d", "line one\r\n\r\n" * 20)
    for end in range(1, len(document.text)):
        check_document(make(max_size=8, overlap=overlap, measure=measure), document, Span(0, end))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "max_size is 0"),
        ({"max_size": -5}, "max_size is -5"),
        ({"max_size": 10, "overlap": -1}, "overlap is -1"),
        ({"max_size": 10, "overlap": 10}, "overlap is 10 with max_size 10"),
        ({"max_size": 10, "overlap": 11}, "overlap is 11 with max_size 10"),
    ],
)
def test_impossible_sizes_are_refused_when_made(make, arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


def test_bad_separators_are_refused_when_made() -> None:
    with pytest.raises(ValueError, match=r"separator '\(' is not a regular expression"):
        RecursiveChunker(separators=("\n", "("))
    with pytest.raises(ValueError, match=r"separators is '\\n\\n'; give a list of texts"):
        RecursiveChunker(separators="\n\n")


def test_fixed_chunks_are_as_long_as_the_limit_allows(reference) -> None:
    document = max(reference, key=lambda d: len(d.text))
    chunks = FixedSizeChunker(max_size=200).chunk(document)
    sizes = [count_tokens(chunk.text) for chunk in chunks[:-1]]
    assert min(sizes) >= 197  # A cut moves back by a token or two, from inside a character, at the most.
    joined = "".join(chunk.text for chunk in chunks)
    assert "".join(joined.split()) == "".join(document.text.split())


def test_overlap_is_there_where_words_are_short(make, reference) -> None:
    document = reference[0]
    chunks = make(max_size=100, overlap=30).chunk(document)
    overlapping = [b.start < a.end for a, b in pairwise(chunks)]
    assert sum(overlapping) >= 0.8 * len(overlapping)


def test_repeated_lines_keep_exact_offsets() -> None:
    # LangChain and LlamaIndex look pieces up with str.find, which finds the first of equal lines every time.
    line = "The same line again.\n"
    document = Document("d", line * 50)
    chunks = RecursiveChunker(max_size=len(line) * 2, measure=len).chunk(document)
    assert [chunk.start for chunk in chunks] == [i * 2 * len(line) for i in range(25)]


def test_recursive_prefers_coarse_separators() -> None:
    text = "Alpha one. Alpha two.\n\nBeta one. Beta two.\n\nGamma."
    chunks = RecursiveChunker(max_size=22, measure=len).chunk(Document("d", text))
    assert [chunk.text for chunk in chunks] == ["Alpha one. Alpha two.", "Beta one. Beta two.", "Gamma."]
    chunks = RecursiveChunker(max_size=12, measure=len).chunk(Document("d", text))
    assert [chunk.text for chunk in chunks] == ["Alpha one.", "Alpha two.", "Beta one.", "Beta two.", "Gamma."]


def test_chinese_sentences_keep_their_closing_quote() -> None:
    text = "他说：“今天下雨了。”然后走了。明天呢？再说！"
    chunks = RecursiveChunker(max_size=11, measure=len, separators=CHINESE).chunk(Document("d", text))
    assert [chunk.text for chunk in chunks] == ["他说：“今天下雨了。”", "然后走了。明天呢？", "再说！"]


def test_markdown_cuts_before_headings() -> None:
    text = "# A\n\nText of A.\n\n## A1\n\nText of A1.\n\n# B\n\nText of B.\n"
    chunks = RecursiveChunker(max_size=32, measure=len, separators=MARKDOWN).chunk(Document("d", text, "markdown"))
    assert [chunk.text for chunk in chunks] == ["# A\n\nText of A.", "## A1\n\nText of A1.", "# B\n\nText of B."]


@given(text=texts)
def test_the_marks_of_both_languages_are_those_of_each(text: str) -> None:
    for both, english, chinese in zip(MARKDOWN[8:10], ENGLISH[2:4], CHINESE[2:4], strict=True):
        either = [match.span() for match in re.finditer(f"(?:{english})|(?:{chinese})", text)]
        assert [match.span() for match in re.finditer(both, text)] == either


def test_code_is_cut_before_definitions_and_their_decorators() -> None:
    first = "import re\n\nLIMIT = 3\n"
    second = "@cache\n@traced\ndef one():\n    value = 1\n\n    return value\n"
    third = "class Two:\n    x = 1\n\n    def method(self):\n        return 2\n"
    chunks = RecursiveChunker(60, measure=len, separators=CODE).chunk(Document("d", f"{first}\n{second}\n{third}"))
    assert [chunk.text for chunk in chunks] == [
        first.strip(),
        second.strip(),
        third.strip()[:24].strip(),
        "def method(self):\n        return 2",
    ]


@pytest.mark.parametrize("piece", ["\n", " ", "\r\n", "\n ", ".", "!", '."', "。”", "@x\n", "def f(): pass\n", "word "])
def test_time_grows_with_the_text_only(piece: str) -> None:
    # The same again and again is where backtracking patterns and repeated scans become quadratic: thirty times the
    # text would take nine hundred times as long.
    seconds = []
    for characters in (10_000, 300_000):
        document = Document("d", piece * (characters // len(piece)) + "x")
        started = time.process_time()
        for separators in (MARKDOWN, CODE):
            RecursiveChunker(200, 20, len, separators).chunk(document)
            RecursiveChunker(200, 20, separators=separators).chunk(document)
        seconds.append(time.process_time() - started)
    assert seconds[1] < 150 * seconds[0] + 2


@pytest.mark.parametrize("chunker", [FixedSizeChunker(200, 20), RecursiveChunker(200, 20)], ids=["fixed", "recursive"])
@pytest.mark.parametrize("piece", ["a", "中", "<|endoftext|>", "x\u0301", "🇩🇪"])
def test_a_long_text_without_a_space(chunker, piece: str) -> None:
    size = 2_000_000 if piece == "a" else 300_000
    document = Document("d", piece * (size // len(piece.encode())))
    started = time.process_time()
    chunks = chunker.chunk(document)
    # With two megabytes peers need minutes or never return; ours needs about a second.
    assert time.process_time() - started < size / 100_000
    check_texts(Cut(chunker, document, None, chunks))
    check_cover(Cut(chunker, document, None, chunks))
    assert max(count_tokens(chunk.text) for chunk in chunks) <= 200


def test_within_keeps_absolute_offsets() -> None:
    document = Document("d", "0123456789" * 10)
    chunks = FixedSizeChunker(max_size=4, measure=len).chunk(document, within=Span(13, 20))
    assert [chunk.span for chunk in chunks] == [(13, 17), (17, 20)]


CLASSES = [getattr(chunkers, name) for name in chunkers.__all__ if name.endswith("Chunker")]
NUMBERS = [
    (make, name)
    for make in CLASSES
    for name, parameter in inspect.signature(make).parameters.items()
    if type(parameter.default) is int
]


@pytest.mark.parametrize("value", [None, "7", 1.5, float("nan"), float("inf")])
@pytest.mark.parametrize(("make", "name"), NUMBERS, ids=lambda value: getattr(value, "__name__", value))
def test_counts_are_whole_numbers(make, name, value):
    with pytest.raises(ValueError, match=rf"{name} is '?{value}'?; give a whole number"):
        make(**{name: value})
