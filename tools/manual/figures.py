"""Draw the manual's figures: the front of a meter, and rows of terminals with their wires."""

from dataclasses import dataclass

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable


@dataclass(frozen=True)
class Terminal:
    """A terminal: its number, the wire that leaves it, and whether the wire comes from the network."""

    number: str
    wire: str
    supply: bool


WIRING = {
    "wiring1": [
        Terminal("1", "L", True),
        Terminal("3", "L", False),
        Terminal("4", "N", True),
        Terminal("6", "N", False),
    ],
    "wiring3": [
        Terminal("1", "L1", True),
        Terminal("3", "L1", False),
        Terminal("4", "L2", True),
        Terminal("6", "L2", False),
        Terminal("7", "L3", True),
        Terminal("9", "L3", False),
        Terminal("10", "N", True),
        Terminal("12", "N", False),
    ],
    "wiringct": [
        Terminal("1", "S1", True),
        Terminal("2", "L1", True),
        Terminal("3", "S2", True),
        Terminal("4", "S1", True),
        Terminal("5", "L2", True),
        Terminal("6", "S2", True),
        Terminal("7", "S1", True),
        Terminal("8", "L3", True),
        Terminal("9", "S2", True),
        Terminal("10", "N", True),
    ],
}
# Number in the figure, left, bottom, width, height, in mm from the lower left corner of the meter.
FRONT = [
    (1, 12, 58, 38, 14),
    (2, 56, 60, 8, 8),
    (3, 56, 44, 10, 10),
    (4, 14, 48, 3, 3),
    (5, 12, 34, 38, 10),
    (6, 56, 30, 12, 9),
    (7, 3, 72, 4, 4),
    (8, 2, 2, 72, 22),
    (9, 24, 48, 3, 3),
]


class Figure(Flowable):
    """A figure by its name: `front`, or one of the rows of terminals."""

    def __init__(self, name: str, width: float) -> None:
        super().__init__()
        if name != "front" and name not in WIRING:
            raise ValueError(f"there is no figure {name!r}; known are front, {', '.join(WIRING)}")
        self.name = name
        self.width, self.height = width, (86 if name == "front" else 66) * mm

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        """The size, which does not depend on the room there is."""
        return self.width, self.height

    def draw(self) -> None:
        """Draw it on the canvas that the layout has assigned."""
        canvas: Canvas = self.canv
        canvas.setLineWidth(0.8)
        if self.name == "front":
            self._front(canvas)
        else:
            self._wiring(canvas, WIRING[self.name])

    def _front(self, canvas: Canvas) -> None:
        left = (self.width - 76 * mm) / 2
        canvas.roundRect(left, 2 * mm, 76 * mm, 80 * mm, 3 * mm)
        canvas.setFont("Helvetica", 8)
        for number, x, y, width, height in FRONT:
            canvas.rect(left + x * mm, (y + 2) * mm, width * mm, height * mm)
            canvas.drawCentredString(left + (x + width / 2) * mm, (y + 2 + height / 2 - 1) * mm, str(number))

    def _wiring(self, canvas: Canvas, terminals: list[Terminal]) -> None:
        pitch = 13 * mm
        left = (self.width - pitch * len(terminals)) / 2
        canvas.rect(left - 4 * mm, 34 * mm, pitch * len(terminals) + 8 * mm, 26 * mm)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(left, 54 * mm, "Sentry-5")
        canvas.setFont("Helvetica", 8)
        for place, terminal in enumerate(terminals):
            x = left + pitch * (place + 0.5)
            canvas.circle(x, 40 * mm, 3.4 * mm)
            canvas.drawCentredString(x, 39 * mm, terminal.number)
            end = (8 if terminal.supply else 18) * mm
            canvas.line(x, 36.6 * mm, x, end)
            canvas.drawCentredString(x, end - 4 * mm, terminal.wire)
        canvas.drawString(0, 8 * mm, "Network")
        if not all(terminal.supply for terminal in terminals):
            canvas.drawString(0, 18 * mm, "Customer")
