"""Exercise 04.3, what ten million chunks cost."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Plan = tuple[int, float, float, float]


def plan(
    documents: int, length: int, size: int, overlap: int, dim: int, dollars: float
) -> tuple[int, float, float, float]:
    """Chunks, dollars for embedding them, gigabytes of vectors, gigabytes of vectors and text together."""
    windows = 1 + max(0, -(-(length - size) // (size - overlap)))  # of one document
    chunks = documents * windows
    tokens = documents * (length + (windows - 1) * overlap)  # each window after the first repeats `overlap`
    vectors = chunks * dim * 4 / 1e9
    return chunks, tokens / 1e6 * dollars, vectors, vectors + tokens * 4 / 1e9


def _window_by_window(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    """Oracle: slide the window over one document and add up what each one holds; then exact fractions."""
    start, sizes = 0, list[int]()
    while not sizes or start + overlap < length:
        sizes.append(min(size, length - start))
        start += size - overlap
    chunks, tokens = documents * len(sizes), documents * sum(sizes)
    vectors, texts = Fraction(4 * dim * chunks, 10**9), Fraction(4 * tokens, 10**9)
    return chunks, float(Fraction(tokens, 10**6) * Fraction(dollars)), float(vectors), float(vectors + texts)


def _cases(rng: Random) -> Iterator[tuple[int, int, int, int, int, float]]:
    yield 1_000, 2_000, 200, 0, 1_000, 0.02
    yield 1_000_000, 2_000, 200, 0, 1_024, 0.02
    yield 1_000_000, 2_000, 200, 40, 1_024, 0.02
    yield 1_000_000, 2_000, 800, 0, 1_024, 0.02
    yield 1_000_000, 2_050, 200, 0, 384, 0.1
    yield 1_000_000, 150, 200, 40, 1_024, 0.02
    yield 5_000, 200, 200, 100, 384, 0.13
    yield 1_000_000_000, 12, 5, 2, 384, 0.02
    for _ in range(30):
        size = rng.randrange(20, 1_000)
        yield (
            1_000 * rng.randrange(1, 2_000),
            rng.randrange(10, 9_000),
            size,
            rng.randrange(size // 2),
            rng.choice((384, 768, 1_024, 3_072)),
            rng.choice((0.01, 0.02, 0.1, 0.13)),
        )


def _summed(chunks: int, tokens: int, dim: int, dollars: float) -> Plan:
    vectors = chunks * dim * 4 / 1e9
    return chunks, tokens / 1e6 * dollars, vectors, vectors + tokens * 4 / 1e9


def _windows(length: int, size: int, overlap: int) -> int:
    return 1 + max(0, -(-(length - size) // (size - overlap)))


def _one_long_text(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks = _windows(documents * length, size, overlap)
    return _summed(chunks, documents * length + (chunks - 1) * overlap, dim, dollars)


def _overlap_is_free(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    return _summed(documents * _windows(length, size, overlap), documents * length, dim, dollars)


def _a_start_for_each_step(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    windows = -(-length // (size - overlap))
    return _summed(documents * windows, documents * (length + (windows - 1) * overlap), dim, dollars)


def _all_windows_full(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks = documents * _windows(length, size, overlap)
    return _summed(chunks, chunks * size, dim, dollars)


def _every_start_full(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks = documents * -(-length // (size - overlap))
    return _summed(chunks, chunks * size, dim, dollars)


def _last_one_forgotten(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    windows = 1 + max(0, (length - size) // (size - overlap))
    return _summed(documents * windows, documents * (length + (windows - 1) * overlap), dim, dollars)


def _one_byte_a_number(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks, cost, vectors, both = plan(documents, length, size, overlap, dim, dollars)
    return chunks, cost, vectors / 4, both - vectors * 3 / 4


def _text_alone(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks, cost, vectors, both = plan(documents, length, size, overlap, dim, dollars)
    return chunks, cost, vectors, both - vectors


def _dollars_a_token(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks, cost, vectors, both = plan(documents, length, size, overlap, dim, dollars)
    return chunks, cost * 1e6, vectors, both


def _by_the_formula(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks = documents * _windows(length, size, overlap)
    return _summed(chunks, round(documents * length / (1 - overlap / size)), dim, dollars)


def _gibibytes(documents: int, length: int, size: int, overlap: int, dim: int, dollars: float) -> Plan:
    chunks, cost, vectors, both = plan(documents, length, size, overlap, dim, dollars)
    return chunks, cost, vectors * 1e9 / 1024**3, both * 1e9 / 1024**3


PLANNING = Exercise(
    id="04.3",
    title="Ten million chunks",
    solution=plan,
    oracle=_window_by_window,
    cases=_cases,
    hints=(
        "Start with one document: exercise 04.2 says how many windows it has. Then multiply.",
        "Each window after the first repeats `overlap` tokens, so a document of n windows has length + (n - 1) · "
        "overlap tokens to embed and to store.",
        "Vectors: chunks · dim · 4 bytes. Text: tokens · 4 bytes. Divide both by 10**9. Money: tokens / 10**6 · "
        "dollars.",
    ),
    mistakes=(
        Mistake(
            _one_long_text,
            "This cuts all documents as one long text. A window never reaches into the next document, so each "
            "document rounds up by itself.",
        ),
        Mistake(
            _overlap_is_free,
            "What is repeated is embedded and stored again, so it belongs to the tokens: `overlap` for each window "
            "after the first.",
        ),
        Mistake(
            _a_start_for_each_step,
            "This counts a window for each start. Starts in the last `overlap` tokens only repeat the end.",
        ),
        Mistake(
            _every_start_full,
            "Length divided by the step counts a window that lies inside the one before it, and not every window is "
            "full: the last one of a document is shorter.",
        ),
        Mistake(
            _last_one_forgotten,
            "What is left at the end of each document needs a window too, even if it doesn't fill it: round up.",
        ),
        Mistake(
            _all_windows_full,
            "The last window of a document is shorter than `size`. Count what it really holds.",
        ),
        Mistake(
            _by_the_formula,
            "Length / (1 - share) is right only for endless texts. In a document of n windows `overlap` is repeated "
            "n - 1 times, and the last window is short.",
        ),
        Mistake(_gibibytes, "1024**3 bytes are a gibibyte (GiB). A gigabyte is 10**9 bytes."),
        Mistake(_one_byte_a_number, "A number of a vector has 4 bytes here, as 32-bit floats have."),
        Mistake(_text_alone, "The last number is vectors and text together: both have to be stored."),
        Mistake(_dollars_a_token, "`dollars` is the price of a million tokens, not of one."),
    ),
)
