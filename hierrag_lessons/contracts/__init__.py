"""Everything that a chunker or a retriever promises, checked in one call on a class of anyone's."""

from hierrag_lessons.contracts.chunker import check_chunker
from hierrag_lessons.contracts.promise import BrokenPromise
from hierrag_lessons.contracts.retriever import check_retriever

__all__ = ["BrokenPromise", "check_chunker", "check_retriever"]
