"""Summaries without a model: the sentences of a text that say most of what the others say.

Lesson 16 builds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.chunkers import words
from hierrag_lessons.model import Document, Node, Span
from hierrag_lessons.spans import merge, overlap
from hierrag_lessons.summaries.protocol import Summary, check_children
from hierrag_lessons.text import Measure, blocks_within, count_tokens, make_ruler, split_sentences

if TYPE_CHECKING:
    from scipy import sparse

_PROSE = ("paragraph", "quote", "list")
_LEAST_TERMS = 5  # Different ones; what has fewer says little on its own.
_DAMPING = 0.15  # The share of a random walk's steps that jump to any sentence; the value of Erkan and Radev.
_STEPS = 60  # What is still missing after so many steps is below 0.85 ** 60, less than one part in 10,000.


@dataclass(frozen=True)
class ExtractiveSummariser:
    """Whole sentences, word for word and in the order of the document, one a line. No language model is asked.

    Sentences are ranked by continuous LexRank (Erkan and Radev, *LexRank*, JAIR 22, 2004), see :func:`lexrank`. They
    are taken by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): always the one with the best rank
    less its likeness to what was taken already, as long as it fits. Short sentences, such as "Thank you.", and
    headings, table rows, code and formulas are only taken where there is nothing else.

    What is read of a node is its spans, so for a derived node the text that it stands for, and not its own words. A
    summary cites exactly its sentences: joined with line breaks, the cited spans are its text. Only where no sentence
    fits, it is the beginning of the best one, cut to fit, yet never shorter than one character.

    Parameters
    ----------
    redundancy:
        The weight of likeness against rank, 0 to 1. With 0 the best sentences are taken even where they say the same;
        from 0.5 on an equal sentence comes after every other.
    measure:
        What ``max_tokens`` counts in.
    max_sentences:
        How many sentences are taken at most; ``None`` for as many as fit.

    Raises
    ------
    ValueError
        When it is made, for ``redundancy`` outside 0 to 1, a measure that is no function, or ``max_sentences`` below 1.
    """

    redundancy: float = 0.5
    measure: Measure = count_tokens
    max_sentences: int | None = None

    def __post_init__(self) -> None:
        checks.share("redundancy", self.redundancy)
        checks.measure("measure", self.measure)
        checks.whole("max_sentences", self.max_sentences, 1, none="as many as fit")

    @property
    def name(self) -> str:
        """``extractive``: the words are the document's own."""
        return "extractive"

    def summarise(self, document: Document, nodes: Sequence[Node], max_tokens: int) -> Summary:
        """See :class:`~hierrag_lessons.summaries.Summariser`; blank nodes give an empty summary without cites."""
        check_children(document, nodes, max_tokens)
        text = document.text
        sentences, terms = _candidates(document, merge(span for node in nodes for span in node.spans))
        if not sentences:
            return Summary("", ())
        ruler = make_ruler(text, self.measure)
        sizes = np.array(ruler.sizes(sentences))
        places = self._by_relevance(terms)
        first, used, chosen = None, 0, list[Span]()
        for place in places:
            first = place if first is None else first
            tried = sorted([*chosen, sentences[place]])
            if (size := self.measure(_join(text, tried))) <= max_tokens:
                chosen, used = tried, size
            sizes[place] = max_tokens + 1
            if sizes.min() > max_tokens - used or len(chosen) == self.max_sentences:
                break
        if not chosen and first is not None:
            start, end = sentences[first]
            chosen = [Span(start, ruler.reach(start, end, max_tokens))]
        return Summary(_join(text, chosen), tuple(chosen))

    def _by_relevance(self, terms: Sequence[Sequence[str]]) -> Iterator[int]:
        """Places of the sentences in the order in which they are to be taken, earlier ones first among equals."""
        vectors = _vectors(terms)
        ranks = lexrank(vectors)
        ranks = ranks / ranks.max()
        likeness = np.zeros(len(terms))
        left = np.ones(len(terms), dtype=bool)
        while left.any():
            # Rounded, since a machine may differ from the next one in the last bits.
            values = np.round((1 - self.redundancy) * ranks - self.redundancy * likeness, 6)
            place = int(np.where(left, values, -np.inf).argmax())
            yield place
            left[place] = False
            likeness = np.maximum(likeness, (vectors @ vectors[[place]].T).toarray().ravel())


def lexrank(vectors: sparse.csr_array) -> NDArray[np.float64]:
    """How central each sentence is: continuous LexRank (Erkan and Radev, 2004).

    A random walk goes from sentence to sentence, the more likely the more words the two share; a sentence's rank is how
    often the walk is there. It is PageRank on cosine similarities. They are never written down as a table of
    all pairs: with ``X`` the vectors, one step is a product with ``X`` and one with its transpose.

    Parameters
    ----------
    vectors:
        Shape ``(n, terms)``, rows of unit length, no negative value. A row of zeros is like nothing else.

    Returns
    -------
    Shape ``(n,)``, sum 1.
    """
    n = vectors.shape[0]
    across = vectors.T
    degrees = vectors @ (across @ np.ones(n))
    alone = degrees == 0  # The walk stays where no word leads away.
    ranks: NDArray[np.float64] = np.full(n, 1 / n)
    for _ in range(_STEPS):
        leaving = np.divide(ranks, degrees, out=np.zeros(n), where=~alone)
        ranks = _DAMPING / n + (1 - _DAMPING) * (vectors @ (across @ leaving) + ranks * alone)
    return ranks


def _candidates(document: Document, spans: Sequence[Span]) -> tuple[list[Span], list[list[str]]]:
    """The sentences to choose from, in order, and the terms of each: long ones of prose, or else prose, or else all."""
    everything = [(sentence, prose) for span in spans for sentence, prose in _marked(document, span)]
    sentences = [sentence for sentence, prose in everything if prose] or [sentence for sentence, _ in everything]
    terms = [words(document.text[start:end], document.language) for start, end in sentences]
    long = [place for place, of_sentence in enumerate(terms) if len(set(of_sentence)) >= _LEAST_TERMS]
    kept = long or range(len(sentences))
    return [sentences[place] for place in kept], [terms[place] for place in kept]


def _marked(document: Document, span: Span) -> Iterator[tuple[Span, bool]]:
    """The sentences in a span, each with whether any of it is prose."""
    blocks = iter([block for block in blocks_within(document, span) if block.kind in _PROSE])
    block = next(blocks, None)
    for sentence in split_sentences(document.text, span):
        while block is not None and block.end <= sentence.start:
            block = next(blocks, None)
        yield sentence, block is not None and overlap(block.span, sentence) > 0


def _vectors(terms: Sequence[Sequence[str]]) -> sparse.csr_array:
    """TF-IDF of sentences among themselves, rows of unit length; zeros for a sentence without a term."""
    from scipy import sparse
    from sklearn.feature_extraction.text import CountVectorizer

    if not any(terms):
        return sparse.csr_array((len(terms), 1), dtype=np.float64)
    counts = sparse.csr_array(CountVectorizer(analyzer=list).fit_transform(terms), dtype=np.float64)
    found_in = np.asarray((counts > 0).sum(axis=0), dtype=np.float64).ravel()
    weighted = counts @ sparse.diags_array(np.log(len(terms) / found_in) + 1)
    lengths = np.sqrt(np.asarray((weighted * weighted).sum(axis=1), dtype=np.float64).ravel())
    shares = np.divide(1.0, lengths, out=np.zeros(len(terms)), where=lengths > 0)
    return sparse.csr_array(sparse.diags_array(shares) @ weighted)


def _join(text: str, spans: Sequence[Span]) -> str:
    return "\n".join(text[start:end] for start, end in spans)
