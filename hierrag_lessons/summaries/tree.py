"""A tree of summaries over one document: what belongs together is summed up together, wherever it stands.

Lesson 16 builds it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.chunkers.structure.chunker import SEPARATOR
from hierrag_lessons.embedding import TruncationWarning, default_embedder
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import JSON, Chunker, Document, Embedder, Hierarchy, Node
from hierrag_lessons.spans import merge
from hierrag_lessons.summaries.clustering import Cluster, SoftClustering
from hierrag_lessons.summaries.extractive import ExtractiveSummariser
from hierrag_lessons.summaries.protocol import Summariser, Summary


def build_summary_tree(
    document: Document,
    chunkers: Sequence[Chunker],
    summariser: Summariser | None = None,
    embedder: Embedder | None = None,
    *,
    clustering: SoftClustering | None = None,
    max_tokens: int = 150,
) -> Hierarchy:
    """Cluster the chunks, sum up each cluster, cluster the summaries, and so on, until one is left (RAPTOR).

    Sarthi et al., *RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval*, ICLR 2024. As in the paper's
    experiments, each document has a tree of its own. Level 0 is the document, level 1 the root's summary, the last
    level the chunks; how many there are depends on the document. A document of one chunk has that chunk as level 1.

    A node's parent is the cluster that it is at home in. Clusters are soft: ``metadata["members"]`` of a summary are
    the ids of *all* nodes one level down that it sums up, visitors included. Its ``sources`` are the spans of all
    chunks below it; what its words were taken or written from is ``metadata["cites"]``. Its context is what the heading
    paths of its members have in common.

    All texts are embedded with their context, as an index embeds them, so with a cache they are embedded once. With a
    :class:`~hierrag_lessons.summaries.CachedSummariser` only clusters with new members are summed up when a changed
    document is built again.

    Parameters
    ----------
    document:
        Any document. A blank one has only its root.
    chunkers:
        Each runs inside the pieces of the one before, see :func:`~hierrag_lessons.chunkers.build_hierarchy`; the
        pieces of the last one are the leaves.
    summariser:
        :class:`~hierrag_lessons.summaries.ExtractiveSummariser` where not given. It is given the members of a cluster;
        the spans of a summary among them are what that cites.
    embedder:
        The default one of the document's language where not given.
    clustering:
        How the nodes of a level are clustered.
    max_tokens:
        The largest size of a summary.

    Returns
    -------
    Hierarchy
        All levels below 0 are searched.

    Raises
    ------
    ValueError
        Where ``chunkers`` is empty, ``max_tokens`` is below 1, or one of the others cannot do its work; and what the
        chunkers, the embedder and the summariser raise.
    """
    checks.able("summariser", summariser, "summarise", none="whole sentences")
    checks.able("embedder", embedder, "encode", none="the language's own")
    checks.able("clustering", clustering, "cluster", none="SoftClustering()")
    checks.whole("max_tokens", max_tokens, 1)
    outline = build_hierarchy(document, chunkers)
    writer, embedder = summariser or ExtractiveSummariser(), embedder or default_embedder(document.language)
    clustering = clustering or SoftClustering()
    layers = [[_Draft(leaf) for leaf in outline.leaves]]
    while len(layers[-1]) > 1:
        below = layers[-1]
        clusters = with_progress(clustering.cluster(_embed([draft.node for draft in below], embedder)), "summaries")
        drafts = [_sum_up(document, below, cluster, writer, max_tokens) for cluster in clusters]
        layers.append(sorted(drafts, key=lambda draft: (draft.node.span, draft.members)))
    levels = _link(outline.root, layers[::-1])
    return Hierarchy(document, levels, frozenset(range(1, len(levels))))


@dataclass(frozen=True)
class _Draft:
    """A node before its level is known, with the places of its members, and of those at home, on the level below."""

    node: Node
    members: tuple[int, ...] = ()
    home: tuple[int, ...] = ()
    summary: Summary | None = None

    @property
    def read(self) -> Node:
        """The node as a summariser reads it: a summary stands for what it cites."""
        cites = self.summary.cites if self.summary else ()
        return replace(self.node, sources=cites or self.node.sources)


def _embed(nodes: Sequence[Node], embedder: Embedder) -> np.ndarray:
    with warnings.catch_warnings():
        # An index embeds the same texts and gives the same warning.
        warnings.simplefilter("ignore", TruncationWarning)
        return embedder.encode([node.embedding_text for node in nodes])


def _sum_up(
    document: Document, below: Sequence[_Draft], cluster: Cluster, writer: Summariser, max_tokens: int
) -> _Draft:
    members = [below[place] for place in cluster.members]
    summary = writer.summarise(document, [member.read for member in members], max_tokens)
    sources = tuple(merge(span for member in members for span in member.node.spans))
    node = Node("", document.doc_id, 0, sources[0].start, sources[-1].end, summary.text, _common_path(members))
    cites: list[JSON] = [list(cite) for cite in summary.cites]
    node = replace(node, sources=sources, metadata={"summariser": writer.name, "cites": cites})
    return _Draft(node, cluster.members, cluster.home, summary)


def _common_path(members: Sequence[_Draft]) -> str:
    """The headings that all members stand under."""
    paths = [member.node.context.split("\n")[0].split(SEPARATOR) for member in members]
    shared = takewhile(lambda titles: len(set(titles)) == 1, zip(*paths, strict=False))
    return SEPARATOR.join(titles[0] for titles in shared)


def _link(root: Node, layers: Sequence[Sequence[_Draft]]) -> tuple[tuple[Node, ...], ...]:
    """The levels from the root down, with ids, parents and the ids of members."""
    names = [
        [_name(draft.node, level, place) for place, draft in enumerate(drafts)] for level, drafts in _count(layers)
    ]
    parents = [root.node_id] * len(layers[0])
    levels: list[tuple[Node, ...]] = [(root,)]
    for level, drafts in _count(layers):
        own, below = names[level - 1], names[level] if level < len(names) else []
        levels.append(
            tuple(
                replace(
                    draft.node,
                    node_id=own[place],
                    level=level,
                    position=place,
                    parent_id=parents[place],
                    metadata=_with_members(draft, below, len(layers) - level),
                )
                for place, draft in enumerate(drafts)
            )
        )
        homes = {child: own[place] for place, draft in enumerate(drafts) for child in draft.home}
        parents = [homes[child] for child in range(len(below))]
    return tuple(levels)


def _count(layers: Sequence[Sequence[_Draft]]) -> Iterator[tuple[int, Sequence[_Draft]]]:
    return enumerate(layers, start=1)


def _name(node: Node, level: int, position: int) -> str:
    return f"{node.doc_id}:{level}:{position}:{node.start}-{node.end}"


def _with_members(draft: _Draft, below: Sequence[str], layer: int) -> Mapping[str, JSON]:
    members: list[JSON] = [below[place] for place in draft.members]
    return {**draft.node.metadata, "members": members, "layer": layer} if members else draft.node.metadata
