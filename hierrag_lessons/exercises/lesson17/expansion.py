"""Exercise 17.2, the bug in a published parent expansion."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Hits = list[tuple[str, float]]
Parents = dict[str, str]


def expand_hits(hits: list[tuple[str, float]], parent: dict[str, str]) -> list[tuple[str, float]]:
    """Propositions (L3) as their chunks, chunks (L2) as their sections, the rest as it is; each once, best first."""
    best: dict[str, float] = {}
    for name, score in hits:
        place = parent[name] if name.startswith(("L3", "L2")) else name
        best[place] = max(score, best.get(place, score))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))


def _published(hits: Hits, parent: Parents) -> Hits:
    """The code that is handed out."""
    expanded: list[tuple[str, float]] = []
    for name, score in hits:
        if name.startswith(("L3", "L2")):  # a proposition: its chunk; a chunk: its section
            place = parent[name]
        expanded.append((place, score))
    return expanded


def _by_place(hits: Hits, parent: Parents) -> Hits:
    """Oracle: first all places that are named, then for each place the scores of the hits that lead to it."""
    leads = [(name if name[:2] in ("L0", "L1") else parent[name], score) for name, score in hits]
    scored = [(place, max(score for other, score in leads if other == place)) for place in {p for p, _ in leads}]
    scored.sort(key=lambda item: item[0])
    scored.sort(key=lambda item: item[1], reverse=True)
    return scored


def _cases(rng: Random) -> Iterator[tuple[Hits, Parents]]:
    parent = {"L3-a": "L2-a", "L3-b": "L2-a", "L3-c": "L2-b", "L2-a": "L1-a", "L2-b": "L1-a", "L2-c": "L1-b"}
    yield ([], parent)
    yield ([("L3-a", 0.9)], parent)
    yield ([("L3-a", 0.9), ("L1-b", 0.5)], parent)
    yield ([("L1-b", 0.9)], parent)
    yield ([("L0-x", 0.9), ("L3-c", 0.4)], parent)
    yield ([("L3-a", 0.9), ("L3-b", 0.8)], parent)
    yield ([("L3-a", 0.9), ("L3-c", 0.8), ("L3-b", 0.7)], parent)
    yield ([("L2-c", 0.2), ("L3-a", 0.9)], parent)
    yield ([("L2-a", 0.5), ("L2-c", 0.5)], parent)
    yield ([("L2-b", 0.6), ("L3-c", 0.6), ("L1-a", 0.7)], parent)
    yield ([("L3-a", -0.2), ("L2-c", -0.1)], parent)
    for _ in range(40):
        names = rng.sample(["L0-x", "L1-a", "L1-b", *parent], rng.randrange(1, 7))
        yield ([(name, rng.randrange(-2, 10) / 10) for name in names], parent)


def _twice(hits: Hits, parent: Parents) -> Hits:
    leads = [(parent[name] if name[:2] in ("L3", "L2") else name, score) for name, score in hits]
    return sorted(leads, key=lambda item: (-item[1], item[0]))


def _last_score(hits: Hits, parent: Parents) -> Hits:
    leads = {(parent[name] if name[:2] in ("L3", "L2") else name): score for name, score in hits}
    return sorted(leads.items(), key=lambda item: (-item[1], item[0]))


def _first_score(hits: Hits, parent: Parents) -> Hits:
    leads: dict[str, float] = {}
    for name, score in hits:
        leads.setdefault(parent[name] if name[:2] in ("L3", "L2") else name, score)
    return sorted(leads.items(), key=lambda item: (-item[1], item[0]))


def _summed(hits: Hits, parent: Parents) -> Hits:
    leads: dict[str, float] = {}
    for name, score in hits:
        place = parent[name] if name[:2] in ("L3", "L2") else name
        leads[place] = leads.get(place, 0.0) + score
    return sorted(leads.items(), key=lambda item: (-item[1], item[0]))


def _summaries_lost(hits: Hits, parent: Parents) -> Hits:
    return expand_hits([hit for hit in hits if hit[0] in parent], parent)


def _all_the_way(hits: Hits, parent: Parents) -> Hits:
    climbed: Hits = []
    for name, score in hits:
        while name in parent:
            name = parent[name]
        climbed.append((name, score))
    return expand_hits(climbed, parent)


def _in_order_of_the_hits(hits: Hits, parent: Parents) -> Hits:
    best: dict[str, float] = {}
    for name, score in hits:
        place = parent[name] if name[:2] in ("L3", "L2") else name
        best[place] = max(score, best.get(place, score))
    return list(best.items())


def _never_below_zero(hits: Hits, parent: Parents) -> Hits:
    best: dict[str, float] = {}
    for name, score in hits:
        place = parent[name] if name[:2] in ("L3", "L2") else name
        best[place] = max(score, best.get(place, 0.0))
    return sorted(best.items(), key=lambda item: (-item[1], item[0]))


EXPANSION = Exercise(
    id="17.2",
    title="Find the bug: parent expansion",
    solution=expand_hits,
    oracle=_by_place,
    cases=_cases,
    start=_published,
    hints=(
        "What is `place` when the hit is the summary of a section? And when the hit before it was a proposition?",
        "Two propositions of one chunk were found. How often should the chunk be handed over, and with which score?",
        "Keep the best score for each place in a dictionary, then sort by score from high to low, then by name.",
    ),
    mistakes=(
        Mistake(_twice, "Hits that lead to the same place return it more than once: the same text is paid for again."),
        Mistake(_last_score, "A place has the score of the last hit that leads to it, and not of the best."),
        Mistake(_first_score, "A place has the score of the first hit that leads to it. The hits need not be sorted."),
        Mistake(
            _summed,
            "The scores of the hits were added up. Then long chunks with many propositions win, whatever they say.",
        ),
        Mistake(_summaries_lost, "Hits on summaries (L1 and L0) are gone. They stay as they are."),
        Mistake(_all_the_way, "Propositions were expanded to the section. One step up is their chunk."),
        Mistake(_in_order_of_the_hits, "The places are right, but not sorted by score from high to low, then by name."),
        Mistake(_never_below_zero, "A cosine can be below 0. Start from the hit's own score, not from 0."),
    ),
)
