"""Exercise 12.3, where running text needs a finer method."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake


def long_runs(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    """Half-open ranges of neighbouring blocks that are one heading's running text and together above ``limit``."""
    runs: list[tuple[int, int]] = []
    start = 0
    for i in range(len(blocks) + 1):
        kind = blocks[i][0] if i < len(blocks) else "end"
        if kind == "paragraph":
            continue
        first = start + (start < i and blocks[start][0] not in ("heading", "paragraph"))
        run = blocks[first:i]
        if any(block == "paragraph" for block, _ in run) and sum(size for _, size in run) > limit:
            runs.append((first, i))
        start = i
    return runs


def _try_all_ranges(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    """Oracle: every range that is a heading or nothing, then paragraphs; of those the ones that can't be extended."""

    def is_run(first: int, last: int) -> bool:
        kinds = [kind for kind, _ in blocks[first:last]]
        paragraphs = kinds[1:] if kinds[0] == "heading" else kinds
        return bool(paragraphs) and set(paragraphs) == {"paragraph"}

    n = len(blocks)
    runs = [(a, b) for a in range(n) for b in range(a + 1, n + 1) if is_run(a, b)]
    longest = [r for r in runs if not any(o != r and o[0] <= r[0] and r[1] <= o[1] for o in runs)]
    return sorted(r for r in longest if sum(size for _, size in blocks[slice(*r)]) > limit)


def _cases(rng: Random) -> Iterator[tuple[list[tuple[str, int]], int]]:
    p, h, t, c = "paragraph", "heading", "table", "code"
    yield ([], 10)
    yield ([(p, 6), (p, 6)], 10)
    yield ([(h, 1), (p, 6), (p, 6)], 12)
    yield ([(h, 1), (p, 5), (p, 5)], 10)
    yield ([(p, 5), (p, 5)], 10)
    yield ([(p, 6), (t, 9), (p, 6)], 10)
    yield ([(p, 6), (h, 1), (p, 6)], 10)
    yield ([(h, 1), (t, 20)], 10)
    yield ([(h, 1), (h, 1), (p, 20)], 10)
    yield ([(c, 30), (p, 20), (h, 1), (p, 4)], 10)
    yield ([(h, 20)], 10)
    for _ in range(40):
        blocks = [(rng.choice([p, p, p, h, t, c]), rng.randrange(1, 9)) for _ in range(rng.randrange(8))]
        yield (blocks, rng.randrange(4, 14))


def _over_everything(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    runs = [(i, i + 1) for i, (kind, _) in enumerate(blocks) if kind in ("paragraph", "heading")]
    joined: list[tuple[int, int]] = []
    for run in runs:
        if joined and joined[-1][1] == run[0]:
            joined[-1] = (joined[-1][0], run[1])
        else:
            joined.append(run)
    has_text = [r for r in joined if any(kind == "paragraph" for kind, _ in blocks[slice(*r)])]
    return [r for r in has_text if sum(size for _, size in blocks[slice(*r)]) > limit]


def _single_paragraphs(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    return [(i, i + 1) for i, (kind, size) in enumerate(blocks) if kind == "paragraph" and size > limit]


def _without_heading(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    return long_runs([block if block[0] == "paragraph" else ("table", 1) for block in blocks], limit)


def _at_the_limit(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    return long_runs(blocks, limit - 1)


def _through_tables(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    return long_runs([(kind if kind == "heading" else "paragraph", size) for kind, size in blocks], limit)


def _heading_alone(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    alone = [
        (i, i + 1)
        for i, (kind, size) in enumerate(blocks)
        if kind == "heading" and size > limit and [after for after, _ in blocks[i + 1 : i + 2]] != ["paragraph"]
    ]
    return sorted([*long_runs(blocks, limit), *alone])


def _last_run_forgotten(blocks: list[tuple[str, int]], limit: int) -> list[tuple[int, int]]:
    return [run for run in long_runs(blocks, limit) if run[1] < len(blocks)]


RUNNING_TEXT = Exercise(
    id="12.3",
    title="Running text that is too long",
    solution=long_runs,
    oracle=_try_all_ranges,
    cases=_cases,
    hints=(
        "Go through the blocks and ask of each whether it continues a run, begins one, or ends one.",
        "A heading ends the run before it and begins the next one. A table or code ends a run and begins none.",
        "Don't forget the run that the document ends with, and that a heading alone is not running text.",
    ),
    mistakes=(
        Mistake(_over_everything, "A heading begins a new run: the text before it stands under another heading."),
        Mistake(
            _single_paragraphs,
            "Several paragraphs that fit one by one can still be too long together: measure the run.",
        ),
        Mistake(_without_heading, "The heading belongs to its text. Cut off, it would be a tiny chunk of its own."),
        Mistake(_at_the_limit, "A run of exactly `limit` still fits into a chunk."),
        Mistake(
            _through_tables,
            "A table or code is no running text. Cut by sentences or meaning, it would be torn: it ends the run.",
        ),
        Mistake(_heading_alone, "A heading without a paragraph below it is no running text, however long it is."),
        Mistake(
            _last_run_forgotten, "The run that the document ends with is missing: nothing comes after it to end it."
        ),
    ),
)
