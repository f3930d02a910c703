"""Several queries for one question: each is searched, and their rankings become one.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hierrag_lessons import checks
from hierrag_lessons.model import Passage, Retriever, Where
from hierrag_lessons.queries.fusing import Fusion, fuse
from hierrag_lessons.retrievers.batches import BatchRetriever, ask, check_request, check_rights


class Rewriter(Protocol):
    """Anything that makes other queries from a question: its parts, its wider form, an answer that might be."""

    def __call__(self, question: str) -> Sequence[str]:
        """The other queries, best first; none where there is nothing to add."""
        ...


@dataclass(frozen=True)
class MultiQueryRetriever(BatchRetriever):
    """Search the question and what a rewriter makes of it, and fuse what is found.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     parts = MultiQueryRetriever(FlatRetriever(index), lambda question: question.split(" and "))
    ...     [passage.text for passage in parts.retrieve("cats sleep and fish swim", k=2)]
    ['Cats sleep.', 'Fish swim.']

    The question itself is always the first of the queries; a blank one and one that comes twice are left out. All
    queries of all questions are asked in one batch. A question to which the rewriter adds nothing gets what the
    retriever finds.

    The question counts as much as all that was made of it together. RAG-Fusion (Rackauckas 2024) has a model rewrite,
    fuses by rank and lets every query count the same; a poor rewriting then drowns the question.

    To turn first: ``rewrite``, then ``fusion``.

    Parameters
    ----------
    retriever:
        Any retriever.
    rewrite:
        From a question to other queries, for example a :class:`RuleDecomposer`.
    fusion:
        ``"z_score"`` looks at how far apart the scores of each query are, ``"reciprocal_rank"`` at ranks only.
    candidates:
        How many passages to take for each query, or ``k`` if that is more.

    Raises ``ValueError`` when made with a parameter out of its range or with parts of different permissions, and when
    asked where the rewriter returns anything but a list of texts.
    """

    retriever: Retriever
    rewrite: Rewriter
    fusion: Fusion = "z_score"
    candidates: int = 50

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        checks.able("rewrite", self.rewrite, "__call__")
        checks.one_of("fusion", self.fusion, Fusion)
        checks.whole("candidates", self.candidates, 1)
        check_rights(self.retriever, self.rewrite)

    def queries(self, question: str) -> list[str]:
        """The queries that are searched for a question: itself, and what the rewriter adds."""
        checks.text("question", question)
        added = checks.texts("what the rewriter returned", self.rewrite(question)) if question.strip() else []
        return list(dict.fromkeys([question, *(query for query in added if query.strip())]))

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each question."""
        check_request(queries, k, where)
        asked = [self.queries(question) for question in queries]
        every = list(dict.fromkeys(query for own in asked for query in own))
        found = dict(zip(every, ask(self.retriever, every, max(k, self.candidates), where), strict=True))
        return [self._fused([found[query] for query in own])[:k] for own in asked]

    def _fused(self, rankings: Sequence[list[Passage]]) -> list[Passage]:
        first, *others = rankings
        return fuse([*[first] * len(others), *others], self.fusion) if others else first
