"""What all figures have in common: size, font, colours, and the numbers that go with them.

Lesson 03 uses it.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import matplotlib as mpl
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.patches import Rectangle
from matplotlib.rcsetup import cycler
from matplotlib.typing import RcKeyType

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Table
from hierrag_lessons.model import Span
from hierrag_lessons.showing.colours import EDGE, INK, LINE_COLOURS

WIDTH = 9.0  # inches
FONT = "DejaVu Sans"  # comes with matplotlib, so a figure looks the same on every machine
STYLE: dict[RcKeyType, Any] = {
    "font.family": FONT,
    "font.size": 10.5,
    "legend.fontsize": 10.5,
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": EDGE,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=LINE_COLOURS),
    "grid.color": "#dddddd",
    "hatch.color": INK,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "savefig.facecolor": "white",
    "text.parse_math": False,
}


class Chart(Figure):
    """A figure, its description for those who can't see it, and the numbers that it draws, where there are any.

    It knows nothing of pyplot, so it is shown once, where it is the value of a cell, and needs no closing. Its plain
    text, which a notebook keeps next to the image, is the description and the numbers.
    """

    alt: str = ""
    numbers: Table | None = None

    def __repr__(self) -> str:
        return f"{self.alt}\n{self.numbers!r}" if self.numbers else self.alt

    __str__ = __repr__  # matplotlib has a str() of its own, and print() should give the numbers.

    def png(self) -> bytes:
        """The image, the same bytes in every run."""
        buffer = io.BytesIO()
        # Without this, matplotlib's version would be part of a file that is otherwise the same.
        self.savefig(buffer, format="png", metadata={"Software": None})
        return buffer.getvalue()

    def words_html(self) -> str:
        """The description and the numbers under a line that unfolds them."""
        numbers = self.numbers._repr_html_() if self.numbers else ""
        return f"<details><summary>Figure in words</summary><p>{html.escape(self.alt)}</p>{numbers}</details>"

    def _ipython_display_(self) -> None:
        # Two outputs: the image, and words that every front end shows below it. JupyterLab 4.6 and nbconvert's own
        # template give a PNG no alt text, whatever its metadata says. They would to <img alt> in HTML, but GitHub may
        # remove an image from HTML, and with both forms the image would be in the file twice. The metadata is for
        # those who do read it: nbconvert's classic template, and the builder, for sites made with MyST.
        image = {"image/png": base64.b64encode(self.png()).decode("ascii"), "text/plain": repr(self)}
        display(image, raw=True, metadata={"image/png": {"alt": self.alt}})  # type: ignore[no-untyped-call]
        display({"text/html": self.words_html()}, raw=True)  # type: ignore[no-untyped-call]


@contextmanager
def drawing(height: float, rows: int = 1, columns: int = 1, width: float = WIDTH) -> Iterator[tuple[Chart, list[Axes]]]:
    """A new chart of so many inches, in the course's style, to be drawn on inside the ``with`` block.

    It has ``rows`` by ``columns`` axes, listed row by row; those of a column share x, those of a row share y. Lines
    and markers differ in colour and are told apart by everybody. Inside the block ``alt`` must be given::

        with drawing(3.0) as (figure, [axes]):
            axes.plot(sizes, recalls, marker="o")
            figure.alt = "Recall over the size of the chunks. It rises up to 200 tokens and falls after that."
        figure

    Raises ``ValueError`` for a size or a number of axes that cannot be, and at the end of the block where the chart
    has no ``alt``.
    """
    checks.number("height", height, above=0)
    checks.whole("rows", rows, 1)
    checks.whole("columns", columns, 1)
    checks.number("width", width, above=0)
    with mpl.rc_context(STYLE):
        figure = Chart(figsize=(width, height), dpi=100, layout="constrained")
        axes = figure.subplots(rows, columns, sharex="col", sharey="row", squeeze=False)
        yield figure, list(axes.flat)
        # Tick labels are made when they are first drawn, which has to be while the style is in force.
        # The layout of the first drawing moves ticks, the second one settles, and then it is kept.
        figure.draw_without_rendering()
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    if not figure.alt.strip():
        raise ValueError("the chart has no alt; set figure.alt to one or two sentences that say what is to be seen")


def bar(axes: Axes, y: float, span: Span, colour: str, hatch: str = "", height: float = 0.6) -> None:
    """A span as a bar with its middle at height ``y``."""
    box = (span.start, y - height / 2), span.end - span.start, height
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
