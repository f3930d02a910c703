"""Pseudo-relevance feedback: the words of what was found first are added to the question.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Language, Retriever
from hierrag_lessons.text import terms

_WORD = regex.compile(r"[\p{Alphabetic}\p{N}]+")


@dataclass(frozen=True)
class FeedbackRewriter:
    """Add to the question the words that the best passages for it speak of; no model is asked.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep on sofas. Dogs run on beaches. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(22, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     FeedbackRewriter(FlatRetriever(index), passages=1, words=2)("Where do dogs run?")
    ('Where do dogs run? beaches',)

    A relevance model (Lavrenko and Croft 2001): a word weighs the sum, over the passages, of its share of the passage's
    words times the passage's weight, which is 1 / rank. The heaviest words that the question has not are added behind
    it; the question stays, as in RM3 (Abdul-Jaleel et al. 2004).

    It stands where HyDE stands, and needs no model: both search with a text that looks like the answer. HyDE's text
    comes from a model that may know the subject, this one's from the first search. Where that was wrong, the added
    words lead further astray.

    Parameters
    ----------
    retriever:
        What makes the first search.
    language:
        That of the passages; in Chinese pairs of characters are words.
    passages:
        How many of the best are read.
    words:
        How many are added at most.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    retriever: Retriever
    language: Language = "en"
    passages: int = 5
    words: int = 10

    def __post_init__(self) -> None:
        checks.able("retriever", self.retriever, "retrieve_batch")
        checks.one_of("language", self.language, Language)
        checks.whole("passages", self.passages, 1)
        checks.whole("words", self.words, 1)

    def __call__(self, question: str) -> tuple[str, ...]:
        """The question with the added words; nothing where the first search adds none."""
        checks.text("question", question)
        asked = {*terms(question, self.language)}
        weights: defaultdict[str, float] = defaultdict(float)
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for rank, passage in enumerate(self.retriever.retrieve_batch([question], self.passages)[0], start=1):
            found = self._terms(passage.text)
            for term, word in found:
                weights[term] += 1 / rank / len(found)
                written[term][word] += 1
        new = [term for term in weights if term not in asked]
        heaviest = sorted(new, key=lambda term: (-round(weights[term], 9), term))[: self.words]
        added = [min(written[term], key=lambda word: (-written[term][word], word)) for term in heaviest]
        return (" ".join([question, *added]),) if added else ()

    def _terms(self, text: str) -> list[tuple[str, str]]:
        """The terms of a text, each with the word that it stands for; of Chinese only pairs."""
        if self.language == "zh":
            return [(term, term) for term in terms(text, "zh") if len(term) > 1]
        return [(term, word) for word in map(str.lower, _WORD.findall(text)) for term in terms(word)]
