"""What a notebook shows: views of chunks, passages and trees as HTML, and figures."""

from hierrag_lessons.showing.colours import OKABE_ITO, tint
from hierrag_lessons.showing.plots.chart import Chart, drawing
from hierrag_lessons.showing.plots.documents import chunk_strip, tree_diagram
from hierrag_lessons.showing.plots.results import budget_curves, interval_bars, similarity_matrix, size_histogram
from hierrag_lessons.showing.views.chunks import ChunkView
from hierrag_lessons.showing.views.coarse_to_fine import CoarseToFineView
from hierrag_lessons.showing.views.columns import side_by_side
from hierrag_lessons.showing.views.levels import MultiLevelView
from hierrag_lessons.showing.views.merges import MergeView
from hierrag_lessons.showing.views.passages import PassageView
from hierrag_lessons.showing.views.tokens import TokenView
from hierrag_lessons.showing.views.trees import TreeView
from hierrag_lessons.showing.views.view import View

__all__ = [
    "OKABE_ITO",
    "Chart",
    "ChunkView",
    "CoarseToFineView",
    "MergeView",
    "MultiLevelView",
    "PassageView",
    "TokenView",
    "TreeView",
    "View",
    "budget_curves",
    "chunk_strip",
    "drawing",
    "interval_bars",
    "side_by_side",
    "similarity_matrix",
    "size_histogram",
    "tint",
    "tree_diagram",
]
