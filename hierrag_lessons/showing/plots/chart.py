"""What all figures have in common: size, font, colours, and the numbers that go with them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.patches import Rectangle
from matplotlib.typing import RcKeyType

from hierrag_lessons.evaluation import Table
from hierrag_lessons.model import Span
from hierrag_lessons.showing.colours import EDGE, INK

WIDTH = 9.0  # inches
FONT = "DejaVu Sans"  # comes with matplotlib, so a figure looks the same on every machine
STYLE: dict[RcKeyType, Any] = {
    "font.family": FONT,
    "font.size": 10.5,
    "legend.fontsize": 10.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": EDGE,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "hatch.color": INK,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "text.parse_math": False,
}


class Chart(Figure):
    """A figure, the numbers that it draws, and its description for those who can't see it.

    It knows nothing of pyplot, so it is shown once, where it is the value of a cell, and needs no closing. Its plain
    text, which a notebook keeps next to the image, is the description and the numbers.
    """

    numbers: Table
    alt: str

    def __repr__(self) -> str:
        return f"{self.alt}\n{self.numbers!r}"

    __str__ = __repr__  # matplotlib has a str() of its own, and print() should give the numbers.

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        # Without this, matplotlib's version would be part of a file that is otherwise the same.
        self.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()


@contextmanager
def chart(height: float, rows: int = 1, width: float = WIDTH) -> Iterator[tuple[Chart, list[Axes]]]:
    """A new chart, in inches, with ``rows`` axes that share x, to be drawn on inside the ``with`` block."""
    with mpl.rc_context(STYLE):
        figure = Chart(figsize=(width, height), dpi=100, layout="constrained")
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False)
        yield figure, list(axes[:, 0])
        # Tick labels are made when they are first drawn, which has to be while the style is in force.
        # The layout of the first drawing moves ticks, the second one settles, and then it is kept.
        figure.draw_without_rendering()
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def bar(axes: Axes, y: float, span: Span, colour: str, hatch: str = "") -> None:
    """A span as a bar at height ``y``."""
    box = (span.start, y - 0.3), span.end - span.start, 0.6
    axes.add_patch(Rectangle(*box, facecolor=colour, edgecolor=INK, linewidth=0.6, hatch=hatch or None))


def check_names(names: Iterable[str]) -> list[str]:
    """The names, for an axis.

    Raises ``ValueError`` where there is none, or one has a character that the figures' font lacks.
    """
    checked = list(names)
    if not checked:
        raise ValueError("there is nothing to draw; give at least one row")
    for name in checked:
        missing = "".join(sorted({character for character in name if ord(character) not in _glyphs()}))
        if missing:
            raise ValueError(
                f"the name {name!r} has {missing!r}, which {FONT} can't draw; give a name in Latin letters"
            )
    return checked


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont(FONT)).get_charmap())
