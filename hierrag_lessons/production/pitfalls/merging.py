"""Pitfalls of merging: it comes too early, it does not come, and scores that belong to something else.

Lesson 25 builds it.

Each takes any retriever, so that one build can ask them all. Where a retriever is wrapped in others, to shorten what
it finds for example, the one inside is asked. Where none merges, there is nothing to find.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hierrag_lessons import checks
from hierrag_lessons.embedding import TruncationWarning
from hierrag_lessons.model import Passage, Retriever
from hierrag_lessons.production.pitfalls.finding import Finding
from hierrag_lessons.retrievers import AutoMergingRetriever, MergeTrace
from hierrag_lessons.text import count_tokens


def detect_eager_merges(
    retriever: Retriever, queries: Sequence[str], *, k: int = 5, budget: int = 6_000
) -> Finding | None:
    """Pitfall 3: a threshold so low that one hit brings a whole section.

    Mind how equality is read. LlamaIndex and Haystack merge where *more* than the threshold was found, so their default
    of 0.5 is ``MAJORITY`` here; :class:`~hierrag_lessons.AutoMergingRetriever` merges at a share equal to it as well.

    Looked for are merges of parents of which at most half of the children were found. ``figure`` is their share among
    all merges; ``where`` the questions whose ``k`` passages then have more than ``budget`` tokens.

    Raises ``ValueError`` for what is no retriever, no list of texts, and numbers below 1.
    """
    checks.whole("budget", budget, 1)
    traces = _traces(retriever, queries, k)
    merged = [decision for trace in traces for decision in trace.decisions if decision.merged]
    eager = [decision for decision in merged if decision.ratio <= Fraction(1, 2)]
    if not eager:
        return None
    sizes = {trace.query: _tokens(trace.passages) for trace in traces}
    over = tuple(query for query, size in sizes.items() if size > budget)
    said = f"{len(eager)} of {len(merged)} merges had found at most half of the children"
    if over:
        said += f"; {len(over)} of {len(sizes)} contexts have more than {budget:,} tokens"
    repair = "leave the threshold at MAJORITY, more than one half, and give the retriever the budget"
    return Finding(3, said, len(eager) / len(merged), repair, over)


def detect_scattered_hits(
    retriever: Retriever, queries: Sequence[str], *, k: int = 5, parents: int = 3
) -> Finding | None:
    """Pitfall 4: hits that stand alone in their parents, so that nothing is merged, however many they are.

    A question is found where at least so many ``parents`` were asked with one child found of several, and no parent of
    several children was merged: all hits stay single leaves. ``figure`` is the share of such questions; ``where`` they
    themselves.

    Raises ``ValueError`` as :func:`detect_eager_merges` does.
    """
    checks.whole("parents", parents, 1)
    traces = _traces(retriever, queries, k)
    scattered = []
    for trace in traces:
        several = [decision for decision in trace.decisions if decision.children > 1]
        alone = [decision for decision in several if len(decision.found) == 1]
        if len(alone) >= parents and not any(decision.merged for decision in several):
            scattered.append(trace.query)
    if not scattered:
        return None
    said = f"in {len(scattered)} of {len(traces)} questions {parents} parents or more had one hit each: nothing merged"
    repair = "let the levels above raise the leaves inside them: HybridRetriever(above=...) or MultiLevelRetriever"
    return Finding(4, said, len(scattered) / len(traces), repair, tuple(scattered))


def detect_changed_order(retriever: Retriever, queries: Sequence[str], *, k: int = 5) -> Finding | None:
    """Pitfall 8: a merged parent stands where its best leaf stood, and its own text would not.

    The passages are scored twice: by the best of the hits in them, and by their own texts. Both times by the
    retriever's reranker, or by vectors where it has none, so that nothing else differs. A model that does not read all
    of a long text judges its beginning. ``figure`` is the share of questions for which another passage comes first;
    ``where`` names them.

    It is a figure to follow and no fault: it says how much the choice of the score decides, and not which is better.

    Raises ``ValueError`` as :func:`detect_eager_merges` does.
    """
    merging = _check(retriever, queries, k)
    if merging is None:
        return None
    if merging.reranker is None:
        merging = replace(merging, mode="vector")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        by_leaf = replace(merging, score="max").retrieve_batch(queries, k)
        by_text = replace(merging, score="rescored").retrieve_batch(queries, k)
    changed = [
        query
        for query, leaf, text in zip(queries, by_leaf, by_text, strict=True)
        if [passage.span for passage in leaf[:1]] != [passage.span for passage in text[:1]]
    ]
    if not changed:
        return None
    said = f"in {len(changed)} of {len(queries)} questions another passage comes first once merged texts are scored"
    repair = 'keep score="max"; take "rescored" only with scores at least as good as the search\'s, and measure both'
    return Finding(8, said, len(changed) / len(queries), repair, tuple(changed))


def _check(retriever: Retriever, queries: Sequence[str], k: int) -> AutoMergingRetriever | None:
    """The retriever that merges: the one given, or the one inside it; ``None`` where none does."""
    checks.able("retriever", retriever, "retrieve_batch")
    checks.whole("k", k, 1)
    if not checks.texts("queries", queries):
        raise ValueError("queries is empty; give questions that users have asked")
    inner: object = retriever
    while inner is not None and not isinstance(inner, AutoMergingRetriever):
        inner = getattr(inner, "retriever", None)
    return inner


def _traces(retriever: Retriever, queries: Sequence[str], k: int) -> list[MergeTrace]:
    merging = _check(retriever, queries, k)
    return [merging.trace(query, k) for query in queries] if merging else []


def _tokens(passages: Sequence[Passage]) -> int:
    return sum(count_tokens(passage.text) for passage in passages)
