"""Pictures of spans along a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from hierrag_lessons.evaluation import Cell, Table
from hierrag_lessons.evaluation.metrics import Located
from hierrag_lessons.model import Document, Hierarchy, Hit, Span
from hierrag_lessons.showing.colours import GOLD, INK, OKABE_ITO, TINTS
from hierrag_lessons.showing.plots.chart import Chart, bar, chart, check_names
from hierrag_lessons.showing.views.trees import hit_scores, nodes_above
from hierrag_lessons.showing.views.view import count
from hierrag_lessons.spans import cover, merge, subtract

_HIT, _GREYS, _HATCH = OKABE_ITO["vermilion"], ("#f4f4f4", "#dedede"), "////"


def chunk_strip(chunks: Mapping[str, Sequence[Located | Span]], document: Document) -> Chart:
    """One bar a chunker along the document: chunks in alternating tints, what several chunks share hatched.

    Chunks that are wide enough show their index. Alt text, for example: "Chunks along a document of 11126
    characters: fixed, 43 chunks; recursive, 51 chunks."

    Parameters
    ----------
    chunks:
        Name of a chunker to its chunks, or spans, in any order.
    document:
        The document they were cut from; its length is the axis.

    Raises
    ------
    ValueError
        Where ``chunks`` is empty, a chunk ends after the document does, or a name has characters that the font lacks.
    """
    names, size = check_names(chunks), len(document.text)
    rows: list[tuple[Cell, ...]] = []
    with chart(1.0 + 0.5 * len(names)) as (figure, [axes]):
        for y, (name, items) in enumerate(chunks.items()):
            spans = [Span(item.start, item.end) for item in items]
            if any(not 0 <= span.start <= span.end <= size for span in spans):
                raise ValueError(f"{name!r} has a chunk outside 0-{size}; give chunks of {document.doc_id}")
            shared = _shared(spans)
            for index, span in enumerate(spans):
                bar(axes, y, span, TINTS[index % 2])
                start, end = max(subtract(span, shared), key=lambda part: part.end - part.start, default=(0, 0))
                if end - start > 0.03 * size:
                    axes.text((start + end) / 2, y, str(index), ha="center", va="center")
            for span in shared:
                bar(axes, y, span, "none", _HATCH)
            lengths = [span.end - span.start for span in spans] or [0]
            sizes = min(lengths), mean(lengths), max(lengths)
            rows.append((name, len(spans), *sizes, cover(shared), size - cover(spans)))
        axes.set_yticks(range(len(names)), names)
        axes.set(xlim=(0, max(size, 1) * 1.002), ylim=(len(names) - 0.5, -0.5), xlabel="character of the document")
        if any(row[5] for row in rows):
            shared_box = Patch(facecolor="none", edgecolor=INK, hatch=_HATCH, label="in several chunks")
            figure.legend(handles=[shared_box], loc="outside upper right", frameon=False)
        columns = ("chunker", "chunks", "smallest", "mean", "largest", "in several chunks", "in no chunk")
        figure.numbers = Table(columns, tuple(rows), f"{document.doc_id}, in characters")
        counts = "; ".join(f"{name}, {count(len(items), 'chunk')}" for name, items in chunks.items())
        figure.alt = f"Chunks along a document of {size} characters: {counts}."
    return figure


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
    last_label: dict[int, float] = {}
    with chart(1.2 + 0.75 * depth) as (figure, [axes]):
        for node in hierarchy:
            y, middle = node.level, (node.start + node.end) / 2
            colour = _HIT if node.node_id in found else GOLD if node.node_id in above else _GREYS[node.position % 2]
            bar(axes, y, node.span, colour)
            if node.node_id in found:
                axes.plot(middle, y + 0.42, marker="^", markersize=8, color=_HIT, markeredgecolor=INK)
                if parent := hierarchy.parent(node):
                    axes.plot([middle, (parent.start + parent.end) / 2], [y - 0.3, y - 0.7], color=_HIT, linewidth=1.5)
            # A narrow parent's label covers its neighbours, but never another label.
            if children_hit[node.node_id] and middle - last_label.get(y, -size) > 0.075 * size:
                share = f"{children_hit[node.node_id]} of {len(hierarchy.children(node))}"
                frame = {"facecolor": GOLD, "edgecolor": "none", "pad": 1.5}
                axes.text(middle, y, share, ha="center", va="center", bbox=frame)
                last_label[y] = middle
        axes.set_yticks(range(depth), [f"level {y}: {count(len(n), 'node')}" for y, n in enumerate(hierarchy.levels)])
        axes.set(xlim=(0, size * 1.002), ylim=(depth - 0.4, -0.4), xlabel="character of the document")
        if found:
            hit = Line2D([], [], marker="^", markersize=8, linestyle="", color=_HIT, markeredgecolor=INK, label="hit")
            parents = Patch(facecolor=GOLD, edgecolor=INK, label="above a hit, with its share of hit children")
            figure.legend(handles=[hit, parents], loc="outside upper right", ncols=2, frameon=False)
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


def _shared(spans: Sequence[Span]) -> list[Span]:
    """What lies in two spans or more."""
    shared, reach = [], 0
    for start, end in sorted(spans):
        shared.append(Span(start, max(start, min(end, reach))))
        reach = max(reach, end)
    return merge(shared)
