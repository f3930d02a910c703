"""Characters that cannot be seen, shown by their numbers: for whatever prints text that nobody has read before.

Lesson 01 uses it.

A control (ESC, NUL) can rewrite a terminal, and one of direction (U+202E) turns round what stands beside it. So a
document's or a model's text goes through :func:`visible` before it reaches a page, a card, an answer or a terminal.
"""

from __future__ import annotations

import regex

# Controls, and whatever Unicode calls ignorable (bidi controls, zero-width characters, tags, fillers, soft hyphens).
# The joiners and selectors that hold one emoji together stay: that emoji is what they look like.
INVISIBLE = regex.compile(
    r"(?V1)((?!(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?)\u200D(?=\p{Extended_Pictographic})"
    r"|(?<=\p{Extended_Pictographic})\uFE0F|(?<=[0-9#*])\uFE0F(?=\u20E3))"
    r"[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB\u2800]--[\n\t]])"
)
"""Matches one invisible character; a pattern of the package ``regex`` with one group."""


def visible(text: str) -> str:
    r"""Replace each invisible character with its number.

    >>> visible("a\x1b[2Jb\u202ec\n")
    'a<U+001B>[2Jb<U+202E>c\n'

    Line breaks and tabs stay, and so do all spaces. No control is left that could hide or reorder what is around it.
    """
    return INVISIBLE.sub(lambda match: number_of(match[0]), text)


def one_line(text: str) -> str:
    r"""Put :func:`visible` text on one line.

    >>> one_line("a\n b\x00 ")
    'a b<U+0000>'
    """
    return visible(flat(text))


def flat(text: str) -> str:
    """Make one space of each run of spaces, tabs and line breaks, and none of one at an end."""
    return regex.sub(r"[ \t\n]+", " ", text).strip(" ")


def number_of(character: str) -> str:
    """Write a character as its number, for example ``<U+202E>``."""
    return f"<U+{ord(character):04X}>"
