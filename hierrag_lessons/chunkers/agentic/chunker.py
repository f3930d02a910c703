"""Agentic chunks: a language model draws the boundaries, and code sees to it that nothing goes wrong.

Lesson 11 builds it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hierrag_lessons import checks
from hierrag_lessons.chunkers.agentic.answers import REPAIRS, Log, Repair, ask_about
from hierrag_lessons.chunkers.agentic.joining import Boundary, Piece, join_small, keep_sizes, pack_cells, spans_from
from hierrag_lessons.chunkers.agentic.parts import VERDICTS, Part, Verdict, find_parts
from hierrag_lessons.chunkers.agentic.questions import Estimate, questions_about
from hierrag_lessons.chunkers.cutting import check_sizes, check_within, to_chunks
from hierrag_lessons.chunkers.structure.chunker import SEPARATOR
from hierrag_lessons.chunkers.text_tiling import lexical_starts
from hierrag_lessons.llm import ChatModel, Usage
from hierrag_lessons.model import JSON, Chunk, Document, Span
from hierrag_lessons.text import Measure, Ruler, count_tokens, make_ruler

METHODS = {
    "structure": "cut at headings, paragraphs and sentences, no model needed",
    "model": "cut where the model said",
    "text_tiling": "cut where the vocabulary changes, no model there",
    "recursive": "cut at paragraphs and sentences, where no other boundary was of use",
}
"""How a chunk came about: ``metadata["method"]``."""


@dataclass(frozen=True)
class AgenticReport:
    """How a document was cut; reports of several documents can be added.

    Attributes
    ----------
    parts:
        As in :class:`Estimate`.
    chunks:
        How many chunks each method has made.
    repairs:
        What was repaired in the model's answers, by kind, see :data:`REPAIRS`.
    errors:
        The sentence of each call that gave no usable answer.
    usage:
        What was really read and written.
    """

    parts: Mapping[Verdict, int] = field(default_factory=dict)
    chunks: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[Repair, int] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def __add__(self, other: AgenticReport) -> AgenticReport:
        return AgenticReport(
            dict(Counter(self.parts) + Counter(other.parts)),
            dict(Counter(self.chunks) + Counter(other.chunks)),
            dict(Counter(self.repairs) + Counter(other.repairs)),
            self.errors + other.errors,
            self.usage + other.usage,
        )

    def rows(self) -> list[tuple[str, str, int, str]]:
        """Everything as rows for a table: what is counted, of which kind, how often, and what that means."""
        rows: list[tuple[str, str, int, str]] = []
        rows += [("part", kind, self.parts[kind], why) for kind, why in VERDICTS.items() if kind in self.parts]
        rows += [
            ("chunk by", method, self.chunks[method], why) for method, why in METHODS.items() if method in self.chunks
        ]
        rows += [("repair", kind, self.repairs[kind], why) for kind, why in REPAIRS.items() if kind in self.repairs]
        if self.usage.requests:
            rows.append(("request", "sent", self.usage.requests, "to the model's server"))
            rows.append(("request", "repeated", self.usage.retries, "of those, because one had failed"))
            rows.append(
                ("token", "read", self.usage.prompt_tokens, "counted by the server, or here where it does not count")
            )
            rows.append(("token", "written", self.usage.completion_tokens, "likewise"))
        return rows


@dataclass(frozen=True)
class AgenticChunker:
    """Let a language model choose where difficult text is cut, and check every answer.

    >>> cats, ships = "Cats sleep. Cats eat. Cats purr. ", "Ships sail. Ships sink. "
    >>> document = Document("d", 2 * cats + 2 * ships)
    >>> chunker = AgenticChunker(80, 20, window_size=200, measure=len)
    >>> [(chunk.text[:11], chunk.metadata["method"]) for chunk in chunker.chunk(document)]
    [('Cats sleep.', 'text_tiling'), ('Ships sail.', 'text_tiling')]
    >>> chunker.estimate(document).calls
    1

    The document is cut under its headings first. Parts that fit into one chunk, whose paragraphs have the size of
    chunks, or that are mostly tables and code, are cut without a model. Only the difficult rest is sent (see
    ``hierrag_lessons.chunkers.agentic.parts``), in overlapping windows of labelled sentences. The model answers with
    segments: start, end, first words, titles, reason. A validator repairs what it can, counts it, and a segment that
    stays too large is divided recursively. What the model returns only chooses among the starts of sentences, so no
    answer, however wrong or malicious, can lose or change text. Nothing is remembered: cutting a text twice asks twice.

    Without a ``model`` the difficult parts are cut where the vocabulary changes (TextTiling, Hearst 1997), and their
    chunks say ``"method": "text_tiling"``. That is an algorithm and no language model.

    The idea of asking a model for boundaries is that of LumberChunker (Duarte et al. 2024) and of chonkie's
    SlumberChunker (2025).

    Each chunk's ``context`` is the path of headings above it, and its metadata hold the ``method``: ``"structure"``,
    ``"model"`` (then ``model`` names it and ``reason`` is what it gave), ``"text_tiling"`` or ``"recursive"``.

    Parameters
    ----------
    max_size:
        The largest size of a chunk, in units of ``measure``. Only a table, code or formula (or a single character)
        can be larger, and is then marked ``oversized``.
    min_size:
        Smaller chunks are joined with a neighbour of the same section, and whole sections with the next one below the
        same heading, where both fit together.
    model:
        Who is asked; :func:`~hierrag_lessons.llm.default_chat_model` gives the one that the environment names.
    window_size:
        How much text one question shows. Each window repeats up to ``max_size`` of the one before.
    measure:
        ``count_tokens``, ``len`` for characters, or any function from a string to an integer.

    Raises
    ------
    ValueError
        When it is made, for sizes that cannot work, a model that cannot answer, or a measure that is no function.
    """

    max_size: int = 400
    min_size: int = 100
    model: ChatModel | None = None
    window_size: int = 2000
    measure: Measure = count_tokens

    def __post_init__(self) -> None:
        check_sizes(self.max_size, min_size=self.min_size)
        checks.able("model", self.model, "complete", none="no model")
        checks.whole("window_size", self.window_size, 1)
        checks.measure("measure", self.measure)
        if self.min_size > self.max_size // 2:
            raise ValueError(
                f"min_size is {self.min_size} with max_size {self.max_size}; give at most half of it, or 0 for none"
            )
        if self.window_size < 2 * self.max_size:
            raise ValueError(
                f"window_size is {self.window_size} with max_size {self.max_size}; a window has to hold two chunks"
            )

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it; offsets are always those of the whole document."""
        return self.chunk_and_report(document, within)[0]

    def chunk_and_report(self, document: Document, within: Span | None = None) -> tuple[list[Chunk], AgenticReport]:
        """The chunks, and how they came about: what was sent, what was repaired, what was used."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        parts = find_parts(document, span, ruler, self.max_size, self.min_size)
        log = Log()
        pieces: list[Piece] = []
        for part, whole in zip(parts, spans_from([part.span.start for part in parts], span.end), strict=True):
            if part.difficult:
                pieces += self._divide(document, part, ruler, log)
            elif part.verdict == "even":
                pieces += [Piece(cell.span.start, part.path, "structure") for cell in part.cells]
            else:
                starts = pack_cells(document.text, part.cells, whole, ruler, self.max_size)
                pieces += [Piece(start, part.path, "structure", whole=len(starts) == 1) for start in starts]
        pieces, too_small = join_small(document.text, pieces, span.end, ruler, self.min_size, self.max_size)
        log.repairs["size"] += too_small
        chunks = self._make_chunks(document, span, pieces, ruler)
        report = AgenticReport(
            dict(Counter(part.verdict for part in parts)),
            dict(Counter(str(chunk.metadata["method"]) for chunk in chunks)),
            dict(+log.repairs),
            tuple(log.errors),
            log.usage,
        )
        return chunks, report

    def estimate(self, document: Document, within: Span | None = None) -> Estimate:
        """What a model would have to read and write to cut the document. None is needed for that, and none is asked."""
        span = check_within(document, within)
        ruler = make_ruler(document.text, self.measure)
        parts = find_parts(document, span, ruler, self.max_size, self.min_size)
        questions = [
            question
            for part in parts
            if part.difficult
            for question in questions_about(document.text, part, ruler, self.min_size, self.max_size, self.window_size)
        ]
        return Estimate(
            dict(Counter(part.verdict for part in parts)),
            tuple(question.prompt_tokens for question in questions),
            tuple(question.completion_tokens for question in questions),
        )

    def _divide(self, document: Document, part: Part, ruler: Ruler, log: Log) -> list[Piece]:
        """The pieces of a difficult part: from the model, or from the vocabulary where there is none."""
        text, end = document.text, part.span.end
        sizes = (self.min_size, self.max_size)
        if self.model is None:
            units = spans_from(part.sentences, end)
            starts = lexical_starts(text, units, document.language, ruler, *sizes)
            boundaries = [Boundary(start, "text_tiling") for start in starts]
        else:
            questions = questions_about(text, part, ruler, *sizes, self.window_size)
            boundaries = ask_about(part, questions, self.model, ruler, self.max_size, log)
        pieces, too_large = keep_sizes(text, boundaries, end, part.cells, ruler, self.max_size)
        log.repairs["size"] += too_large
        return pieces

    def _make_chunks(self, document: Document, span: Span, pieces: list[Piece], ruler: Ruler) -> list[Chunk]:
        starts = [piece.start for piece in pieces]
        # What stands before the first block would be white space; from here on it cannot be lost even if it is not.
        spans = spans_from([span.start, *starts[1:]], span.end) if pieces else []
        made = []
        for chunk in to_chunks(document, spans, ruler, self.max_size):
            piece = pieces[max(0, bisect_right(starts, chunk.start) - 1)]
            how: dict[str, JSON] = {"method": piece.method, "title_path": list(piece.path)}
            if piece.method == "model" and self.model is not None:
                how |= {"model": self.model.name, "reason": piece.reason}
            context = SEPARATOR.join(piece.path[-3:])
            made.append(replace(chunk, context=context, metadata={**chunk.metadata, **how}))
        return made
