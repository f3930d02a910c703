"""Stops: which marks end a sentence, and what closes behind them.

Lesson 05 builds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hierrag_lessons.model import Span
from hierrag_lessons.text.sentences.abbreviations import is_abbreviation

_WIDE = "。！？｡︒"
_STOPS = f".!?…‼⁇⁈⁉{_WIDE}"
_CLOSING = "\"'”’»)\\]}）］｝】〕》〉」』*_"

# A stop with the stops and closing marks after it, or a bracket with what is in it (up to one line of it). A Latin stop
# before a letter or a digit is a decimal, a version, a file name or part of an address. The pattern starts with a set
# of characters, because that is what Python's re searches for fast.
_CANDIDATE = re.compile(
    rf"""[{_STOPS}(（\[]
    (?:(?<=[(（\[])[^()（）\[\]\n]{{0,300}}(?P<bracket>[)）\]])
    |(?<![(（\[])(?P<more>[{_STOPS}]*+(?:[ ]\.(?![.\w]))*+)(?:(?<=[…{_WIDE}])|(?![0-9A-Za-z_=&/\\]))
     (?P<closing>[{_STOPS}{_CLOSING}]*)(?:\[\d{{1,3}}\])*
     (?:[ ][)\]”](?=\s|\Z)|[ ]?[:;=]-?[()DPp](?!\w))?)""",
    re.VERBOSE,
)
_GOES_ON = frozenset(",;:)]}、，；：）］】〕》〉」』”")
# Chinese words that no sentence ends with, but that something follows.
_UNFINISHED = frozenset("的是在和与把被从向对给让比")
# After a closing quote: 他问道。 belongs to what was said; 小李说：“… starts something new.
_SAYS = re.compile(r"[^\s，。！？：“”「」]{0,8}?[说說问問道喊叫答想写][^\s：“「]{0,6}?[，。！？；]")
_OPENING = {"”": "“", "’": "‘", "」": "「", "』": "『", '"': '"', "'": "'"}


def sentence_ends(text: str, part: Span) -> Iterator[int]:
    """Where the sentences of ``part`` end, ascending; the last one ends where it does."""
    start = position = _skip_space(text, *part)
    while match := _CANDIDATE.search(text, position, part.end):
        position = match.end()
        if match["bracket"]:
            if match.start() == start:  # The sentence starts with the bracket, so sentences can end inside it.
                position = start + 1
                continue
            if text[position - 2] not in _STOPS:
                continue
        elif match["closing"]:
            position = _before_opening_mark(text, start, match.start(), position)
        if _is_end(text, Span(start, part.end), match, position):
            yield position
            start = position = _skip_space(text, position, part.end)
    yield part.end


def _skip_space(text: str, start: int, end: int) -> int:
    """The place of the first character from ``start`` on that is not white space, or ``end``."""
    while start < end and text[start].isspace():
        start += 1
    return start


def _before_opening_mark(text: str, start: int, stop: int, end: int) -> int:
    """``end``, or the place before the last mark there, where that opens what comes next.

    Straight quotes and the stars of Markdown look alike at both ends: the second, fourth, … of a sentence closes. Only
    where the script puts no space in front of the next sentence is there a doubt. The look back is bounded, which keeps
    the time linear.
    """
    mark = text[end - 1]
    if mark not in "\"'*_" or end == len(text) or text[end].isspace():
        return end
    head = end - 1 if mark in "\"'" else stop + len(text[stop:end].rstrip(mark))
    if not any(before in _WIDE for before in text[stop:head]):
        return end
    return end if text.count(text[head:end], max(start, end - 500), head) % 2 else head


def _is_end(text: str, sentence: Span, match: re.Match[str], end: int) -> bool:
    """Whether the sentence that starts at ``sentence.start`` ends at ``end``, behind the candidate ``match``."""
    following = _skip_space(text, end, sentence.end)
    if following == sentence.end:
        return True
    first, marks = text[following], text[match.start() : end]
    if first in _GOES_ON:
        return False
    if match["bracket"]:
        return following > end and not first.islower()
    if any(mark in _WIDE for mark in marks):
        return following > end or not _belongs_to_more(text, sentence, end)
    if marks[0] == "…" and text[match.start() - 1] >= "\u2e80" and match.start() > sentence.start:
        # 我……我不知道 only hesitates, 那份是……前天的 looks for a word, 梨……等 goes on with the list.
        return match.start() > sentence.start + 2 and text[match.start() - 1] not in _UNFINISHED and first not in "的等"
    if following == end and (first < "\u2e80" or "…" in marks):
        return False
    return _latin_stop_ends(text, sentence, match, following)


def _belongs_to_more(text: str, sentence: Span, end: int) -> bool:
    """Whether what closes at ``end`` is only a part of its sentence, which goes on without a space."""
    closing = text[end - 1]
    if closing in "）)":
        return text[sentence.start] not in "（("
    if closing in _OPENING:  # “…？”他问。 goes on; 他问：“…？” is complete.
        opened = text.rfind(_OPENING[closing], max(sentence.start, end - 500), end - 1)
        return text[opened - 1] not in "：:" and _SAYS.match(text, end, sentence.end) is not None
    return closing in "》〉"


def _latin_stop_ends(text: str, sentence: Span, match: re.Match[str], following: int) -> bool:
    """Whether a stop of the Latin script ends the sentence, judged by what stands before it and at ``following``."""
    first_mark, is_single = text[match.start()], not match["more"]
    if text[following].islower() and (match["closing"] or first_mark == "…" or match["more"].startswith((".", " ."))):
        return False  # "Go!" he said. Well ... perhaps.
    if first_mark == "." and is_single and not match["closing"]:
        return not is_abbreviation(text, sentence, match.start(), following)
    return True
