"""What a notebook shows: chunks, passages, trees and tokens, as HTML and as plain text with the same content.

The last expression of a cell is enough: ``ChunkView(document, chunks)``. JupyterLab shows the HTML; a terminal and a
screen reader get the plain text, which is also what is compared when a notebook is executed again.
"""

from hierrag_lessons.showing.views.chunks import ChunkView
from hierrag_lessons.showing.views.coarse_to_fine import CoarseToFineView
from hierrag_lessons.showing.views.columns import SideBySide, side_by_side
from hierrag_lessons.showing.views.levels import MultiLevelView
from hierrag_lessons.showing.views.merges import MergeView
from hierrag_lessons.showing.views.passages import PassageView
from hierrag_lessons.showing.views.tokens import TokenView
from hierrag_lessons.showing.views.trees import TreeView
from hierrag_lessons.showing.views.view import View

__all__ = [
    "ChunkView",
    "CoarseToFineView",
    "MergeView",
    "MultiLevelView",
    "PassageView",
    "SideBySide",
    "TokenView",
    "TreeView",
    "View",
    "side_by_side",
]
