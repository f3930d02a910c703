"""Pitfalls of size: leaves that are too small or too large, an index that grew, a prompt that is too long.

Lesson 25 builds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import median

from hierrag_lessons import checks
from hierrag_lessons.model import Hierarchy, Passage
from hierrag_lessons.production.pitfalls.finding import Finding
from hierrag_lessons.store import Index, LevelStorage
from hierrag_lessons.text import Measure, count_tokens


def detect_leaf_sizes(
    hierarchies: Iterable[Hierarchy],
    least: int = 50,
    most: int = 1_000,
    only: float = 0.5,
    measure: Measure = count_tokens,
) -> Finding | None:
    """Pitfall 1: leaves so small that they are noise, or so large that nothing is left of the hierarchy.

    >>> from hierrag_lessons import Document, SentenceChunker, build_hierarchy
    >>> pets = build_hierarchy(Document("pets", "Cats sleep. Dogs run."), [SentenceChunker(max_sentences=1)])
    >>> print(detect_leaf_sizes([pets]).said)
    the median leaf has 5.5 tokens, less than 50

    Two things are looked at. The median leaf has a size between ``least`` and ``most``. And of the nodes above the
    leaves, without the documents, no more than the share ``only`` has a single child: where a section is one leaf, the
    section adds nothing to it, whatever the sizes are.

    ``figure`` is the median size of a leaf. The bounds are where to begin; measure a few sizes with ``evaluate``.

    Raises ``ValueError`` for what is no list of hierarchies or has no leaf, and bounds out of range.
    """
    trees = checks.each("hierarchies", hierarchies, Hierarchy)
    checks.whole("least", least, 1)
    checks.whole("most", most, least)
    checks.share("only", only)
    checks.measure("measure", measure)
    leaves = [leaf for tree in trees for leaf in tree.leaves]
    if not leaves:
        raise ValueError("hierarchies has no leaf; give what build_hierarchy makes of documents with text")
    size = median(measure(leaf.text) for leaf in leaves)
    families = [len(tree.children(node)) for tree in trees for level in tree.levels[1:-1] for node in level]
    alone = sum(children == 1 for children in families)
    said = []
    if not least <= size <= most:
        bound = f"less than {least}" if size < least else f"more than {most}"
        said.append(f"the median leaf has {size:g} tokens, {bound}")
    if families and alone > only * len(families):
        said.append(f"{alone} of {len(families)} nodes above the leaves have a single child")
    if not said:
        return None
    repair = "cut leaves of 100 to 400 tokens, and parents three to six times as large, as BROAD_CHUNKERS does"
    return Finding(1, "; ".join(said), float(size), repair)


def storage_ratios(index: Index) -> Mapping[str, float]:
    """How much more an index takes than its documents and its leaves alone: text, vectors, all.

    A ratio is 1 where no level lies between the document and its leaves. Bytes before compression, as
    ``Index.storage`` counts them. Raises ``ValueError`` for an empty index.
    """
    checks.instance("index", index, Index)
    levels = index.storage()
    if not levels:
        raise ValueError("index is empty; add documents first")
    flat = levels if len(levels) < 3 else [levels[0], levels[-1]]

    def ratio(size: str) -> float:
        def total(chosen: Iterable[LevelStorage]) -> int:
            return sum(getattr(level, size) for level in chosen)

        return total(levels) / total(flat) if total(flat) else 1.0

    return {"text": ratio("text_bytes"), "vectors": ratio("vector_bytes"), "all": ratio("total_bytes")}


def detect_storage(index: Index, most: float = 1.5) -> Finding | None:
    """Pitfall 2: the levels above the leaves take more than was planned.

    ``figure`` is the whole index against its documents and leaves, see :func:`storage_ratios`; found is more than
    ``most``. ``where`` names the levels that have vectors, as each of them is one more set of them.

    Raises ``ValueError`` for what is no index, an empty one, and a ratio below 1.
    """
    checks.number("most", most, 1)
    ratios = storage_ratios(index)
    if ratios["all"] <= most:
        return None
    said = (
        f"the index takes {ratios['all']:.2f} times what its documents and leaves take "
        f"(text {ratios['text']:.2f}, vectors {ratios['vectors']:.2f})"
    )
    repair = (
        "embed the leaves only; a parent is looked up and not searched, so it needs no vector"
        if ratios["vectors"] > 1.1
        else "what grows is text, once a level: keep offsets, and cut a parent from its document when it is wanted"
    )
    return Finding(2, said, ratios["all"], repair, tuple(f"level {level}" for level in index.levels))


def detect_overfull(passages: Iterable[Passage], budget: int, measure: Measure = count_tokens) -> Finding | None:
    """Pitfall 7: passages that are too long for the prompt, because somebody counted passages and not tokens.

    >>> parents = [Passage("d", 0, 18, "Six words are here"), Passage("d", 0, 18, "Six words are here")]
    >>> detect_overfull(parents, 30, measure=len).said
    '2 passages have 36 tokens, 6 more than the budget of 30'

    ``figure`` is their size in tokens; ``where`` the documents and places of what does not fit, or not whole.

    Raises ``ValueError`` for a budget below 1.
    """
    given = checks.each("passages", passages, Passage)
    checks.whole("budget", budget, 1)
    checks.measure("measure", measure)
    total, beyond = 0, list[str]()
    for passage in given:
        total += measure(passage.text)
        if total > budget:
            beyond.append(f"{passage.doc_id}:{passage.start}-{passage.end}")
    if not beyond:
        return None
    said = f"{len(given)} passages have {total:,} tokens, {total - budget:,} more than the budget of {budget:,}"
    twice = sum(number > 1 for number in Counter((p.doc_id, p.span) for p in given).values())
    repair = "pack(passages, budget) cuts where the budget ends" + (
        ", and takes no character twice" if twice else "; AutoMergingRetriever(budget=) merges only what fits"
    )
    return Finding(7, said, float(total), repair, tuple(beyond))
