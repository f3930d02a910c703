"""The eight pitfalls of the "Hierarchical RAG study note" of 2026, each with a detector."""

from hierrag_lessons.production.pitfalls.finding import Finding
from hierrag_lessons.production.pitfalls.merging import (
    detect_changed_order,
    detect_eager_merges,
    detect_scattered_hits,
)
from hierrag_lessons.production.pitfalls.pages import detect_page_cuts, join_pages
from hierrag_lessons.production.pitfalls.sizes import (
    detect_leaf_sizes,
    detect_overfull,
    detect_storage,
    storage_ratios,
)
from hierrag_lessons.production.pitfalls.tables import detect_torn_tables

__all__ = [
    "Finding",
    "detect_changed_order",
    "detect_eager_merges",
    "detect_leaf_sizes",
    "detect_overfull",
    "detect_page_cuts",
    "detect_scattered_hits",
    "detect_storage",
    "detect_torn_tables",
    "join_pages",
    "storage_ratios",
]
