"""Ways to send less of a long passage: its summary, or its beginning and its end.

Lesson 25 builds it.

Each keeps exact spans, so what is lost by it is measured as everything else in the course: by evidence that is still
there, at the same number of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Language, Node, Passage, Retriever, Span, Where
from hierrag_lessons.retrievers.batches import BatchRetriever, ask, check_request
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.summaries import ExtractiveSummariser
from hierrag_lessons.text import Measure, count_tokens, make_ruler

Shorten = Callable[[Passage], Sequence[Passage]]


def head_and_tail(passage: Passage, max_tokens: int = 300, measure: Measure = count_tokens) -> list[Passage]:
    """The beginning and the end of a passage, half of the tokens each; the middle is left out.

    >>> long = Passage("d", 10, 36, "abcdefghijklmnopqrstuvwxyz")
    >>> [(piece.start, piece.text) for piece in head_and_tail(long, 8, measure=len)]
    [(10, 'abcd'), (32, 'wxyz')]

    A passage that is no longer than ``max_tokens`` comes back whole.

    Raises ``ValueError`` for a size below 2.
    """
    checks.instance("passage", passage, Passage)
    checks.whole("max_tokens", max_tokens, 2)
    checks.measure("measure", measure)
    text, half = passage.text, max_tokens // 2
    if measure(text) <= max_tokens:
        return [passage]
    head = make_ruler(text, measure).reach(0, len(text), half)
    tail = _tail(text, head, half, measure)
    return [_part(passage, Span(a, b)) for a, b in ((0, head), (tail, len(text))) if text[a:b].strip()]


def sum_up(passage: Passage, max_tokens: int = 300, language: Language = "en") -> list[Passage]:
    """The sentences of a passage that say most of what the others say, at most ``max_tokens`` of them.

    >>> text = "Good morning. Ann pays the rent on the first of a month. Ann pays the rent by bank transfer. Thanks!"
    >>> [piece.text for piece in sum_up(Passage("lease", 0, len(text), text), 12)]
    ['Ann pays the rent by bank transfer.']

    They are chosen by :class:`~hierrag_lessons.summaries.ExtractiveSummariser` without looking at the question, as a
    summary is that was written when the document was added. A passage that is no longer comes back whole.

    Raises ``ValueError`` for a size below 1 and another language.
    """
    checks.instance("passage", passage, Passage)
    checks.whole("max_tokens", max_tokens, 1)
    checks.one_of("language", language, Language)
    if count_tokens(passage.text) <= max_tokens:
        return [passage]
    document = Document(passage.doc_id, passage.text, "markdown", language)
    node = Node(passage.doc_id, passage.doc_id, 0, 0, len(passage.text), passage.text)
    return [_part(passage, cite) for cite in ExtractiveSummariser().summarise(document, [node], max_tokens).cites]


@dataclass(frozen=True)
class ShortenedRetriever(BatchRetriever):
    """Pass what a retriever finds through a function that keeps less of each passage.

    >>> from functools import partial
    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> pets = build_hierarchy(Document("pets", "Cats sleep. Dogs run."), [SentenceChunker(40, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     short = ShortenedRetriever(FlatRetriever(index), partial(head_and_tail, max_tokens=8, measure=len))
    ...     [piece.text for piece in short.retrieve("dogs", k=2)]
    ['Cats', 'run.']

    ``k`` counts the pieces that are left, so a smaller number of passages may stand behind them. Each piece keeps the
    score and the hits of its passage, though what was hit may be what was left out: that is the price.

    Parameters
    ----------
    retriever:
        Any retriever.
    shorten:
        From a passage to parts of it, for example ``head_and_tail`` or ``sum_up``.

    Raises ``ValueError`` when made with what is no retriever or no function.
    """

    retriever: Retriever
    shorten: Shorten

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        if not callable(self.shorten):
            raise ValueError(f"shorten is {self.shorten!r:.80}; give a function from a passage to parts of it")

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best pieces for each query; a passage that several queries find is shortened once."""
        check_request(queries, k, where)
        found = ask(self.retriever, queries, k, where)
        kept: dict[tuple[str, Span], list[Span]] = {}
        for passage in (passage for passages in found for passage in passages):
            key = (passage.doc_id, passage.span)
            if key not in kept:
                kept[key] = [piece.span for piece in self.shorten(passage)]
        return [best((piece for p in passages for piece in _parts(p, kept[p.doc_id, p.span])), k) for passages in found]


def _parts(passage: Passage, spans: Sequence[Span]) -> list[Passage]:
    return [_part(passage, Span(start - passage.start, end - passage.start)) for start, end in spans]


def _part(passage: Passage, inside: Span) -> Passage:
    """The part of a passage, given by its offsets in the passage's text."""
    start, end = passage.start + inside.start, passage.start + inside.end
    return replace(passage, start=start, end=end, text=passage.text[inside.start : inside.end])


def _tail(text: str, least: int, size: int, measure: Measure) -> int:
    """Where the longest end of a text begins that has at most this size, not before ``least``."""
    low, high = least, len(text)
    while low < high:
        middle = (low + high) // 2
        if measure(text[middle:]) <= size:
            high = middle
        else:
            low = middle + 1
    return low
