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
from hierrag_lessons.text.invisible import INVISIBLE, flat, number_of, one_line

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

# What MathJax takes for the beginning or end of a formula, or for a reference to one.
_MATH = regex.compile(r"\$|\\(?=[()\[\]]|begin|end|(?:eq)?ref)")


def to_html(text: str) -> str:
    """Escape text for HTML content; invisible characters are named in frames, and no part is taken for a formula."""
    pieces = INVISIBLE.split(text)
    pieces[::2] = [_MATH.sub(r"<span>\g<0></span>", html.escape(piece)) for piece in pieces[::2]]
    pieces[1::2] = [_element("hierrag-hidden", _HIDDEN_CHARACTER, number_of(character)) for character in pieces[1::2]]
    return "".join(pieces)


def attribute(text: str) -> str:
    """Text on one line with nothing invisible, escaped for an attribute in double quotes."""
    return html.escape(one_line(text))


def note(text: str) -> str:
    """Words around a document's text (a heading, a caption), on one line, as HTML."""
    return f'<span dir="ltr">{to_html(flat(text))}</span>'


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


def _element(name: str, style: str, text: str) -> str:
    # A direction of its own keeps the words in one piece between right-to-left ones.
    return f'<b dir="ltr" class="{name}" style="{style}">{html.escape(text)}</b>'
