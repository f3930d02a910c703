"""``check_chunker`` passes an honest chunker, and names the promise that a dishonest one breaks."""

import re
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import ClassVar

import pytest

from hierrag_lessons import BrokenPromise, check_chunker
from hierrag_lessons.chunkers import FixedSizeChunker, RecursiveChunker
from hierrag_lessons.contracts.document import check_document
from hierrag_lessons.contracts.texts import dialogue, sample_documents
from hierrag_lessons.model import Chunk, Document, Span
from hierrag_lessons.reading import read_dialogue
from hierrag_lessons.text import Measure, count_tokens, snap


@dataclass(frozen=True)
class PageChunker:
    """Pages, which form feeds part; a page above ``max_size`` is cut at its paragraphs, lines, sentences, words."""

    max_size: int = 60
    overlap: int = 0
    measure: Measure = count_tokens

    def __post_init__(self):
        self.inside_a_page()

    def inside_a_page(self):
        return RecursiveChunker(self.max_size, self.overlap, self.measure)

    def pages(self, text, span):
        feeds = [match.start() for match in re.finditer("\f", text) if span.start <= match.start() < span.end]
        edges = [span.start, *feeds, span.end]
        return [Span(*edge) for edge in pairwise(edges)]

    def chunk(self, document, within=None):
        span = document.span if within is None else within
        if not 0 <= span.start <= span.end <= len(document.text):
            raise ValueError(f"within is {span.start}-{span.end}; the text has {len(document.text)} characters")
        inside = self.inside_a_page()
        return [chunk for page in self.pages(document.text, span) for chunk in inside.chunk(document, page)]


# --- each with one fault ---------------------------------------------------------------------------------------------


class LosesTheLastPage(PageChunker):
    def pages(self, text, span):
        return super().pages(text, span)[:-1] or [span]


class CountsFromThePage(PageChunker):
    def chunk(self, document, within=None):
        found = super().chunk(document, within)
        first = document.text.find("\f") + 1
        return [replace(c, start=c.start - first, end=c.end - first) if c.start > first else c for c in found]


class StripsTheText(PageChunker):
    def chunk(self, document, within=None):
        return [replace(chunk, text=" ".join(chunk.text.split())) for chunk in super().chunk(document, within)]


class IgnoresWithin(PageChunker):
    def chunk(self, document, within=None):
        super().chunk(document, within)
        return super().chunk(document) if within is None or within.start < within.end else []


class KnowsNoWholeDocument(PageChunker):
    """Where all of the document is the part to cut, it finds nothing."""

    def chunk(self, document, within=None):
        found = super().chunk(document, within)
        return [] if within == document.span else found


class UndecidedInParts(PageChunker):
    calls = count()

    def chunk(self, document, within=None):
        found = super().chunk(document, within)
        odd = within is not None and within != document.span and next(self.calls) % 2
        return PageChunker(max(1, self.max_size - 1)).chunk(document, within) if odd else found


class CutsCharacters(PageChunker):
    """Every so many code points, as ``text[i : i + n]`` does."""

    def chunk(self, document, within=None):
        super().chunk(document, within)
        size, span = max(1, self.max_size // 8), within or document.span
        spans = [Span(start, min(start + size, span.end)) for start in range(span.start, span.end, size)]
        return [
            Chunk(document.doc_id, *span, document.text[slice(*span)])
            for span in spans
            if document.text[slice(*span)].strip()
        ]


class LongestFirst(PageChunker):
    def chunk(self, document, within=None):
        return sorted(super().chunk(document, within), key=lambda chunk: len(chunk.text), reverse=True)


class Twice(PageChunker):
    def chunk(self, document, within=None):
        return [chunk for chunk in super().chunk(document, within) for _ in range(2)]


class Undecided(PageChunker):
    calls = count()

    def inside_a_page(self):
        return RecursiveChunker(self.max_size - next(self.calls) % 2 * (self.max_size > 1), 0, self.measure)


class RemembersByName(PageChunker):
    seen: ClassVar[dict] = {}

    def chunk(self, document, within=None):
        key = (document.doc_id, within, self.max_size)
        if key not in self.seen:
            self.seen[key] = super().chunk(document, within)
        return list(self.seen[key])


class TakesAnySize(PageChunker):
    def __post_init__(self):
        pass


class TakesTooMuchOverlap(PageChunker):
    def __post_init__(self):
        RecursiveChunker(self.max_size)


class TakesText(PageChunker):
    def __post_init__(self):
        if self.max_size < 1 or not 0 <= self.overlap < self.max_size:
            raise ValueError(f"max_size is {self.max_size}, overlap is {self.overlap}")


class NamesNothing(PageChunker):
    def __post_init__(self):
        try:
            super().__post_init__()
        except ValueError:
            raise ValueError("impossible parameters") from None


class WritesItDown(PageChunker):
    def chunk(self, document, within=None):
        chunks = super().chunk(document, within)
        document.metadata["chunks"] = len(chunks)
        return chunks


class NeverCuts(PageChunker):
    """One chunk, marked as oversized."""

    def chunk(self, document, within=None):
        super().chunk(document, within)
        start, end = within or document.span
        text = document.text[start:end]
        large = {"oversized": True} if self.measure(text) > self.max_size else {}
        return [Chunk(document.doc_id, start, end, text, metadata=large)] if text.strip() else []


class NeverCutsAndKeepsQuiet(NeverCuts):
    def chunk(self, document, within=None):
        return [replace(chunk, metadata={}) for chunk in super().chunk(document, within)]


class MarksEverything(PageChunker):
    def chunk(self, document, within=None):
        return [replace(chunk, metadata={"oversized": True}) for chunk in super().chunk(document, within)]


class KeepsParagraphs(PageChunker):
    """A paragraph is no atomic block, however long it is."""

    def chunk(self, document, within=None):
        super().chunk(document, within)
        span = within or document.span
        found = [m.span() for m in re.finditer(r"(?s)\S(?:(?!\n\s*\n).)*", document.text[slice(*span)])]
        pieces = [Span(span.start + start, span.start + end) for start, end in found]
        chunks = [Chunk(document.doc_id, *piece, document.text[slice(*piece)]) for piece in pieces]
        return [replace(c, metadata={"oversized": True}) if self.measure(c.text) > self.max_size else c for c in chunks]


class CountsTokensOnly(PageChunker):
    def inside_a_page(self):
        return RecursiveChunker(self.max_size, self.overlap)


class OverlapsInTheMiddleOfAWord(PageChunker):
    def chunk(self, document, within=None):
        made = PageChunker(self.max_size - self.overlap, 0, self.measure).chunk(document, within)
        for i, chunk in enumerate(made[1:], 1):
            start = snap(document.text, max(chunk.start - self.overlap, made[i - 1].start + 1))
            if made[i - 1].start < start < made[i - 1].end:
                made[i] = replace(chunk, start=start, text=document.text[start : chunk.end])
        return made


class OverlapsTwiceAsMuch(PageChunker):
    def inside_a_page(self):
        return RecursiveChunker(self.max_size, min(2 * self.overlap, max(0, self.max_size - 1)), self.measure)

    def __post_init__(self):
        RecursiveChunker(self.max_size, self.overlap, self.measure)


class KeepsBlanks(PageChunker):
    def chunk(self, document, within=None):
        chunks, span = super().chunk(document, within), within or document.span
        return chunks or ([Chunk(document.doc_id, *span, document.text[slice(*span)])] if span.end > span.start else [])


class TakesAnyWithin(PageChunker):
    def chunk(self, document, within=None):
        return super().chunk(document, Span(0, 0) if within and not 0 <= within.start <= within.end else within)


class FailsOnSurrogates(PageChunker):
    def chunk(self, document, within=None):
        document.text.encode("utf-8")
        return super().chunk(document, within)


class Yields(PageChunker):
    def chunk(self, document, within=None):
        yield from super().chunk(document, within)


class PutsASetIntoMetadata(PageChunker):
    def chunk(self, document, within=None):
        return [replace(chunk, metadata={"words": set(chunk.text)}) for chunk in super().chunk(document, within)]


class CallsItOther(PageChunker):
    def chunk(self, document, within=None):
        return [replace(chunk, doc_id="other") for chunk in super().chunk(document, within)]


@dataclass
class CanBeSet:
    max_size: int = 60

    def chunk(self, document, within=None):
        return PageChunker(self.max_size).chunk(document, within)


class IsNoDataclass:
    max_size = 60

    def chunk(self, document, within=None):
        return PageChunker(self.max_size).chunk(document, within)


@dataclass(frozen=True, eq=False)
class EqualsNothing:
    max_size: int = 60

    def chunk(self, document, within=None):
        return PageChunker(self.max_size).chunk(document, within)


@dataclass(frozen=True)
class NoSize:
    def chunk(self, document, within=None):
        return PageChunker().chunk(document, within)


@dataclass(frozen=True)
class RepeatsUnasked:
    max_size: int = 60

    def __post_init__(self):
        RecursiveChunker(self.max_size)

    def chunk(self, document, within=None):
        return PageChunker(self.max_size, self.max_size // 3).chunk(document, within)


BROKEN = [
    (LosesTheLastPage(), "cover: every character that is not white space lies in at least one chunk"),
    (CountsFromThePage(), "text: a chunk's text is document.text[start:end]"),
    (StripsTheText(), "text: a chunk's text is document.text[start:end]"),
    (IgnoresWithin(), "within: every chunk lies in what was to be cut"),
    (KnowsNoWholeDocument(), "cover: every character that is not white space lies in at least one chunk"),
    (UndecidedInParts(), "determinism: the same parts of a document give the same chunks"),
    (CutsCharacters(), "characters: no cut falls inside a grapheme cluster"),
    (LongestFirst(), "order: chunks are in document order"),
    (Twice(), "order: chunks are in document order"),
    (Undecided(), "determinism: the same document gives the same chunks"),
    (RemembersByName(), "determinism: neither what was cut before nor the document's name"),
    (TakesAnySize(), "refused: a chunker cannot be made with max_size='7'"),
    (TakesTooMuchOverlap(), "refused: a chunker cannot be made with overlap='7'"),
    (TakesText(), "refused: a chunker cannot be made with max_size='7'"),
    (
        NamesNothing(),
        "refused: a chunker cannot be made with max_size='7'; that raises a ValueError that names max_size",
    ),
    (WritesItDown(), "untouched: a document is only read"),
    (NeverCuts(), "size: only what cannot be divided may be oversized"),
    (NeverCutsAndKeepsQuiet(), "size: no chunk measures more than max_size"),
    (MarksEverything(), "size: only what measures more than max_size is marked oversized"),
    (KeepsParagraphs(), "size: only what cannot be divided may be oversized"),
    (CountsTokensOnly(20, 0, len), "size: no chunk measures more than max_size"),
    (OverlapsInTheMiddleOfAWord(40, 9, len), "overlap: what is repeated begins where a word begins"),
    (OverlapsTwiceAsMuch(24, 4), "overlap: at most `overlap` is repeated, in the unit of max_size"),
    (KeepsBlanks(), "blank: no chunk is only white space"),
    (TakesAnyWithin(), "refused: a `within` that does not lie in the document"),
    (FailsOnSurrogates(), "any text: every document, and every part of it, can be cut"),
    (Yields(), "any text: a list of Chunk comes back"),
    (PutsASetIntoMetadata(), "metadata: a chunk's metadata is what JSON can hold"),
    (CallsItOther(), "text: a chunk names its document"),
    (NoSize(), "size: a chunker has a parameter max_size"),
    (RepeatsUnasked(), "overlap: nothing is repeated where no parameter says so"),
    (CanBeSet(), "frozen: the parameters of a chunker cannot be set"),
    (IsNoDataclass(), "frozen: a chunker is an instance of a frozen dataclass"),
    (EqualsNothing(), "frozen: a chunker equals another one with the same parameters"),
]


@pytest.mark.parametrize(
    "chunker",
    [PageChunker(), PageChunker(7, 2), PageChunker(1), PageChunker(50, 10, len), PageChunker(400, 40)],
    ids=repr,
)
def test_an_honest_chunker_keeps_its_promises(chunker):
    check_chunker(chunker)


@pytest.mark.parametrize(("chunker", "promise"), BROKEN, ids=[type(chunker).__name__ for chunker, _ in BROKEN])
def test_a_broken_promise_is_named_with_what_was_given_and_what_came_back(chunker, promise):
    with pytest.raises(BrokenPromise) as caught:
        check_chunker(chunker)
    error = caught.value
    assert error.promise.startswith(promise)
    message = str(error).splitlines()
    assert message[0] == f"broken promise: {error.promise}"
    assert any(type(chunker).__name__ in line for line in message)
    assert message[-1].lstrip().startswith("came back")
    assert max(map(len, message)) < 1000


@pytest.mark.parametrize("kept", ["code", "formula", "table", "turn"])
def test_what_a_chunker_says_it_keeps_whole_is_never_cut(kept):
    with pytest.raises(BrokenPromise) as caught:
        check_chunker(FixedSizeChunker(120), keeps=[kept])
    assert caught.value.promise.startswith(f"wholes: a {kept}")


def test_a_message_shows_the_input_in_short():
    with pytest.raises(BrokenPromise) as caught:
        check_document(NeverCutsAndKeepsQuiet(10), Document("d", "\ud800 word" * 99), Span(0, 300))
    assert str(caught.value) == (
        "broken promise: size: no chunk measures more than max_size, and this one measures 200\n"
        "  chunker    NeverCutsAndKeepsQuiet(max_size=10, overlap=0, measure=count_tokens)\n"
        "  document   'd', kind 'text', language 'en', 594 characters: '" + "\\ud800 word" * 10 + "\\ud800 wo…\n"
        "  within     Span(start=0, end=300)\n"
        "  came back  Chunk(doc_id='d', start=0, end=300, text='"
        + "\\ud800 word" * 10
        + "\\ud800 wo…, context='', metadata={})"
    )


def test_the_sample_is_the_same_every_time_and_cannot_be_left_whole():
    for max_size, measure in ((7, count_tokens), (400, count_tokens), (50, len)):
        documents = sample_documents(max_size, measure)
        assert documents == sample_documents(max_size, measure)
        assert len({document.doc_id for document in documents}) == len(documents)
        assert {(d.kind, d.language) for d in documents} >= {("text", "zh"), ("markdown", "zh"), ("dialogue", "en")}
        assert sum(measure(document.text) > 3 * max_size for document in documents) >= 30


def test_a_measure_of_what_is_rare_ends():
    assert max(len(d.text) for d in sample_documents(100, lambda text: text.count("\f"))) <= 250_000


def test_a_dialogue_is_laid_out_as_the_reader_does(tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("Ann: When?\nBob: Now.\n", encoding="utf-8")
    (read,) = read_dialogue(path, language="en")
    made = dialogue("d", [("Ann", "When?"), ("Bob", "Now.")])
    assert (made.text, made.metadata["turns"]) == (read.text, read.metadata["turns"])
