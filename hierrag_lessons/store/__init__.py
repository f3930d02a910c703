"""The index: one LanceDB database that holds the nodes of all levels of all documents."""

from hierrag_lessons.store.columns import Columns, OfDocument
from hierrag_lessons.store.index import Index
from hierrag_lessons.store.lookup import Family, Outline
from hierrag_lessons.store.search import Mode
from hierrag_lessons.store.storage import LevelStorage
from hierrag_lessons.store.table import IndexWarning
from hierrag_lessons.store.temporary import temporary_index
from hierrag_lessons.store.tree import Tree
from hierrag_lessons.store.units import Units

__all__ = [
    "Columns",
    "Family",
    "Index",
    "IndexWarning",
    "LevelStorage",
    "Mode",
    "OfDocument",
    "Outline",
    "Tree",
    "Units",
    "temporary_index",
]
