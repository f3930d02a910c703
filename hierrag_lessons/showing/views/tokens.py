"""A text cut into its tokens.

Lesson 01 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import tiktoken

from hierrag_lessons import checks
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.view import View, count
from hierrag_lessons.text import encode, get_encoding
from hierrag_lessons.text.invisible import visible


@dataclass(frozen=True, repr=False)
class TokenView(View):
    """A text with bars between its tokens; ``encoding`` is the course's vocabulary where it is not given.

    A token that begins or ends inside a character shows the bytes it has of it: ``<e4 b8>``. A line break in a token
    is shown as ``↵`` and a line break.

    Raises ``ValueError`` for what is no text.
    """

    text: str
    encoding: tiktoken.Encoding | None = None

    def __post_init__(self) -> None:
        checks.text("text", self.text)
        checks.instance("encoding", self.encoding, tiktoken.Encoding, none="the course's own")

    @property
    def caption(self) -> str:
        """Number of tokens and characters, and how many tokens break a character."""
        broken = sum(any(isinstance(part, bytes) for part in token) for token in self._tokens)
        note = f"; {count(broken, 'token')} with a part of a character" if broken else ""
        return f"{count(len(self._tokens), 'token')}, {count(len(self.text), 'character')}{note}"

    def body_html(self) -> str:
        """The tokens in two colours by turns, between bars."""
        boxes = []
        for number, token in enumerate(self._tokens):
            parts = [markup.bytes_html(p) if isinstance(p, bytes) else markup.to_html(p) for p in token]
            content = "".join(parts).replace("\n", markup.label("↵") + "\n")
            boxes.append(markup.span(f"{markup.PAINT[number % 2]}border-radius:3px;", content))
        return markup.text_block(_between_bars(boxes))

    def body_text(self) -> str:
        """The tokens between bars."""
        shown = (
            "".join(markup.bytes_text(p) if isinstance(p, bytes) else visible(p) for p in token)
            for token in self._tokens
        )
        return _between_bars([token.replace("\n", "↵\n") for token in shown])

    @cached_property
    def _tokens(self) -> list[list[str | bytes]]:
        encoding = self.encoding or get_encoding()
        return [_parts(encoding.decode_single_token_bytes(token)) for token in encode(self.text, encoding)]


def _between_bars(tokens: Sequence[str]) -> str:
    return f"│{'│'.join(tokens)}│" if tokens else ""


def _parts(raw: bytes) -> list[str | bytes]:
    """A token's whole characters as strings, and what is left of broken ones as bytes."""
    parts: list[str | bytes] = []
    while raw:
        try:
            return [*parts, raw.decode()]
        except UnicodeDecodeError as error:
            if error.start:
                parts.append(raw[: error.start].decode())
            # The continuation bytes of a character that began in an earlier token are one part, not one each.
            end = error.start + 1
            while end < len(raw) and raw[end] & 0xC0 == 0x80:
                end += 1
            parts.append(raw[error.start : end])
            raw = raw[end:]
    return parts
