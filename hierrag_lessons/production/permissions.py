"""Permissions: a filter under every search that no caller can leave out.

Lesson 25 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hierrag_lessons import checks
from hierrag_lessons.model import Passage, Where, both
from hierrag_lessons.retrievers.batches import BatchRetriever, ask, check_request
from hierrag_lessons.store import Index
from hierrag_lessons.text import PLACE_FIELDS

if TYPE_CHECKING:
    from hierrag_lessons.model import Retriever

_OF_PARTS = frozenset({"level", "node_id", "parent_id", *PLACE_FIELDS}) - {"source"}


@dataclass(frozen=True)
class PermittedRetriever(BatchRetriever):
    """What one user may see: every search is done inside a filter, and what comes back is checked against it.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> texts = {"open": "Dogs run on the beach.", "secret": "Dogs run in the yard."}
    >>> trees = [
    ...     build_hierarchy(Document(name, text, metadata={"group": name}), [SentenceChunker()])
    ...     for name, text in texts.items()
    ... ]
    >>> with temporary_index(trees, embedder=CharNgramEmbedder(), columns={"group": str}) as index:
    ...     guest = PermittedRetriever(FlatRetriever(index), index, {"group": ["open"]})
    ...     [passage.doc_id for passage in guest.retrieve("dogs in the yard", where={"group": "secret"})]
    []

    A caller's filter can only take more away. Permissions are of whole documents: a retriever may return a parent or a
    window around what was hit, so a filter by page or by speaker protects nothing and is refused.

    One thing is shared all the same: the word statistics of BM25 are those of all documents. They say how rare a word
    is and nothing else. Who must not learn even that needs an index of his own.

    Parameters
    ----------
    retriever:
        Any retriever that takes a filter.
    index:
        The index that it searches.
    allowed:
        The filter, from the user's rights, never from the question or from what a model writes.

    Raises ``ValueError`` for an empty filter, one by a field of parts, and an unknown field.
    """

    retriever: Retriever
    index: Index
    allowed: Where

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        checks.instance("index", self.index, Index)
        checks.instance("allowed", self.allowed, Mapping)
        if not self.allowed:
            raise ValueError("allowed is empty, which allows everything; give a filter such as {'group': ['staff']}")
        for name in self.allowed:
            if name in _OF_PARTS:
                raise ValueError(
                    f"allowed filters by {name!r}, in which parts of one document differ, and a parent of an allowed "
                    "part shows the others; give a field of the whole document"
                )
        self.index.check_where(self.allowed)

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query, inside both filters.

        Raises ``ValueError`` for a retriever that takes no filter, and ``PermissionError`` where one brings a document
        that is not allowed: such a retriever has a fault, and nothing of what it found is shown.
        """
        check_request(queries, k, where)
        found = ask(self.retriever, queries, k, both(self.allowed, where))
        permitted = set(self.index.doc_ids(self.allowed))
        wrong = sorted({passage.doc_id for passages in found for passage in passages} - permitted)
        if wrong:
            raise PermissionError(
                f"{type(self.retriever).__name__} returned {len(wrong)} documents that are not allowed; it does not "
                "keep to its filter, see check_retriever"
            )
        return found
