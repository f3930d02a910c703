"""Exercise 07.4, a table in several chunks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def divide_rows(header: int, rows: list[int], limit: int) -> list[Span]:
    """Chunks of a table as spans of row numbers; the sizes of header and rows add up to at most ``limit``."""
    chunks, start, size = [], 0, header
    for number, row in enumerate(rows):
        if number > start and size + row > limit:
            chunks.append(Span(start, number))
            start, size = number, header
        size += row
    if start < len(rows):
        chunks.append(Span(start, len(rows)))
    return chunks


def _try_every_end(header: int, rows: list[int], limit: int) -> list[Span]:
    """Oracle: from each start take the furthest end that fits, adding everything up anew."""
    chunks, start = [], 0
    while start < len(rows):
        ends = [end for end in range(start + 2, len(rows) + 1) if header + sum(rows[start:end]) <= limit]
        chunks.append(Span(start, max(ends, default=start + 1)))
        start = chunks[-1].end
    return chunks


def _tables(rng: Random) -> Iterator[tuple[int, list[int], int]]:
    yield (3, [], 10)
    yield (3, [4], 10)
    yield (3, [4, 3], 10)
    yield (3, [4, 4], 10)
    yield (3, [3, 3, 3, 3, 3, 3], 10)
    yield (3, [20, 2, 2], 10)
    yield (3, [2, 20, 2], 10)
    yield (12, [2, 2], 10)
    for _ in range(40):
        yield (rng.randrange(1, 6), [rng.randrange(1, 9) for _ in range(rng.randrange(1, 9))], rng.randrange(6, 20))


def _header_once(header: int, rows: list[int], limit: int) -> list[Span]:
    chunks, start, size = [], 0, header
    for number, row in enumerate(rows):
        if number > start and size + row > limit:
            chunks.append(Span(start, number))
            start, size = number, 0
        size += row
    return [*chunks, Span(start, len(rows))] if rows else []


def _header_never(header: int, rows: list[int], limit: int) -> list[Span]:
    return divide_rows(0, rows, limit)


def _empty_chunks(header: int, rows: list[int], limit: int) -> list[Span]:
    chunks, start, size = [], 0, header
    for number, row in enumerate(rows):
        if size + row > limit:
            chunks.append(Span(start, number))
            start, size = number, header
        size += row
    return [*chunks, Span(start, len(rows))] if rows else []


def _below_the_limit(header: int, rows: list[int], limit: int) -> list[Span]:
    return divide_rows(header, rows, limit - 1)


def _last_one_lost(header: int, rows: list[int], limit: int) -> list[Span]:
    return divide_rows(header, rows, limit)[:-1]


def _last_row_as_the_end(header: int, rows: list[int], limit: int) -> list[Span]:
    return [Span(chunk.start, chunk.end - 1) for chunk in divide_rows(header, rows, limit)]


def _large_rows_dropped(header: int, rows: list[int], limit: int) -> list[Span]:
    return [c for c in divide_rows(header, rows, limit) if header + sum(rows[c.start : c.end]) <= limit]


def _from_the_bottom(header: int, rows: list[int], limit: int) -> list[Span]:
    count = len(rows)
    return [Span(count - c.end, count - c.start) for c in reversed(divide_rows(header, rows[::-1], limit))]


TABLE_ROWS = Exercise(
    id="07.4",
    title="A table in several chunks",
    solution=divide_rows,
    oracle=_try_every_end,
    cases=_tables,
    hints=(
        "Go through the rows and keep the size of the chunk that is open. What is its size before the first row?",
        "A row that does not fit closes the open chunk, unless that chunk is still without a row.",
        "Every chunk starts at the header's size. After the loop one chunk is still open, if there were rows at all.",
    ),
    mistakes=(
        Mistake(
            _header_once,
            "The header is counted in the first chunk only. It is repeated in front of every chunk, and the embedder "
            "reads it each time.",
        ),
        Mistake(
            _header_never, "The header is not counted at all, so chunks are larger than the limit once it is added."
        ),
        Mistake(
            _empty_chunks,
            "A row that is too large even alone makes a chunk without rows before it. Close a chunk only when it has a "
            "row.",
        ),
        Mistake(_below_the_limit, "A chunk may be exactly as large as the limit: at most, not less than."),
        Mistake(_last_one_lost, "The last chunk is missing: after the last row nothing closes it. Add it at the end."),
        Mistake(
            _last_row_as_the_end,
            "The end of a span is the number of the row after its last one. The rows 0 and 1 are `Span(0, 2)`.",
        ),
        Mistake(
            _large_rows_dropped,
            "A row that is too large with the header is in no chunk. Nobody will ever find it: make it a chunk alone.",
        ),
        Mistake(
            _from_the_bottom,
            "The rows are packed from the bottom, so the first chunk gets what is left over. Start at the top.",
        ),
    ),
)
