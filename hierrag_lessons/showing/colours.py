"""The colours of views and figures, which everybody can tell apart.

Lesson 03 uses it.
"""

from __future__ import annotations

import re

from hierrag_lessons import checks

_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")

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
# Orange, sky blue and yellow are too pale for a line on white (under 3:1, WCAG 2.1, 1.4.11). The last two are olive and
# indigo of Paul Tol's scheme "muted" (2021).
LINE_COLOURS = (*(OKABE_ITO[name] for name in ("blue", "vermilion", "green", "purple", "black")), "#999933", "#332288")
"""Colours of the lines of a figure, in this order. Each has 3:1 or more on white."""


def tint(colour: str, strength: float) -> str:
    """Mix ``colour`` (``#rrggbb``) with white: strength 1 is the colour itself, 0 is white.

    Raises ``ValueError`` for a colour in another form, and a strength outside 0 to 1.
    """
    checks.text("colour", colour)
    if not _COLOUR.fullmatch(colour):
        raise ValueError(f"colour is {colour!r}; give one as '#rrggbb', for example '#0072B2'")
    checks.share("strength", strength)
    channels = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - strength * (255 - channel)):02x}" for channel in channels)


INK, PAPER, EDGE = "#1a1a1a", "#ffffff", "#767676"
TINTS = (tint(OKABE_ITO["sky blue"], 0.5), tint(OKABE_ITO["orange"], 0.4))
"""Backgrounds of neighbouring chunks, tokens and bars, taken in turn. They differ in blue against yellow."""
GOLD = tint(OKABE_ITO["yellow"], 0.8)
"""Background of gold evidence and of hits."""
