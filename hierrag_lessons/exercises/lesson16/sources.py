"""Exercise 16.2, the spans that a summary stands for."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span
from hierrag_lessons.spans import merge

Members = dict[str, list[str]]
Chunks = dict[str, Span]


def sources(name: str, members: dict[str, list[str]], chunks: dict[str, Span]) -> list[Span]:
    """The union of the spans of all chunks below a node; of a chunk, its own span."""
    if name in chunks:
        return [chunks[name]]
    return merge(span for member in members[name] for span in sources(member, members, chunks))


def _every_character(name: str, members: Members, chunks: Chunks) -> list[Span]:
    """Oracle: write down each character of each chunk that can be reached, then read off the runs."""
    reached, waiting = set(), [name]
    while waiting:
        node = waiting.pop()
        waiting += members.get(node, [])
        if node in chunks:
            reached |= set(range(*chunks[node]))
    starts = sorted(place for place in reached if place - 1 not in reached)
    ends = sorted(place + 1 for place in reached if place + 1 not in reached)
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]


def _cases(rng: Random) -> Iterator[tuple[str, Members, Chunks]]:
    yield ("a", {}, {"a": Span(0, 5)})
    yield ("s", {"s": ["a", "b"]}, {"a": Span(0, 5), "b": Span(9, 12)})
    yield ("s", {"s": ["b", "a"]}, {"a": Span(0, 5), "b": Span(5, 12)})
    yield ("s", {"s": ["a", "b"]}, {"a": Span(0, 8), "b": Span(5, 12)})
    yield (
        "t",
        {"t": ["s", "u"], "s": ["a", "b"], "u": ["b", "c"]},
        {"a": Span(0, 3), "b": Span(6, 9), "c": Span(12, 15)},
    )
    yield ("s", {"t": ["s", "u"], "s": ["a"], "u": ["b"]}, {"a": Span(0, 3), "b": Span(3, 9)})
    for _ in range(30):
        n = rng.randrange(2, 7)
        starts = [rng.randrange(30) for _ in range(n)]
        chunks = {f"c{i}": Span(start, start + rng.randrange(1, 6)) for i, start in enumerate(starts)}
        members, below = {}, list(chunks)
        for level in range(rng.randrange(1, 4)):
            names = [f"s{level}{i}" for i in range(max(1, len(below) // 2))]
            for i, summary in enumerate(names):
                own = below[i :: len(names)]
                members[summary] = own + rng.sample(below, 1) * (rng.random() < 0.4)
                members[summary] = list(dict.fromkeys(members[summary]))
            below = names
        yield (rng.choice([*chunks, *members]), members, chunks)


def _hull(name: str, members: Members, chunks: Chunks) -> list[Span]:
    found = sources(name, members, chunks)
    return [Span(found[0].start, found[-1].end)]


def _direct_members(name: str, members: Members, chunks: Chunks) -> list[Span]:
    if name in chunks:
        return [chunks[name]]
    return merge(chunks[member] for member in members[name] if member in chunks)


def _listed(name: str, members: Members, chunks: Chunks) -> list[Span]:
    if name in chunks:
        return [chunks[name]]
    return sorted(span for member in members[name] for span in _listed(member, members, chunks))


def _distinct(name: str, members: Members, chunks: Chunks) -> list[Span]:
    return sorted(set(_listed(name, members, chunks)))


def _all_chunks(name: str, members: Members, chunks: Chunks) -> list[Span]:
    return [chunks[name]] if name in chunks else merge(chunks.values())


def _first_member_only(name: str, members: Members, chunks: Chunks) -> list[Span]:
    return [chunks[name]] if name in chunks else _first_member_only(members[name][0], members, chunks)


SOURCES = Exercise(
    id="16.2",
    title="What a summary stands for",
    solution=sources,
    oracle=_every_character,
    cases=_cases,
    hints=(
        "A chunk stands for its own span. That is where a recursion ends.",
        "A summary stands for what its members stand for, whatever level they are on.",
        "spans.merge makes the union: sorted, disjoint, nothing twice.",
    ),
    mistakes=(
        Mistake(_hull, "From the first start to the last end lies text that no chunk below this summary holds."),
        Mistake(_direct_members, "The members of a summary can be summaries themselves: go down to the chunks."),
        Mistake(
            _distinct,
            "Every chunk is there once, but chunks that touch or overlap are not joined: give their union.",
        ),
        Mistake(
            _listed,
            "A chunk that two summaries share is reached on two ways, and must be there once; and spans that touch or "
            "overlap are one.",
        ),
        Mistake(_all_chunks, "This is the whole document. A summary stands only for the chunks below it."),
        Mistake(_first_member_only, "A summary has several members, and stands for what all of them stand for."),
    ),
)
