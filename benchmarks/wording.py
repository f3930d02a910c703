"""How far a question's words are those of the text that answers it.

A question that avoids the text's words measures synonyms, not retrieval. Public sets have an overlap of 0.5 to 0.75
with the passage around the answer; so have the course's questions in users' words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from hierrag_lessons.model import Document, Language, Span
from hierrag_lessons.spans import merge

AROUND = 400
"""Characters on each side of the evidence that count as the passage around it."""

ASKING = frozenset(
    ["did", "does", "doing", "don", "didn", "isn", "said", "say", "says", "tell", "use", "used", "using", "way", "ways"]
)
"""Words of asking, which stand in questions about anything."""


def stem(word: str) -> str:
    """A word without its commonest endings: good enough to see that "meters" and "metering" are one word.

    >>> stem("metering") == stem("meters")
    True
    """
    for ending in ("ations", "ation", "ings", "ing", "edly", "ies", "ied", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content_terms(text: str, language: Language) -> set[str]:
    """Stems of the words that carry content; pairs of neighbouring characters in Chinese, and its Latin words."""
    words = re.findall(r"[a-z0-9]+(?:[.,'-][a-z0-9]+)*", text.lower())
    if language == "zh":
        runs = re.findall(r"[\u4e00-\u9fff]+", text)
        return {run[i : i + 2] for run in runs for i in range(len(run) - 1)} | set(words)
    return {stem(word) for word in words if word not in ENGLISH_STOP_WORDS and word not in ASKING and len(word) > 1}


def overlap_with(question: str, passages: Sequence[str], language: Language) -> float:
    """The share of the question's content terms that occur in the passages; 0 for a question without any."""
    asked = content_terms(question, language)
    shown = set().union(*(content_terms(passage, language) for passage in passages))
    return len(asked & shown) / len(asked) if asked else 0.0


def passages_around(spans: Sequence[Span], document: Document, around: int = AROUND) -> list[str]:
    """The text of each span with ``around`` characters on both sides; what overlaps comes once."""
    grown = merge(Span(max(0, start - around), min(len(document.text), end + around)) for start, end in spans)
    return [document.text[start:end] for start, end in grown]
