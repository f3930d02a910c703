"""What a person says of a passage, read from a line that was typed.

Lesson 24 uses it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hierrag_lessons.model import Span

Verdict = Literal["accept", "same", "no", "done", "skip", "quit"]

HELP = """\
  y 2    its sentence 2 answers, or answers a part       y 2-3  sentences 2 to 3; y alone, and you are asked which
  s 2    its sentence 2 says all of the same as the one before; s alone, and you are asked which
  n      it does not, show the next (Enter does the same)
  d      done: keep the question with what was accepted  k      skip this question, keep nothing of it
  q      stop; what is saved stays saved                 ?      this list"""

_KEYS: dict[str, Verdict] = {"y": "accept", "s": "same", "n": "no", "": "no", "d": "done", "k": "skip", "q": "quit"}
_LINE = re.compile(r"([a-z]?)\s*(?:(\d+)(?:\s*-\s*(\d+))?)?")


@dataclass(frozen=True)
class Judgement:
    """A verdict and, where a passage was accepted, the span that answers."""

    verdict: Verdict
    span: Span | None = None


def read_judgement(line: str, passage: Span, sentences: Sequence[Span]) -> Judgement | str:
    """The judgement that a line stands for, or what is wrong with it, in words for whoever typed it.

    >>> read_judgement("y 2", Span(0, 9), [Span(0, 4), Span(5, 9)])
    Judgement(verdict='accept', span=Span(start=5, end=9))
    >>> read_judgement("y 3", Span(0, 9), [Span(0, 4), Span(5, 9)])
    'This passage has the sentences 1 to 2.'

    Capital and full-width letters and digits are read as well.
    """
    typed = _LINE.fullmatch(_narrow(line).strip().lower())
    key = typed[1] if typed else None
    if typed is None or key not in _KEYS or (typed[2] and key not in ("y", "s", "")):
        return "Type one of y, s, n, d, k, q, or ? for what they do."
    verdict = _KEYS[key]
    if not typed[2]:
        return Judgement(verdict, passage if verdict in ("accept", "same") else None)
    first, last = int(typed[2]), int(typed[3] or typed[2])
    if not 1 <= first <= last <= len(sentences):
        return f"This passage has the sentences 1 to {len(sentences)}."
    return Judgement("same" if key == "s" else "accept", Span(sentences[first - 1].start, sentences[last - 1].end))


def _narrow(line: str) -> str:
    """Full-width letters, digits and spaces, as an input method for Chinese gives them, as ASCII."""
    return "".join(chr(ord(c) - 0xFEE0) if "！" <= c <= "～" else c for c in line.replace("\u3000", " "))
