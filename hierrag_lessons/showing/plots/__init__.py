"""Figures: chunk strips, trees, budget curves, intervals, histograms, similarities.

Each function returns a :class:`Chart`, which a notebook shows when it is the last expression of a cell. The numbers
that it draws are in ``chart.numbers``, a table to print, and ``chart.alt`` says in words what is to be seen.
"""

from hierrag_lessons.showing.plots.chart import Chart, drawing
from hierrag_lessons.showing.plots.documents import chunk_strip, tree_diagram
from hierrag_lessons.showing.plots.results import budget_curves, interval_bars, similarity_matrix, size_histogram

__all__ = [
    "Chart",
    "budget_curves",
    "chunk_strip",
    "drawing",
    "interval_bars",
    "similarity_matrix",
    "size_histogram",
    "tree_diagram",
]
