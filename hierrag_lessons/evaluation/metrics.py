"""Measures of one question's retrieved passages against its gold evidence, all of them on spans.

Lesson 03 builds it.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

import regex

from hierrag_lessons import checks
from hierrag_lessons.evaluation.pieces import Located, gains_of, length_of, pieces_of, shown_characters
from hierrag_lessons.spans import cover

ENOUGH = 0.95
"""The share of the evidence from which on a context counts as complete."""


def recall(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """Share of the gold that the passages hold: of its characters (Smith and Troynikov, Chroma 2024), or of its pieces.

    Where somebody looked for passages that say the same (``Evidence.alternatives``), every piece counts alike, and as
    much of it is found as of the place that was found best. Otherwise all pieces together are one text.

    >>> from hierrag_lessons import Evidence, Passage
    >>> recall([Passage("report", 15, 45, "")], [Evidence("report", 10, 20)])
    0.5

    Like every measure here it raises ``ValueError`` where ``evidence`` is empty: an unanswerable question has none.
    """
    gains, pieces = gains_of(passages, evidence)
    return sum(gains) / sum(piece.weight for piece in pieces)


def precision(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """Gold characters found, divided by all characters returned (Chroma 2024); 0 where nothing was returned.

    >>> from hierrag_lessons import Evidence, Passage
    >>> precision([Passage("report", 10, 50, "")], [Evidence("report", 10, 20)])
    0.25

    A character that two passages return is found once but counts twice as returned: the reader pays for it twice.
    """
    shown, returned = shown_characters(passages, evidence), length_of(passages)
    return shown / returned if returned else 0.0


def iou(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """Gold characters found, divided by the characters returned plus the gold missed (Chroma 2024).

    >>> from hierrag_lessons import Evidence, Passage
    >>> iou([Passage("report", 10, 25, "")], [Evidence("report", 5, 20)])
    0.5

    Returned characters are counted as in :func:`precision`, twice where two passages share them.
    """
    _, pieces = gains_of(passages, evidence)
    missed = sum(cover(piece.left()[1]) for piece in pieces)
    return shown_characters(passages, evidence) / (length_of(passages) + missed)


def hit_rate(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """1 where at least one passage shares at least one character with the evidence, else 0. The mean is the rate.

    >>> from hierrag_lessons import Evidence, Passage
    >>> hit_rate([Passage("report", 19, 90, "")], [Evidence("report", 10, 20)])
    1.0
    """
    return float(any(gains_of(passages, evidence)[0]))


def reciprocal_rank(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """1 / rank of the first passage that shares a character with the evidence, 0 where none does. The mean is MRR.

    >>> from hierrag_lessons import Evidence, Passage
    >>> reciprocal_rank([Passage("report", 50, 60, ""), Passage("report", 0, 12, "")], [Evidence("report", 10, 20)])
    0.5
    """
    gains, _ = gains_of(passages, evidence)
    return next((1 / rank for rank, gain in enumerate(gains, start=1) if gain), 0.0)


def ndcg(passages: Sequence[Located], evidence: Sequence[Located], k: int | None = None) -> float:
    """Normalised discounted cumulative gain of the first ``k`` passages (Järvelin and Kekäläinen 2002), from 0 to 1.

    >>> from hierrag_lessons import Evidence, Passage
    >>> found = [Passage("report", 50, 60, ""), Passage("report", 10, 20, "")]
    >>> round(ndcg(found, [Evidence("report", 10, 20)]), 3)
    0.631

    A passage's relevance is the number of gold characters that no earlier passage showed, so a repeat is worth
    nothing. It is divided by ``log2(rank + 1)``. The ideal ranking, which scores 1, has the same passages and every
    missed part of the gold as a passage of its own, the most relevant first. ``k=None`` takes all of them.

    Raises ``ValueError`` for a ``k`` below 1.
    """
    checks.whole("k", k, 1, none="all passages")
    gains, pieces = gains_of(passages, evidence)
    left = [(piece.weight, *piece.left()) for piece in pieces]
    missed = [weight * (part.end - part.start) / size for weight, size, parts in left for part in parts]
    return _dcg(gains[:k]) / _dcg(sorted(gains + missed, reverse=True)[:k])


def document_coverage(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """Share of the documents with evidence from which there is at least one passage, whatever part it shows.

    >>> from hierrag_lessons import Evidence, Passage
    >>> document_coverage([Passage("report", 0, 5, "")], [Evidence("report", 10, 20), Evidence("letter", 0, 9)])
    0.5
    """
    wanted = {frozenset(doc_id for doc_id, _ in piece.missing) for piece in pieces_of(evidence)}
    found = {passage.doc_id for passage in passages}
    return sum(not doc_ids.isdisjoint(found) for doc_ids in wanted) / len(wanted)


def complete(passages: Sequence[Located], evidence: Sequence[Located]) -> float:
    """1 where the passages hold at least 95 % of the evidence, as :func:`recall` counts it, else 0.

    >>> from hierrag_lessons import Evidence, Passage
    >>> complete([Passage("report", 0, 196, "")], [Evidence("report", 0, 200)])
    1.0

    The mean is the share of questions that can be answered in full. The 5 % forgive a full stop or a heading cut off.
    """
    return float(recall(passages, evidence) >= ENOUGH)


def completeness(text: str, key_facts: Sequence[str]) -> float:
    """Share of the key facts that occur in ``text``, which is a context or an answer.

    >>> completeness("Revenue grew by 14.2%.", ["14.2%", "4.2%"])
    0.5

    Case, the width of a character (NFKC: ``１５％`` is ``15%``) and the length of white space do not matter, and white
    space next to a Chinese, Japanese or Korean character does not count at all. A fact must not begin or end inside
    a number, nor begin inside a word: ``4.2`` is not found in ``14.2`` or ``4.25``, ``day`` is found in ``days``.

    Raises ``ValueError`` where ``key_facts`` is empty or one of them is blank.
    """
    checks.text("text", text)
    if not checks.texts("key_facts", key_facts):
        raise ValueError("key_facts is empty; completeness is only defined for a question that has key facts")
    normal = _normalise(text)
    return sum(_occurs(fact, normal) for fact in key_facts) / len(key_facts)


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


_CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Block=CJK_Symbols_And_Punctuation}]"
_SPACE_AT_CJK = regex.compile(rf"(?<={_CJK}) | (?={_CJK})")
_WORD = r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{Nd}]"  # scripts that put spaces between their words
_BEGINS_INSIDE = regex.compile(rf"(?<={_WORD}|\p{{Nd}}[.,])(?=\p{{Nd}})|(?<={_WORD})(?={_WORD})")
_ENDS_INSIDE = regex.compile(r"(?<=\p{Nd})(?=[.,]?\p{Nd})")


def _normalise(text: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACE_AT_CJK.sub("", " ".join(folded.split()))


def _occurs(fact: str, normal_text: str) -> bool:
    wanted = _normalise(fact)
    if not wanted:
        raise ValueError(f"key fact {fact!r} is blank; give the words or the number that the answer must have")
    place = normal_text.find(wanted)
    while place >= 0:
        if not _BEGINS_INSIDE.match(normal_text, place) and not _ENDS_INSIDE.match(normal_text, place + len(wanted)):
            return True
        place = normal_text.find(wanted, place + 1)
    return False
