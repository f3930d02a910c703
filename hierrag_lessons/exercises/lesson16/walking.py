"""Exercise 16.3, from the roots down."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Scores = dict[str, float]
Members = dict[str, list[str]]


def walk(roots: list[str], members: dict[str, list[str]], scores: dict[str, float], width: int) -> list[str]:
    """Keep the best ``width`` nodes of a layer, go on to their members; the chunks reached, best first."""
    reached: list[str] = []
    layer = roots
    while layer:
        kept = sorted(layer, key=lambda name: (-scores[name], name))[:width]
        reached += [name for name in kept if name not in members]
        layer = list(dict.fromkeys(member for name in kept for member in members.get(name, [])))
    return sorted(set(reached), key=lambda name: (-scores[name], name))


def _rank_by_counting(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    """Oracle: a node is kept where fewer than ``width`` nodes of its layer are better; chunks then rank likewise."""

    def better(a: str, b: str) -> bool:
        return scores[a] > scores[b] or (scores[a] == scores[b] and a < b)

    chunks: set[str] = set()
    layer = set(roots)
    while layer:
        kept = {name for name in layer if sum(better(other, name) for other in layer) < width}
        chunks |= {name for name in kept if not members.get(name)}
        layer = {member for name in kept for member in members.get(name, ())}
    order = {sum(better(other, name) for other in chunks): name for name in chunks}
    return [order[place] for place in range(len(chunks))]


def _cases(rng: Random) -> Iterator[tuple[list[str], Members, Scores, int]]:
    yield ([], {}, {}, 2)
    yield (["a"], {}, {"a": 0.5}, 1)
    yield (["r"], {"r": ["a", "b"]}, {"r": 0.1, "a": 0.2, "b": 0.9}, 1)
    yield (["r"], {"r": ["a", "b", "c"]}, {"r": 0.1, "a": 0.2, "b": 0.9, "c": 0.2}, 2)
    yield (["r", "z"], {"r": ["a", "b"]}, {"r": 0.5, "z": 0.4, "a": 0.3, "b": 0.2}, 2)
    yield (["r", "q"], {"r": ["a", "b"], "q": ["c"]}, {"r": 0.5, "q": 0.4, "a": 0.1, "b": 0.2, "c": 0.9}, 1)
    yield (
        ["r"],
        {"r": ["s", "t"], "s": ["a", "b"], "t": ["b", "c"]},
        dict(zip("rstabc", [0.5, 0.4, 0.4, 0.1, 0.3, 0.2], strict=True)),
        2,
    )
    for _ in range(40):
        chunks = [f"c{i}" for i in range(rng.randrange(2, 8))]
        made: Members = {}
        below = list(chunks)
        for level in range(rng.randrange(1, 4)):
            names = [f"s{level}{i}" for i in range(max(1, len(below) // 2))]
            for i, summary in enumerate(names):
                made[summary] = list(
                    dict.fromkeys(below[i :: len(names)] + rng.sample(below, 1) * (rng.random() < 0.3))
                )
            below = names
        roots = below + ["z"] * (rng.random() < 0.4)
        scores = {name: rng.randrange(10) / 10 for name in [*chunks, *made, "z"]}
        yield (roots, made, scores, rng.randrange(1, 4))


def _only_the_last_layer(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    kept: list[str] = []
    layer = roots
    while layer:
        kept = sorted(layer, key=lambda name: (-scores[name], name))[:width]
        layer = list(dict.fromkeys(member for name in kept for member in members.get(name, [])))
    return [name for name in kept if name not in members]


def _width_of_each_node(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    def best(layer: list[str]) -> list[str]:
        return sorted(layer, key=lambda name: (-scores[name], name))[:width]

    reached, kept = set[str](), best(roots)
    while kept:
        reached |= {name for name in kept if name not in members}
        kept = list(dict.fromkeys(member for name in kept for member in best(members.get(name, []))))
    return sorted(reached, key=lambda name: (-scores[name], name))


def _twice(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    reached: list[str] = []
    layer = roots
    while layer:
        kept = sorted(layer, key=lambda name: (-scores[name], name))[:width]
        reached += [name for name in kept if name not in members]
        layer = [member for name in kept for member in members.get(name, [])]
    return sorted(reached, key=lambda name: (-scores[name], name))


def _twice_on_the_way(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    return list(dict.fromkeys(_twice(roots, members, scores, width)))


def _unsorted(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    reached: list[str] = []
    layer = roots
    while layer:
        kept = sorted(layer, key=lambda name: (-scores[name], name))[:width]
        reached += [name for name in kept if name not in members and name not in reached]
        layer = list(dict.fromkeys(member for name in kept for member in members.get(name, [])))
    return sorted(reached)


def _cut_at_the_end(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    return walk(roots, members, scores, width)[:width]


def _summaries_too(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    reached: list[str] = []
    layer = roots
    while layer:
        kept = sorted(layer, key=lambda name: (-scores[name], name))[:width]
        reached += kept
        layer = list(dict.fromkeys(member for name in kept for member in members.get(name, [])))
    return sorted(set(reached), key=lambda name: (-scores[name], name))


def _ties_as_they_come(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    reached: list[str] = []
    layer = roots
    while layer:
        kept = sorted(layer, key=lambda name: -scores[name])[:width]
        reached += [name for name in kept if name not in members]
        layer = list(dict.fromkeys(member for name in kept for member in members.get(name, [])))
    return sorted(dict.fromkeys(reached), key=lambda name: -scores[name])


def _all_roots(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    def best(layer: list[str]) -> list[str]:
        return sorted(layer, key=lambda name: (-scores[name], name))[:width]

    reached: set[str] = set()
    kept = roots
    while kept:
        reached |= {name for name in kept if name not in members}
        kept = best(list(dict.fromkeys(member for name in kept for member in members.get(name, []))))
    return sorted(reached, key=lambda name: (-scores[name], name))


def _everything(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    return walk(roots, members, scores, len(scores) + 1)


def _worst_first(roots: list[str], members: Members, scores: Scores, width: int) -> list[str]:
    return sorted(walk(roots, members, scores, width), key=lambda name: (scores[name], name))


WALKING = Exercise(
    id="16.3",
    title="From the roots down",
    solution=walk,
    oracle=_rank_by_counting,
    cases=_cases,
    hints=(
        "Keep a list of the current layer and a list of the chunks reached so far.",
        "A tree can be shallow: a chunk that is kept on an early layer is reached and goes no further.",
        "Two summaries can share a member. Count it once in the next layer, or it takes two of its places.",
    ),
    mistakes=(
        Mistake(
            _only_the_last_layer,
            "Trees have different depths: a chunk that was kept on an earlier layer is reached as well.",
        ),
        Mistake(_width_of_each_node, "`width` is for the whole layer, not for the members of each node on it."),
        Mistake(_twice, "A member that two summaries share takes two places in its layer: take each node once."),
        Mistake(
            _twice_on_the_way,
            "The result has each chunk once, but a layer on the way does not: a member that two summaries share takes "
            "two of its `width` places, and pushes another node out.",
        ),
        Mistake(_unsorted, "The chunks are the right ones, but they should come with the best score first."),
        Mistake(
            _cut_at_the_end,
            "Chunks reached on different layers may be more than `width` together: it limits a layer, not the result.",
        ),
        Mistake(
            _ties_as_they_come,
            "Equal scores keep the order in which they came here. They should be in the order of their names, in each "
            "layer and in the result.",
        ),
        Mistake(
            _all_roots,
            "The roots are a layer as well: only its best `width` are kept. A chunk below a worse root is lost.",
        ),
        Mistake(_everything, "No layer is cut here: this finds every chunk. Keep only the best `width` of each layer."),
        Mistake(_worst_first, "The chunks are the right ones, but in reverse: the highest score comes first."),
        Mistake(_summaries_too, "Summaries are on the way. Only chunks are results."),
    ),
)
