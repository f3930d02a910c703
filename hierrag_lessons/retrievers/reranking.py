"""Retrievers around a retriever: it finds candidates, a second look puts them into another order.

Lesson 19 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hierrag_lessons import checks
from hierrag_lessons.model import Embedder, Passage, Where, join_context, sort_key
from hierrag_lessons.ranking import Reranker
from hierrag_lessons.ranking.diversity import marginal_relevances
from hierrag_lessons.ranking.fusion import min_max_scaling
from hierrag_lessons.ranking.reranking import reranker_scores
from hierrag_lessons.retrievers.batches import BatchRetriever, ask, check_request
from hierrag_lessons.store.rows import check_embedder

if TYPE_CHECKING:
    from hierrag_lessons.model import Retriever


@dataclass(frozen=True)
class RerankingRetriever(BatchRetriever):
    """Let a reranker judge the passages that a retriever finds, and return them in its order, with its scores.

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     shortest = SimpleNamespace(score=lambda query, texts: [-len(text) for text in texts])
    ...     RerankingRetriever(FlatRetriever(index), shortest).retrieve("cats", k=1)[0].text
    'Dogs run.'

    It reads each passage's context and text. Only candidates are returned: there are never more passages than those,
    however large ``k`` is, and what the retriever does not find the reranker does not see.

    To judge hits *before* they become windows or parents, give the reranker to the retriever that makes these.

    To turn first: ``reranker``, then ``candidates``.

    Parameters
    ----------
    retriever:
        Any retriever.
    reranker:
        For example ``MaxSimReranker()``.
    candidates:
        How many passages to ask for. The reranker's time grows with it.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    retriever: Retriever
    reranker: Reranker
    candidates: int = 20

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        checks.able("reranker", self.reranker, "score")
        checks.whole("candidates", self.candidates, 1)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query.

        Raises ``ValueError`` where the reranker does not return a finite score for each text, too.
        """
        check_request(queries, k, where)
        found = ask(self.retriever, queries, self.candidates, where)
        return [self._rerank(query, passages)[:k] for query, passages in zip(queries, found, strict=True)]

    def _rerank(self, query: str, passages: Sequence[Passage]) -> list[Passage]:
        scores = reranker_scores(query, _texts(passages), self.reranker)
        return sorted((replace(p, score=score) for p, score in zip(passages, scores, strict=True)), key=sort_key)


@dataclass(frozen=True)
class DiverseRetriever(BatchRetriever):
    """Choose among the passages that a retriever finds those that answer the query and do not repeat each other.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. The cats sleep.")
    >>> pets = build_hierarchy(document, [SentenceChunker(15, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     diverse = DiverseRetriever(FlatRetriever(index), CharNgramEmbedder(), balance=0.5)
    ...     [passage.text for passage in diverse.retrieve("cats sleep", k=2)]
    ['Cats sleep.', 'Dogs run.']

    The method is maximal marginal relevance, see :func:`~hierrag_lessons.ranking.mmr`. The relevance is the retriever's
    own score, brought to the scale of a cosine: 1 for the best candidate of a query, 0 for the worst, 1 for all of them
    where they are equal. The similarity is the cosine of the passages' vectors. A passage scores the value that it was
    chosen for, so the order of the scores is the order of the choice.

    To turn first: ``balance``, then ``candidates``.

    Parameters
    ----------
    retriever:
        Any retriever.
    embedder:
        Embeds the passages with their contexts; with a cache, the texts of an index are known already.
    candidates:
        How many passages to ask for; there are never more than those.
    balance:
        Weight of the relevance against the similarity, 0 to 1.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    retriever: Retriever
    embedder: Embedder
    candidates: int = 50
    balance: float = 0.7

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        check_embedder(self.embedder)
        checks.whole("candidates", self.candidates, 1)
        checks.share("balance", self.balance)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query, all texts embedded in one call."""
        check_request(queries, k, where)
        # Of equal values the one that comes first is chosen, and it has to be the first by `sort_key`, too.
        found = [sorted(p, key=_text_order) for p in ask(self.retriever, queries, self.candidates, where)]
        texts = list(dict.fromkeys(text for passages in found for text in _texts(passages)))
        rows = {text: row for row, text in enumerate(texts)}
        vectors = self.embedder.encode(texts)
        ranked: list[list[Passage]] = []
        for passages in found:
            own = vectors[[rows[text] for text in _texts(passages)]]
            chosen = marginal_relevances(min_max_scaling([p.score for p in passages]), own, k, self.balance)
            ranked.append([replace(passages[row], score=score) for row, score in chosen])
        return ranked


def _texts(passages: Sequence[Passage]) -> list[str]:
    return [join_context(passage.context, passage.text) for passage in passages]


def _text_order(passage: Passage) -> tuple[str, int, int]:
    return (passage.doc_id, passage.start, passage.end)
