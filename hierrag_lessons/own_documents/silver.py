"""Questions made from the documents themselves, for a first look where nobody has written any: silver, not gold.

Lesson 24 uses it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from random import Random
from typing import Literal, NamedTuple

import regex

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Evidence, Question
from hierrag_lessons.model import Document, Language, Span
from hierrag_lessons.own_documents.page_ends import page_ends
from hierrag_lessons.spans import merge
from hierrag_lessons.text import read_blocks, split_sentences, terms

SILVER = "silver"
"""The type of every question that a program has made."""

SILVER_LIMITS = (
    "Silver questions are words of a known passage, so they are easier than what people ask, and favour search by "
    "words and methods that return single sentences. Each has one passage for an answer: they say nothing about "
    "questions that need several places, or that the documents do not answer. A passage that says the same in other "
    "words counts as missed. They can show a large difference between ways to cut and to return text; they cannot say "
    "whether to search by words or by vectors, and only questions that people ask show what a user gets."
)
"""What silver questions cannot say, in words for a report."""

_LENGTHS: dict[Language, tuple[int, int]] = {"en": (40, 400), "zh": (14, 160)}  # characters of a sentence
_LONGEST_PARAGRAPH = 5  # times the longest sentence
_MOST_OF_A_DOCUMENT = 3  # a paragraph of more than a third is a page without empty lines
_MOST_PLACES = 5  # of one text; what stands at more is boilerplate that nobody asks for
_FEWEST, _MOST = 2, 6  # words of the passage in a question
_PARAGRAPH_EVERY = 3  # one question in three asks for a paragraph
_KINDS = ("paragraph", "list", "table")

_WORD = regex.compile(r"(?P<han>\p{Han}+)|(?P<word>[\p{L}\p{N}--\p{Han}]+(?:['’._-][\p{L}\p{N}--\p{Han}]+)*)", regex.V1)
_SAY_LITTLE = regex.compile(
    r"[的了和与及或在是为由对将可应不并其之以于按从到被把向所而但如若则且等有我您你他她它们这那个请吗呢吧啊就都也还要会能]+"
)
_NUMBER = regex.compile(r"[\d.,%]+")  # as a rule it is what a question asks for
_LONGEST_PIECE = 4  # Han characters; a longer run is a phrase, and asking in it would be copying


class _Word(NamedTuple):
    """A word as it is written, in small letters, and what it has in common with its other forms."""

    form: str
    key: str


@dataclass(frozen=True, eq=False)
class _Item:
    """A sentence or paragraph that can be asked for."""

    document: Document
    span: Span
    kind: Literal["sentence", "paragraph"]

    @property
    def text(self) -> str:
        return self.document.text[self.span.start : self.span.end]

    @property
    def identity(self) -> str:
        """The same for passages that differ in white space alone."""
        return " ".join(self.text.split())

    @cached_property
    def words(self) -> list[_Word]:
        return list(_words(self.text, self.document.language))


def silver_questions(documents: Sequence[Document], n: int = 200, seed: int = 0) -> list[Question]:
    """Questions whose answer is known because they were made from it, each of type ``SILVER``.

    >>> from hierrag_lessons import Document, silver_questions
    >>> lease = Document("lease.md", "The tenant may leave with three months' notice in writing. The landlord keeps "
    ...     "the boiler in working order. Pets need the written consent of the landlord before they move in.")
    >>> [question] = silver_questions([lease], n=1)
    >>> len(question.question.split()), question.evidence[0].doc_id
    (4, 'lease.md')

    A passage is drawn, and some of its words become the question, in another order, each in another form where the
    documents have one ("reading" for "readings"); numbers are left out, for as a rule they are what a question asks
    for. One more word comes from elsewhere in the document, for nobody asks in the words of one sentence alone. Two
    questions in three are made from a sentence, which is their evidence; one in three from a paragraph, all of which
    is its evidence. The passage's words are so many that no other passage has all of them. Where the same text stands
    elsewhere, these places are alternatives; what stands at more than five places is not asked for. Headings, code and
    formulas are not asked for either, nor what holds a line that recurs at the ends of a PDF's pages, nor a paragraph
    of more than a third of its document. Every document gets a question before any gets a second, and so on.

    See ``SILVER_LIMITS`` for what such questions cannot say.

    Parameters
    ----------
    documents:
        In English or Chinese; each is asked in its own language.
    n:
        How many questions; there are fewer where the documents have too little text.
    seed:
        Another number draws other questions.

    Raises ``ValueError`` for ``n`` below 1, and what is no list of documents.

    Known items: L. Azzopardi, M. de Rijke and K. Balog, "Building simulated queries for known-item topics" (SIGIR
    2007). Asking for a passage with a part of it: K. Lee, M.-W. Chang and K. Toutanova, "Latent retrieval for weakly
    supervised open domain question answering" (ACL 2019), the inverse cloze task.
    """
    documents = checks.each("documents", documents, Document)
    checks.whole("n", n, 1)
    checks.whole("seed", seed, 0)
    asking = _Asking([item for document in documents for item in _items(document)])
    rounds = [asking.about(document, seed) for document in sorted(documents, key=lambda document: document.doc_id)]
    questions: list[Question] = []
    while rounds and len(questions) < n:
        for one in list(rounds):
            made = next(one, None)
            if made is None:
                rounds.remove(one)
            elif len(questions) < n:
                item, text = made
                name = f"{SILVER}-{len(questions) + 1:04}"
                evidence = asking.evidence(item)
                questions.append(Question(name, text, SILVER, None, (evidence,), language=item.document.language))
    return questions


class _Asking:
    """All passages, and what their words are worth."""

    def __init__(self, items: Sequence[_Item]) -> None:
        self.by_document: defaultdict[str, list[_Item]] = defaultdict(list)
        self.places: defaultdict[str, list[_Item]] = defaultdict(list)
        self.holders: defaultdict[str, set[str]] = defaultdict(set)  # a word with the texts that have it
        self.forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.words: defaultdict[str, list[_Word]] = defaultdict(list)  # of each document, as often as they come
        for item in items:
            self.by_document[item.document.doc_id].append(item)
            self.places[item.identity].append(item)
            self.words[item.document.doc_id] += item.words if item.kind == "sentence" else []
            for form, key in item.words:
                self.forms[key][form] += 1
                self.holders[key].add(item.identity)

    def about(self, document: Document, seed: int) -> Iterator[tuple[_Item, str]]:
        """Passages of a document in an order drawn by lot, each with a question, until none is left."""
        lot = Random(f"{seed}:{document.doc_id}")
        drawn: dict[str, list[_Item]] = {"sentence": [], "paragraph": []}
        for item in self.by_document[document.doc_id]:
            drawn[item.kind].append(item)
        for items in drawn.values():
            lot.shuffle(items)
        first = lot.randrange(_PARAGRAPH_EVERY)
        for turn in count(first):
            kind = "paragraph" if turn % _PARAGRAPH_EVERY == 0 else "sentence"
            items = drawn[kind] or drawn["sentence"] or drawn["paragraph"]
            made = None
            while items and made is None:
                item = items.pop()
                text = self._question(item, lot)
                made = (item, text) if text else None
            if made is not None:
                yield made
            elif not any(drawn.values()):
                return

    def _question(self, item: _Item, lot: Random) -> str | None:
        """Words of the passage that no other passage has together, and one of its document; None where it has none."""
        keys = list(dict.fromkeys(word.key for word in item.words))
        if len(keys) <= _FEWEST or len(self.places[item.identity]) > _MOST_PLACES:
            return None
        if item.kind == "paragraph" and self.places[item.identity][0] is not item:
            return None
        lot.shuffle(keys)
        most = min(_MOST, len(keys) - 1)
        for size in range(min(most, lot.randint(_FEWEST, _FEWEST + 1)), most + 1):
            chosen = [self._form(item, key) for key in keys[:size]]
            if self._only(item, keys[:size]):
                chosen += self._beside(item, lot)
                lot.shuffle(chosen)
                return " ".join(chosen)
        return None

    def _beside(self, item: _Item, lot: Random) -> list[str]:
        """A word that the document has elsewhere, a frequent one sooner; none where it has none."""
        own = {word.key for word in item.words}
        others = [word for word in self.words[item.document.doc_id] if word.key not in own]
        return [lot.choice(others).form] if others else []

    def _only(self, item: _Item, keys: Sequence[str]) -> bool:
        """Whether no passage but this one, and those around it or inside it, has all of the words.

        A paragraph is not asked for in words that one of its sentences has alone.
        """
        holders = set.intersection(*(self.holders[key] for key in keys)) - {item.identity}
        if item.kind == "paragraph":
            return not holders
        return all(self._around(other, item) for identity in holders for other in self.places[identity])

    @staticmethod
    def _around(other: _Item, item: _Item) -> bool:
        return other.kind == "paragraph" and item.identity in other.identity

    def _form(self, item: _Item, key: str) -> str:
        """Another form of a word than the passage's, the most frequent of them; the passage's where there is none."""
        own = [form for form, known in item.words if known == key]
        others = [(-times, form) for form, times in self.forms[key].items() if form not in own]
        return min(others)[1] if others else own[0]

    def evidence(self, item: _Item) -> Evidence:
        """The passage, with the other places of the same text as alternatives."""
        others = [other for other in self.places[item.identity] if other is not item and other.kind == item.kind]
        same = tuple(Evidence(other.document.doc_id, *other.span) for other in others)
        return Evidence(item.document.doc_id, *item.span, alternatives=same or None)


def _items(document: Document) -> Iterator[_Item]:
    """The sentences of a document, and the paragraphs of at least three sentences that are no third of all of it."""
    shortest, longest = _LENGTHS[document.language]
    ends = merge(page_ends(document))
    for block in read_blocks(document):
        sentences = split_sentences(document.text, block.span) if block.kind in _KINDS else []
        sentences = [span for span in sentences if not _touches(span, ends)]
        if not sentences:
            continue
        for span in sentences:
            if shortest <= span.end - span.start <= longest:
                yield _Item(document, span, "sentence")
        whole = Span(sentences[0].start, sentences[-1].end)
        fits = whole.end - whole.start <= min(_LONGEST_PARAGRAPH * longest, len(document.text) / _MOST_OF_A_DOCUMENT)
        fits = fits and not _touches(whole, ends)
        if fits and len(sentences) >= 3 and block.kind == "paragraph":
            yield _Item(document, whole, "paragraph")


def _touches(span: Span, others: Sequence[Span]) -> bool:
    """Whether a span shares text with one of others, which are disjoint and in order."""
    place = bisect_right(others, span.start, key=lambda other: other.end)
    return place < len(others) and others[place].start < span.end


def _words(text: str, language: Language) -> Iterator[_Word]:
    """The words that say something, and in Chinese what stands between characters that say little."""
    for match in _WORD.finditer(text):
        if match["han"]:
            pieces = _SAY_LITTLE.split(match["han"])
            yield from (_Word(piece, piece) for piece in pieces if 2 <= len(piece) <= _LONGEST_PIECE)
            continue
        form = match["word"].lower()
        if (known := terms(form, language)) and not _NUMBER.fullmatch(form):
            yield _Word(form, " ".join(known))
