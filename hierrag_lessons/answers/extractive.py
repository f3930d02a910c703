"""Answers without a language model: sentences of the context, word for word.

Lesson 23 builds it.

An extract answers as a highlighter does. It can't combine, compute or rephrase, so what is measured on it says which
sentences were chosen, and nothing of how a language model would answer.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Answer, Quote, Statement
from hierrag_lessons.model import Language, Passage
from hierrag_lessons.spans import overlap
from hierrag_lessons.text import LONGEST_QUESTION, count_tokens, split_sentences, terms

_HEADING = re.compile(r"#{1,6}[ \t]")
_SATURATION = 0.6  # k1 of BM25 in this course: how fast a repeated word stops to count.
_NOTHING = "The context holds no sentence to quote."


def answer_sentences(passages: Iterable[Passage]) -> list[Quote]:
    r"""The sentences of a context, in the order of the passages; headings and lines without a letter are left out.

    >>> [quote.text for quote in answer_sentences([Passage("d", 7, 28, "# Pets\n\nDogs run. ---")])]
    ['Dogs run.']

    A sentence that a passage cuts comes as far as the passage goes. Raises ``ValueError`` for what are no passages.
    """
    given = checks.each("passages", passages, Passage)
    return [quote for passage in given for quote in _sentences(passage)]


@dataclass(frozen=True)
class LeadAnswerer:
    """The first sentences of the context, as it was packed, until the answer is full: what any answerer has to beat.

    >>> context = [Passage("d", 0, 29, "Dogs run. Cats sleep all day."), Passage("e", 0, 10, "Fish swim.")]
    >>> LeadAnswerer(max_tokens=12).answer("Who swims?", context).text
    'Dogs run. [1] Cats sleep all day. [2]'

    The question is not read: a good retriever has put the answer first.

    Parameters
    ----------
    max_tokens:
        The largest ``Answer.tokens``.

    Raises ``ValueError`` for ``max_tokens`` below 1.
    """

    max_tokens: int = 150

    def __post_init__(self) -> None:
        checks.whole("max_tokens", self.max_tokens, 1)

    def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """See :class:`~hierrag_lessons.answers.Answerer`; the first sentence that does not fit ends the answer."""
        checks.text("question", question)
        chosen: list[Quote] = []
        for quote in answer_sentences(passages):
            if _size([*chosen, quote]) > self.max_tokens:
                break
            chosen.append(quote)
        return _extract(question, chosen, "lead")


@dataclass(frozen=True)
class ExtractiveAnswerer:
    """The sentences of the context that have the question's words and come from what the retriever scored best.

    >>> context = [Passage("d", 0, 29, "Dogs run. Cats sleep all day."), Passage("e", 0, 10, "Fish swim.")]
    >>> ExtractiveAnswerer(max_tokens=8).answer("Who swims?", context).text
    'Fish swim. [1]'

    A sentence's value is

        share of the question's words in it, rare ones counting more
        + ``trust`` * score of the hit that it lies in, 0 to 1 over the context

    and words that the answer has already count ``coverage`` less (the greedy choice of maximal coverage, Filatova and
    Hatzivassiloglou 2004). The best sentence that still fits is taken, again and again; the answer shows them in the
    order of the context. A word is the rarer the fewer sentences of the context have it.

    The weights were chosen on the course's English development questions, see ``benchmarks/answers.py``: trust is what
    counts; from a coverage of 0 to one of 0.5 the share of key facts changes by less than 0.01.

    Parameters
    ----------
    max_tokens:
        The largest ``Answer.tokens``.
    trust:
        How much the retriever's own scores count; with 0 only words do.
    coverage:
        From 0, a word counts in every sentence, to 1, only in the first.
    language:
        That of question and passages: what a word is.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    max_tokens: int = 150
    trust: float = 0.5
    coverage: float = 0.25
    language: Language = "en"

    def __post_init__(self) -> None:
        checks.whole("max_tokens", self.max_tokens, 1)
        checks.number("trust", self.trust, 0)
        checks.share("coverage", self.coverage)
        checks.one_of("language", self.language, Language)

    def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """See :class:`~hierrag_lessons.answers.Answerer`; refused only where the context holds no sentence.

        Of a long question the first ``LONGEST_QUESTION`` characters are read.
        """
        checks.text("question", question)
        given = checks.each("passages", passages, Passage)
        pairs = [(quote, _hit_score(passage, quote)) for passage in given for quote in _sentences(passage)]
        quotes, scores = [quote for quote, _ in pairs], np.array([score for _, score in pairs])
        words = word_matches(question[:LONGEST_QUESTION], quotes, self.language)
        chosen = self._choose(quotes, words, self.trust * _spread(scores))
        return _extract(question, [quotes[place] for place in sorted(chosen)], "extractive")

    def _choose(self, quotes: Sequence[Quote], words: WordMatches, base: NDArray[np.float64]) -> list[int]:
        """The places of the sentences to take. What a sentence adds is counted again only where one was taken."""
        sizes = np.array([count_tokens(quote.text) for quote in quotes])
        free = sizes <= self.max_tokens
        known = np.zeros(words.n_words)
        chosen: list[int] = []
        while free.any():
            new = np.maximum(words.shares - self.coverage * known[words.columns], 0)
            # Rounded, since a machine may differ from the next one in the last bits.
            gains = np.round(base + np.bincount(words.rows, new, len(quotes)), 9)
            order = np.argsort(-gains, kind="stable")
            for place in order[free[order]].tolist():
                free[place] = False
                if _size([quotes[other] for other in sorted([*chosen, place])]) <= self.max_tokens:
                    chosen.append(place)
                    own = words.rows == place
                    known[words.columns[own]] = np.maximum(known[words.columns[own]], words.shares[own])
                    break
        return chosen


class WordMatches(NamedTuple):
    """The words that question and sentences share: which sentence, which of ``n_words`` words, and how much it counts.

    Three arrays of shape ``(n,)``; what a sentence has of the question is at most 1.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    shares: NDArray[np.float64]
    n_words: int


def word_matches(question: str, quotes: Sequence[Quote], language: Language) -> WordMatches:
    """How much of the question each sentence has, word by word."""
    places = {word: place for place, word in enumerate(dict.fromkeys(terms(question, language)))}
    counts = [Counter(term for term in terms(quote.text, language) if term in places) for quote in quotes]
    rows = np.array([row for row, count in enumerate(counts) for _ in count], np.intp)
    columns = np.array([places[word] for count in counts for word in count], np.intp)
    often = np.array([times for count in counts for times in count.values()], np.float64)
    found_in = np.bincount(columns, minlength=len(places))
    rarity = np.array([math.log1p((len(quotes) - n + 0.5) / (n + 0.5)) for n in found_in.tolist()])
    weights = rarity / rarity.sum() if places else rarity
    return WordMatches(rows, columns, often / (often + _SATURATION) * weights[columns], len(places))


def _sentences(passage: Passage) -> Iterator[Quote]:
    for start, end in split_sentences(passage.text):
        text = passage.text[start:end]
        if not _HEADING.match(text) and any(map(str.isalnum, text)):
            yield Quote(passage.doc_id, passage.start + start, passage.start + end, text)


def _hit_score(passage: Passage, quote: Quote) -> float:
    """The score of the best hit that a sentence lies in; minus infinity where it lies in none of the passage's."""
    inside = [hit.score for hit in passage.hits if any(overlap(quote.span, span) for span in hit.node.spans)]
    return max(inside, default=passage.score if not passage.hits else -math.inf)


def _spread(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of any scale on 0 to 1; what was not hit at all is 0."""
    hit = np.isfinite(scores)
    if not hit.any():
        return np.zeros(len(scores))
    low, high = scores[hit].min(), scores[hit].max()
    wide: NDArray[np.float64] = np.where(hit, (scores - low) / (high - low), 0.0) if high > low else hit.astype(float)
    return wide


def _size(quotes: Iterable[Quote]) -> int:
    return count_tokens(" ".join(quote.text for quote in quotes))


def _extract(question: str, quotes: Sequence[Quote], by: str) -> Answer:
    statements = tuple(Statement(quote.text, (quote,)) for quote in quotes)
    return Answer(question, statements, refused=not statements, reason="" if statements else _NOTHING, by=by)
