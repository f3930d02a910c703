"""Exercise 16.1, the bug in the soft memberships."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Probabilities = list[list[float]]


def soft_members(probabilities: list[list[float]], threshold: float) -> list[list[int]]:
    """For each cluster the chunks that belong to it: every chunk to at least one cluster."""
    clusters: list[list[int]] = [[] for _ in probabilities[0]] if probabilities else []
    for chunk, row in enumerate(probabilities):
        likeliest = row.index(max(row))
        for cluster, probability in enumerate(row):
            if probability >= threshold or cluster == likeliest:
                clusters[cluster].append(chunk)
    return clusters


def _published(probabilities: list[list[float]], threshold: float) -> list[list[int]]:
    """The code that is handed out."""
    clusters: list[list[int]] = [[] for _ in probabilities[0]] if probabilities else []
    for chunk, row in enumerate(probabilities):
        for cluster, probability in enumerate(row):
            if probability > threshold:
                clusters[cluster].append(chunk)
    return clusters


def _by_cluster(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    """Oracle: ask of each cluster and chunk whether the chunk is above the threshold, or has no better place."""
    n = len(probabilities)
    width = len(probabilities[0]) if n else 0
    return [
        [
            chunk
            for chunk in range(n)
            if not probabilities[chunk][cluster] < threshold
            or all(
                (probabilities[chunk][other], -other) <= (probabilities[chunk][cluster], -cluster)
                for other in range(width)
            )
        ]
        for cluster in range(width)
    ]


def _cases(rng: Random) -> Iterator[tuple[Probabilities, float]]:
    yield ([], 0.1)
    yield ([[1.0]], 0.1)
    yield ([[0.9, 0.1]], 0.1)
    yield ([[0.7, 0.3], [0.2, 0.8], [0.05, 0.95]], 0.1)
    yield ([[0.4, 0.35, 0.25]], 0.5)
    yield ([[0.5, 0.5]], 0.6)
    yield ([[0.3, 0.4, 0.3], [0.8, 0.1, 0.1]], 0.5)
    yield ([[0.1] * 10], 0.2)
    for _ in range(30):
        width = rng.randrange(1, 5)
        rows = []
        for _ in range(rng.randrange(1, 5)):
            cuts = sorted(rng.randrange(11) for _ in range(width - 1))
            rows.append([round((b - a) / 10, 1) for a, b in zip([0, *cuts], [*cuts, 10], strict=True)])
        yield (rows, rng.choice([0.1, 0.2, 0.5, 0.6, 0.9]))


def _at_least(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    width = len(probabilities[0]) if probabilities else 0
    return [[i for i, row in enumerate(probabilities) if row[c] >= threshold] for c in range(width)]


def _more_than(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    found = _published(probabilities, threshold)
    for chunk, row in enumerate(probabilities):
        home = found[row.index(max(row))]
        if chunk not in home:
            home.append(chunk)
            home.sort()
    return found


def _only_likeliest(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in probabilities[0]] if probabilities else []
    for chunk, row in enumerate(probabilities):
        found[row.index(max(row))].append(chunk)
    return found


def _likeliest_tied(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in probabilities[0]] if probabilities else []
    for chunk, row in enumerate(probabilities):
        for cluster, probability in enumerate(row):
            if probability >= threshold or probability == max(row):
                found[cluster].append(chunk)
    return found


def _last_of_equals(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in probabilities[0]] if probabilities else []
    for chunk, row in enumerate(probabilities):
        _, likeliest = max((probability, cluster) for cluster, probability in enumerate(row))
        for cluster, probability in enumerate(row):
            if probability >= threshold or cluster == likeliest:
                found[cluster].append(chunk)
    return found


def _homeless_everywhere(probabilities: Probabilities, threshold: float) -> list[list[int]]:
    found = _at_least(probabilities, threshold)
    for chunk, row in enumerate(probabilities):
        if max(row) < threshold:
            for members in found:
                members.append(chunk)
    return [sorted(members) for members in found]


BELONGING = Exercise(
    id="16.1",
    title="Find the bug: who belongs to which cluster",
    solution=soft_members,
    oracle=_by_cluster,
    cases=_cases,
    start=_published,
    hints=(
        "A mixture of twelve components can be so unsure of a chunk that each of them gets less than 0.1.",
        "Which clusters does such a chunk end up in, and which summary will ever mention it?",
        "Every chunk belongs to its likeliest cluster, whatever the threshold; and 'at least' includes equality.",
    ),
    mistakes=(
        Mistake(
            _at_least,
            "Equality is right now. But a chunk below the threshold everywhere is in no cluster: no summary is made of "
            "it, and a search from the roots down can never reach it.",
        ),
        Mistake(
            _more_than,
            "No chunk is lost now. But a probability of exactly `threshold` belongs as well: the rule says at least.",
        ),
        Mistake(
            _only_likeliest,
            "These are hard clusters: every chunk is in one. Soft ones keep every cluster that reaches the threshold.",
        ),
        Mistake(
            _likeliest_tied,
            "Where two clusters are equally likely and both below the threshold, the chunk goes to the first one only.",
        ),
        Mistake(
            _last_of_equals,
            "Of equally likely clusters, the last one was taken for a chunk below the threshold. Take the first.",
        ),
        Mistake(
            _homeless_everywhere,
            "A chunk that reaches the threshold nowhere goes to its likeliest cluster, not to all of them.",
        ),
    ),
)
