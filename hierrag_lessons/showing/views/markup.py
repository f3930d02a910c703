"""Untrusted text for a page: escaped, with nothing invisible left in it, in colours that everybody can tell apart.

JupyterLab removes ``<style>`` and some properties from notebooks that it does not trust yet; GitHub removes every
style. So all styles are inline, and whatever a colour says is also said by a word, a bracket or an underline.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

import regex

# Okabe and Ito, "Color Universal Design" (2008): eight colours that people with any kind of colour vision tell apart.
OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky blue": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
}


def tint(colour: str, strength: float) -> str:
    """Mix ``colour`` (``#rrggbb``) with white: strength 1 is the colour itself, 0 is white."""
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - strength * (255 - channel)):02x}" for channel in channels)


INK, PAPER, LINE = "#1a1a1a", "#ffffff", "#767676"
TINTS = (tint(OKABE_ITO["sky blue"], 0.5), tint(OKABE_ITO["orange"], 0.4))
"""Backgrounds of neighbouring chunks, tokens and bars, taken in turn. They differ in blue against yellow."""
GOLD = tint(OKABE_ITO["yellow"], 0.8)
"""Background of gold evidence and of hits."""

# Both a colour and a background everywhere: the page around may be light or dark.
PLAIN = f"color:{INK};background-color:{PAPER};"
PAINT = tuple(f"color:{INK};background-color:{colour};" for colour in TINTS)
PAINT_BOTH = (
    f"{PAINT[0]}background-image:linear-gradient(135deg, {TINTS[0]} 25%, {TINTS[1]} 25%, {TINTS[1]} 50%, "
    f"{TINTS[0]} 50%, {TINTS[0]} 75%, {TINTS[1]} 75%);background-size:12px 12px;border-bottom:2px solid {INK};"
)
PAINT_GOLD = f"color:{INK};background-color:{GOLD};"
_LABEL = (
    f"{PLAIN}border:1px solid {LINE};border-radius:3px;padding:0 3px;font-weight:bold;font-size:85%;white-space:nowrap;"
)
_HIDDEN_CHARACTER = f"{PLAIN}border:1px dotted {INK};font-weight:normal;font-size:85%;white-space:nowrap;"
_TEXT = (
    f"{PLAIN}margin:0;padding:0;border:0;font-size:inherit;line-height:1.7;"
    "white-space:pre-wrap;overflow-wrap:break-word;word-break:normal;"
)
_CARD = (
    f"{PLAIN}border:1px solid {LINE};border-radius:4px;padding:8px 10px;margin:4px 0;line-height:1.5;overflow-x:auto;"
)
_COLUMN = f"{PLAIN}flex:1 1 260px;min-width:0;border:1px solid {LINE};border-radius:4px;padding:6px 8px;"
_BRANCH = f"{PLAIN}border-left:2px solid {LINE};margin:2px 0 2px 10px;padding:0 0 0 8px;"

# Controls, and whatever Unicode calls ignorable (bidi controls, zero-width characters, tags, fillers, soft hyphens).
# The joiners and selectors that hold one emoji together stay: that emoji is what they look like.
_INVISIBLE = regex.compile(
    r"(?V1)((?!(?<=\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]?)\u200D(?=\p{Extended_Pictographic})"
    r"|(?<=\p{Extended_Pictographic})\uFE0F|(?<=[0-9#*])\uFE0F(?=\u20E3))"
    r"[[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB\u2800]--[\n\t]])"
)


def visible(text: str) -> str:
    """``text`` with each invisible character replaced by its number, for example ``<U+202E>``.

    Line breaks and tabs stay, and so do all spaces. No control is left that could hide or reorder what is around it.
    """
    return _INVISIBLE.sub(lambda match: _name(match[0]), text)


def one_line(text: str) -> str:
    """:func:`visible` text on one line."""
    return visible(_flat(text))


def to_html(text: str) -> str:
    """:func:`visible` text, escaped for HTML content and attributes; the marks are framed."""
    pieces = _INVISIBLE.split(text)
    pieces[::2] = [html.escape(piece) for piece in pieces[::2]]
    pieces[1::2] = [_element("hierrag-hidden", _HIDDEN_CHARACTER, _name(character)) for character in pieces[1::2]]
    return "".join(pieces)


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


def gold(text: str) -> str:
    """A piece of a text that is gold evidence: coloured, underlined, in brackets."""
    content = f"{label('⟦')}{to_html(text)}{label('⟧')}"
    return f'<mark style="{PAINT_GOLD}text-decoration:underline;">{content}</mark>'


def box(number: int, content: str) -> str:
    """The ``number``-th of a row of boxes; ``content`` is HTML."""
    return span(f"{PAINT[number % 2]}border:1px solid {LINE};border-radius:3px;", content)


def text_block(content: str) -> str:
    """A text that keeps its line breaks, with or without styles; ``content`` is HTML.

    ``dir="auto"`` lets each line run in the direction of its own first letter.
    """
    # HTML drops a line break right after <pre>; this one is there to be dropped instead of the text's own.
    return f'<pre dir="auto" style="{_TEXT}">\n{content}</pre>'


def section(content: str) -> str:
    """A part of a view below a thin line; ``content`` is HTML."""
    return f'<div style="{PLAIN}border-top:1px solid {LINE};margin:6px 0 0 0;padding:6px 0 0 0;">{content}</div>'


def branch(line: str, below: str, marked: bool) -> str:
    """A tree's node: its line, and below it, indented, ``below``, which is HTML."""
    text = span(PAINT_GOLD if marked else PLAIN, f"<strong>{note(line)}</strong>" if marked else note(line))
    if not below:
        return f'<div style="{_BRANCH}">{text}</div>'
    return f'<details open style="{_BRANCH}"><summary>{text}</summary>{below}</details>'


def columns(contents: Iterable[str]) -> str:
    """Columns of equal width that wrap on a narrow screen; each of ``contents`` is HTML."""
    cells = "".join(f'<div style="{_COLUMN}">{content}</div>' for content in contents)
    return f'<div style="{PLAIN}display:flex;flex-wrap:wrap;gap:8px;margin:6px 0 0 0;">{cells}</div>'


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
