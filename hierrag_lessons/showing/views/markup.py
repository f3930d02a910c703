"""Untrusted text for a page: escaped, with nothing invisible left in it, inside elements that need no style.

Lesson 01 uses it.

JupyterLab removes ``<style>`` and some properties from notebooks that it does not trust yet; GitHub removes every
style. So all styles are inline, and whatever a colour says is also said by a word, a bracket or an underline, whatever
an indentation says by a list in a list. JupyterLab also typesets what stands between two ``$`` as a formula, in any
HTML; so each sign that may begin or end one stands in an element of its own, and finds no other there.
"""

from __future__ import annotations

import html

import regex

from hierrag_lessons.showing.colours import EDGE, GOLD, INK, PAPER, TINTS

# Both a colour and a background everywhere: the page around may be light or dark.
PLAIN = f"color:{INK};background-color:{PAPER};"
PAINT = tuple(f"color:{INK};background-color:{colour};" for colour in TINTS)
PAINT_BOTH = (
    f"{PAINT[0]}background-image:linear-gradient(135deg, {TINTS[0]} 25%, {TINTS[1]} 25%, {TINTS[1]} 50%, "
    f"{TINTS[0]} 50%, {TINTS[0]} 75%, {TINTS[1]} 75%);background-size:12px 12px;border-bottom:2px solid {INK};"
)
PAINT_GOLD = f"color:{INK};background-color:{GOLD};"
_LABEL = (
    f"{PLAIN}border:1px solid {EDGE};border-radius:3px;padding:0 3px;font-weight:bold;font-size:85%;white-space:nowrap;"
)
_HIDDEN_CHARACTER = f"{PLAIN}border:1px dotted {INK};font-weight:normal;font-size:85%;white-space:nowrap;"
_TEXT = (
    f"{PLAIN}margin:0;padding:0;border:0;font-size:inherit;line-height:1.7;"
    "white-space:pre-wrap;overflow-wrap:break-word;word-break:normal;"
)
_CARD = (
    f"{PLAIN}border:1px solid {EDGE};border-radius:4px;padding:8px 10px;margin:4px 0;line-height:1.5;overflow-x:auto;"
)

# Controls, and whatever Unicode calls ignorable (bidi controls, zero-width characters, tags, fillers, soft hyphens).
# The joiners and selectors that hold one emoji together stay: that emoji is what they look like.
_INVISIBLE = regex.compile(
    r"(?V1)((?!(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?)\u200D(?=\p{Extended_Pictographic})"
    r"|(?<=\p{Extended_Pictographic})\uFE0F|(?<=[0-9#*])\uFE0F(?=\u20E3))"
    r"[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB\u2800]--[\n\t]])"
)

# What MathJax takes for the beginning or end of a formula, or for a reference to one.
_MATH = regex.compile(r"\$|\\(?=[()\[\]]|begin|end|(?:eq)?ref)")


def visible(text: str) -> str:
    """``text`` with each invisible character replaced by its number, for example ``<U+202E>``.

    Line breaks and tabs stay, and so do all spaces. No control is left that could hide or reorder what is around it.
    """
    return _INVISIBLE.sub(lambda match: _name(match[0]), text)


def one_line(text: str) -> str:
    """:func:`visible` text on one line."""
    return visible(_flat(text))


def to_html(text: str) -> str:
    """:func:`visible` text, escaped for HTML content; the marks are framed, and no part is taken for a formula."""
    pieces = _INVISIBLE.split(text)
    pieces[::2] = [_MATH.sub(r"<span>\g<0></span>", html.escape(piece)) for piece in pieces[::2]]
    pieces[1::2] = [_element("hierrag-hidden", _HIDDEN_CHARACTER, _name(character)) for character in pieces[1::2]]
    return "".join(pieces)


def attribute(text: str) -> str:
    """:func:`one_line` text, escaped for an attribute in double quotes."""
    return html.escape(one_line(text))


def note(text: str) -> str:
    """Words around a document's text (a heading, a caption), on one line, as HTML."""
    return f'<span dir="ltr">{to_html(_flat(text))}</span>'


def label(text: str) -> str:
    """A framed note inside a document's text, which is not a part of that text."""
    return _element("hierrag-label", _LABEL, text)


def bytes_text(raw: bytes) -> str:
    """Bytes that are no whole character, written ``<e4 b8>``."""
    return f"<{raw.hex(' ')}>"


def bytes_html(raw: bytes) -> str:
    """:func:`bytes_text`, escaped and framed."""
    return _element("hierrag-hidden", _HIDDEN_CHARACTER, bytes_text(raw))


def span(style: str, content: str) -> str:
    """A piece of a text in a style; ``content`` is HTML."""
    return f'<span style="{style}">{content}</span>'


def text_block(content: str) -> str:
    """A text that keeps its line breaks, with or without styles; ``content`` is HTML.

    ``dir="auto"`` lets each line run in the direction of its own first letter.
    """
    # HTML drops a line break right after <pre>; this one is there to be dropped instead of the text's own.
    return f'<pre dir="auto" style="{_TEXT}">\n{content}</pre>'


def folded(summary: str, content: str, is_open: bool = False) -> str:
    """``content``, which is HTML, under a line that unfolds it; ``summary`` is HTML."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{content}</details>"


def card(content: str) -> str:
    """The frame around a view; ``content`` is HTML."""
    return f'<div style="{_CARD}">{content}</div>'


def _flat(text: str) -> str:
    return regex.sub(r"[ \t\n]+", " ", text).strip(" ")


def _name(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def _element(name: str, style: str, text: str) -> str:
    # A direction of its own keeps the words in one piece between right-to-left ones.
    return f'<b dir="ltr" class="{name}" style="{style}">{html.escape(text)}</b>'
