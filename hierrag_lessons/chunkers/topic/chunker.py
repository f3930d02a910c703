"""Topic chunks: runs of sentences on one topic, with the topic's words as context.

Lesson 10 builds it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.chunkers.cutting import check_sizes, check_within, join_units, to_chunks
from hierrag_lessons.chunkers.semantic.greedy import greedy_starts
from hierrag_lessons.chunkers.semantic.novelty import Vectors, novelty, sentence_vectors
from hierrag_lessons.chunkers.semantic.sentence_runs import read_sentences, runs_to_chunks, unit_size
from hierrag_lessons.chunkers.topic.clusters import (
    ClusterMethod,
    TopicsRefusedError,
    check_topics,
    distances,
    find_clusters,
)
from hierrag_lessons.chunkers.topic.names import topic_names
from hierrag_lessons.chunkers.topic.smoothing import majority, viterbi
from hierrag_lessons.model import JSON, Chunk, Document, Embedder, Language, Span
from hierrag_lessons.text import Measure, count_tokens, make_ruler

Smoothing = Literal["viterbi", "majority", "none"]

_CHANGE = 3.0  # Above any novelty, which is at most 2: where the topic changes is the first place to cut at.


@dataclass(frozen=True)
class Topics:
    """The topics of a text, numbered as they appear in it, and which sentence is on which.

    Attributes
    ----------
    units:
        The sentences.
    nearest:
        For each sentence the topic that its vector is nearest to: what clustering alone says.
    labels:
        The same after smoothing.
    names:
        Words for each topic in ``labels``, by its number.
    silhouettes:
        The score of each number of topics that was tried; empty for HDBSCAN.
    """

    units: tuple[Span, ...]
    nearest: tuple[int, ...]
    labels: tuple[int, ...]
    names: dict[int, str]
    silhouettes: dict[int, float]


@dataclass(frozen=True)
class TopicChunker:
    """Cut where the topic changes, and say what each chunk is about.

    >>> from hierrag_lessons import CharNgramEmbedder
    >>> text = 3 * "Cats sleep. Cats eat. Cats purr. " + 3 * "Ships sail. Ships sink. Ships dock. "
    >>> chunker = TopicChunker(120, 20, topics=2, min_sentences=3, embedder=CharNgramEmbedder(), measure=len)
    >>> [(chunk.context, chunk.text[:10]) for chunk in chunker.chunk(Document("d", text))]
    [('cats, sleep, purr', 'Cats sleep'), ('ships, dock, sail', 'Ships sail')]

    The sentences of a text are clustered, so that page 3 and page 30 can be on one topic. The labels are smoothed along
    the text, and it is cut where they change, inside hard limits of size: a chunk still below ``min_size`` goes on into
    the next topic, and a topic too long for one chunk is cut where its sentences turn most. A chunk's topic is the one
    that most of its sentences are on; its words are the chunk's context, so they are embedded with it.

    ``metadata["topic"]`` is the topic's number in this text. A text with too little in it for topics gives packed
    sentences, and ``metadata["topic_refused"]`` says why.

    Parameters
    ----------
    max_size, min_size:
        The largest and the smallest size of a chunk, in units of ``measure``. No chunk is above ``max_size``. One can
        be below ``min_size`` where its neighbours have no room for it.
    topics, method:
        How the sentences are clustered, see :func:`~hierrag_lessons.chunkers.topic.clusters.find_clusters`.
    min_sentences:
        The fewest sentences in a row on one topic.
    smoothing:
        ``"viterbi"``; ``"majority"``, where the five sentences around each one vote; or ``"none"``, for which
        ``min_sentences`` does not hold. See :mod:`hierrag_lessons.chunkers.topic.smoothing`.
    switch_penalty:
        For ``"viterbi"``: what a change of topic costs, in the unit of squared distances between vectors.
    embedder, measure:
        As in :class:`~hierrag_lessons.chunkers.semantic.greedy.SemanticChunker`.

    Raises
    ------
    ValueError
        When it is made, for impossible sizes or settings.
    """

    max_size: int = 400
    min_size: int = 100
    topics: int | None = None
    method: ClusterMethod = "kmeans"
    min_sentences: int = 5
    smoothing: Smoothing = "viterbi"
    switch_penalty: float = 0.5
    embedder: Embedder | None = None
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, min_size=self.min_size)
        check_topics(self.topics, self.min_sentences, self.method)
        checks.one_of("smoothing", self.smoothing, Smoothing)
        checks.number("switch_penalty", self.switch_penalty, 0)
        checks.able("embedder", self.embedder, "encode", none="the language's own")
        checks.measure("measure", self.measure)

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        units, texts, vectors = read_sentences(document, span, ruler, self.max_size, self.embedder)
        try:
            topics = self._label(units, texts, vectors, document.language)
        except TopicsRefusedError as refusal:
            chunks = to_chunks(document, join_units(units, ruler, self.max_size), ruler, self.max_size)
            return [replace(chunk, metadata={**chunk.metadata, "topic_refused": str(refusal)}) for chunk in chunks]
        scores = novelty(vectors)
        scores[_changes(topics.labels)] = _CHANGE
        starts = greedy_starts(scores, _CHANGE - 0.5, unit_size(units, ruler), self.min_size, self.max_size)
        return _with_topics(runs_to_chunks(document, units, starts, ruler, self.max_size, 0), topics)

    def find_topics(self, document: Document, within: Span | None = None) -> Topics:
        """The topics of ``document``, or of the part ``within`` of it.

        Raises :class:`TopicsRefusedError`, a ``ValueError``, where there is too little in it.
        """
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        units, texts, vectors = read_sentences(document, span, ruler, self.max_size, self.embedder)
        return self._label(units, texts, vectors, document.language)

    def _label(self, units: Sequence[Span], texts: Sequence[str], vectors: Vectors, language: Language) -> Topics:
        clusters = find_clusters(vectors, self.topics, self.min_sentences, self.method)
        costs = distances(vectors, clusters.centers)
        labels = _smooth(costs, self.smoothing, self.switch_penalty, self.min_sentences)
        # Numbered as they appear in the text; smoothing may leave some topics without a sentence, and those come last.
        order = list(dict.fromkeys([*labels, *range(costs.shape[1])]))
        costs, labels = costs[:, order], [order.index(label) for label in labels]
        names = topic_names(texts, labels, language)
        return Topics(tuple(units), tuple(_nearest(costs)), tuple(labels), names, clusters.silhouettes)


def topic_boundaries(
    units: Sequence[str],
    embedder: Embedder,
    *,
    topics: int | None = None,
    method: ClusterMethod = "kmeans",
    min_sentences: int = 5,
    smoothing: Smoothing = "viterbi",
    switch_penalty: float = 0.5,
) -> list[int]:
    """Indices of the units (sentences, turns) that start a segment, where the topic changes; 0 is the first.

    Parameters are those of :class:`TopicChunker`, without limits of size. Raises :class:`TopicsRefusedError` where
    there is too little in the units, and ``ValueError`` for settings that cannot work.
    """
    check_topics(topics, min_sentences, method)
    checks.one_of("smoothing", smoothing, Smoothing)
    checks.number("switch_penalty", switch_penalty, 0)
    vectors = sentence_vectors(units, embedder)
    costs = distances(vectors, find_clusters(vectors, topics, min_sentences, method).centers)
    return [0, *_changes(_smooth(costs, smoothing, switch_penalty, min_sentences))]


def _smooth(costs: NDArray[np.float64], smoothing: Smoothing, penalty: float, min_sentences: int) -> list[int]:
    if smoothing == "viterbi":
        return viterbi(costs, penalty, min_sentences)
    nearest = _nearest(costs)
    if smoothing == "none":
        return nearest
    # Runs of at least min_sentences that contradict as few votes as possible.
    votes = np.array(majority(nearest))
    return viterbi((votes[:, None] != np.arange(costs.shape[1])).astype(np.float64), 0, min_sentences)


def _nearest(costs: NDArray[np.float64]) -> list[int]:
    nearest: list[int] = costs.argmin(axis=1).tolist()
    return nearest


def _changes(labels: Sequence[int]) -> list[int]:
    """Where a sentence has another label than the one before it."""
    return [i for i in range(1, len(labels)) if labels[i] != labels[i - 1]]


def _with_topics(chunks: Sequence[Chunk], topics: Topics) -> list[Chunk]:
    """The chunks with the topic of most of their sentences, the earlier one among equals."""
    starts = [unit.start for unit in topics.units]
    labelled = []
    for chunk in chunks:
        inside = topics.labels[bisect_left(starts, chunk.start) : bisect_left(starts, chunk.end)]
        topic = Counter(inside).most_common(1)[0][0]
        metadata: dict[str, JSON] = {**chunk.metadata, "topic": topic}
        labelled.append(replace(chunk, context=topics.names[topic], metadata=metadata))
    return labelled
