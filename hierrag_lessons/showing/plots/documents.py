"""Pictures of spans along a document.

Lesson 04 uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from statistics import mean

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Cell, Table
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Document, Hierarchy, Hit, Span
from hierrag_lessons.showing.colours import GOLD, INK, OKABE_ITO, TINTS
from hierrag_lessons.showing.plots.chart import Chart, bar, check_names, drawing
from hierrag_lessons.showing.views.trees import hit_scores, nodes_above
from hierrag_lessons.showing.views.view import count
from hierrag_lessons.spans import clip, cover, merge, overlap

_MARGIN = 4  # pixels between a label and the edge
_GAP = 8  # pixels between two labels; with less, "1 of 1" and "3 of 3" read as one
_HIT, _GREYS, _HATCH = OKABE_ITO["vermilion"], ("#f4f4f4", "#dedede"), "////"


def chunk_strip(
    chunks: Mapping[str, Sequence[Located | Span]],
    document: Document,
    marks: Mapping[str, Sequence[int]] | None = None,
) -> Chart:
    """One row a chunker along the document: chunks in alternating tints, what several chunks share hatched.

    Where chunks overlap, every second one lies lower, so that one sees where each begins and ends. Chunks that are wide
    enough show their index. Alt text, for example: "Chunks along a document of 11126 characters: fixed, 43 chunks;
    recursive, 51 chunks."

    Parameters
    ----------
    chunks:
        Name of a chunker to its chunks, or spans, in any order.
    document:
        The document they were cut from; its length is the axis.
    marks:
        Name of something in the document, such as ``"sentence ends"``, to its places (code points). Each gets a row
        above the chunkers, and a line through them from each place.

    Raises
    ------
    ValueError
        Where ``chunks`` is empty, a chunk or a mark lies outside the document, or a name has characters that the font
        lacks.
    """
    checks.instance("chunks", chunks, Mapping)
    checks.instance("document", document, Document)
    checks.instance("marks", marks, Mapping, none="no marks")
    marked = marks or {}
    names, size = [*(check_names(marked) if marked else []), *check_names(chunks)], len(document.text)
    spans = {name: [Span(item.start, item.end) for item in items] for name, items in chunks.items()}
    for name, found in spans.items():
        if any(not 0 <= span.start <= span.end <= size for span in found):
            raise ValueError(f"{name!r} has a chunk outside 0-{size}; give chunks of {document.doc_id}")
    for name, places in marked.items():
        if any(not 0 <= place <= size for place in places):
            raise ValueError(f"{name!r} has a place outside 0-{size}; give places in {document.doc_id}")
    shared = {name: _shared(found) for name, found in spans.items()}
    bottom = len(names) - 0.5
    with drawing(1.0 + (0.75 if any(shared.values()) else 0.5) * len(names)) as (figure, [axes]):
        for y, places in enumerate(marked.values()):
            axes.plot(places, [y] * len(places), "v", markersize=7, color=_HIT, markeredgecolor=INK, clip_on=False)
            axes.vlines(places, y, bottom, color=_HIT, linewidth=1, linestyle="--", zorder=2)
        for y, name in enumerate(spans, start=len(marked)):
            _draw_chunks(axes, y, spans[name], shared[name], size)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=(0, max(size, 1) * 1.002), ylim=(bottom, -0.5), xlabel="character of the document")
        if any(shared.values()):
            shared_box = Patch(facecolor="none", edgecolor=INK, hatch=_HATCH, label="in several chunks")
            figure.legend(handles=[shared_box], loc="outside upper right")
        rows: list[tuple[Cell, ...]] = []
        for name, found in spans.items():
            lengths = [span.end - span.start for span in found] or [0]
            sizes = min(lengths), mean(lengths), max(lengths)
            rows.append((name, len(found), *sizes, cover(shared[name]), size - cover(found)))
        columns = ("chunker", "chunks", "smallest", "mean", "largest", "in several chunks", "in no chunk")
        figure.numbers = Table(columns, tuple(rows), f"{document.doc_id}, in characters")
        counts = "; ".join(f"{name}, {count(len(found), 'chunk')}" for name, found in spans.items())
        above = "; ".join(f"{len(places)} {name}" for name, places in marked.items())
        marks_above = f" Marked above them: {above}." if above else ""
        figure.alt = f"Chunks along a document of {size} characters: {counts}.{marks_above}"
    return figure


def _draw_chunks(axes: Axes, y: float, spans: Sequence[Span], shared: Sequence[Span], size: int) -> None:
    """A row of chunks; two lanes where some ``shared`` part lies in several chunks."""
    height = 0.36 if shared else 0.6
    for index, span in enumerate(spans):
        middle = y + (index % 2 - 0.5) * height if shared else y
        bar(axes, middle, span, TINTS[index % 2], height=height)
        for part in shared:
            if overlap(part, span):
                bar(axes, middle, clip(part, span), "none", _HATCH, height)
        if span.end - span.start > 0.03 * size:
            frame = {"facecolor": TINTS[index % 2], "edgecolor": "none", "pad": 0.5}
            axes.text((span.start + span.end) / 2, middle, str(index), ha="center", va="center_baseline", bbox=frame)


def tree_diagram(hierarchy: Hierarchy, hits: Sequence[Hit] = ()) -> Chart:
    """The levels of a hierarchy as strips, parents above their children, with hits and the nodes above them marked.

    Each hit is joined to its parent, and a parent shows how many of its children are hits: small to big in a picture.
    Alt text, for example: "A document as 3 levels of 1, 5, 17 nodes, parents above their children. Hits: 3 at level
    2; above them lie 2 at level 1, 1 at level 0."

    Parameters
    ----------
    hierarchy:
        The document and its nodes.
    hits:
        Found nodes, at any level; hits in other documents are left out.

    Raises
    ------
    ValueError
        Where a hit in this document is none of the hierarchy's nodes.
    """
    found = hit_scores(hierarchy, hits)
    above = nodes_above(hierarchy, found)
    children_hit = Counter(hierarchy.node(node_id).parent_id for node_id in found)
    size, depth = max(len(hierarchy.document.text), 1), len(hierarchy.levels)
    labels: dict[int, list[Text]] = {}
    with drawing(1.2 + 0.75 * depth) as (figure, [axes]):
        for node in hierarchy:
            y, middle = node.level, (node.start + node.end) / 2
            colour = _HIT if node.node_id in found else GOLD if node.node_id in above else _GREYS[node.position % 2]
            bar(axes, y, node.span, colour)
            if node.node_id in found:
                axes.plot(middle, y + 0.42, marker="^", markersize=8, color=_HIT, markeredgecolor=INK)
                if parent := hierarchy.parent(node):
                    axes.plot([middle, (parent.start + parent.end) / 2], [y - 0.3, y - 0.7], color=_HIT, linewidth=1.5)
            if children_hit[node.node_id]:
                share = f"{children_hit[node.node_id]} of {len(hierarchy.children(node))}"
                labels.setdefault(y, []).append(_label(axes, middle, y, share))
        axes.set_yticks(range(depth), [f"level {y}: {count(len(n), 'node')}" for y, n in enumerate(hierarchy.levels)])
        axes.set(xlim=(0, size * 1.002), ylim=(depth - 0.4, -0.4), xlabel="character of the document")
        if found:
            hit = Line2D([], [], marker="^", markersize=8, linestyle="", color=_HIT, markeredgecolor=INK, label="hit")
            parents = Patch(facecolor=GOLD, edgecolor=INK, label="above a hit, with its share of hit children")
            figure.legend(handles=[hit, parents], loc="outside upper right", ncols=2)
        figure.draw_without_rendering()  # The first drawing moves what the second one measures.
        figure.draw_without_rendering()
        for row in labels.values():
            _keep_apart(axes, row)
        rows = [
            (level, len(nodes), sum(n.node_id in found for n in nodes), sum(n.node_id in above for n in nodes))
            for level, nodes in enumerate(hierarchy.levels)
        ]
        figure.numbers = Table(("level", "nodes", "hits", "above a hit"), tuple(rows), hierarchy.document.doc_id)
        counts = ", ".join(str(nodes) for _, nodes, _, _ in rows)
        figure.alt = f"A document as {depth} levels of {counts} nodes, parents above their children."
        if found:
            figure.alt += f" Hits: {', '.join(f'{n} at level {level}' for level, _, n, _ in rows if n)}"
            lead = [f"{n} at level {level}" for level, _, _, n in reversed(rows) if n]
            figure.alt += f"; above them lie {', '.join(lead)}." if lead else "."
    return figure


def _label(axes: Axes, x: float, y: float, text: str) -> Text:
    frame = {"facecolor": GOLD, "edgecolor": "none", "pad": 1.5}
    # What is moved afterwards has no say in the layout.
    return axes.text(x, y, text, ha="center", va="center", bbox=frame, in_layout=False)


def _keep_apart(axes: Axes, labels: Sequence[Text]) -> None:
    """Move a row's labels inside the axes, and take away those that would cover another one.

    A label may cover the neighbours of a narrow parent, but neither another label nor the name of the row.
    """
    end, to_data = -inf, axes.transData.inverted()
    for label in labels:
        box = label.get_window_extent()
        moved = max(axes.bbox.x0 + _MARGIN - box.x0, 0) + min(axes.bbox.x1 - _MARGIN - box.x1, 0)
        if box.x0 + moved < end + _GAP:
            label.remove()
        else:
            label.set_x(to_data.transform(((box.x0 + box.x1) / 2 + moved, box.y0))[0])
            end = box.x1 + moved


def _shared(spans: Sequence[Span]) -> list[Span]:
    """What lies in two spans or more."""
    shared, reach = [], 0
    for start, end in sorted(spans):
        shared.append(Span(start, max(start, min(end, reach))))
        reach = max(reach, end)
    return merge(shared)
