"""Figures of a report as SVG inside the page: sharp in print, and in the colours of a light or dark page.

Lesson 24 uses it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from hierrag_lessons.evaluation import Cell, Table

WIDTH, LEFT, TOP = 760, 48, 14
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 4", "12 5", "8 3 1 3")
_BINS = 30


def curves(curve: Table, methods: Sequence[str]) -> str:
    """Recall over the budget: a line for each of ``methods``, with its interval as a whisker at each budget.

    ``curve`` is what ``evaluation.budget_curve`` returns. Budgets stand at equal distances, since each is twice the one
    before, and are two at least. Lines differ in colour, dashes and in the name at their end.
    """
    height, right, bottom = 330, 230, 40
    rows = {name: [row for row in curve.records() if row["method"] == name] for name in methods}
    budgets = [_number(row["budget"]) for row in rows[methods[0]]]
    least = min(_number(row["low"]) for found in rows.values() for row in found)
    floor = min(0.8, math.floor(10 * least) / 10)
    step = (WIDTH - LEFT - right) / (len(budgets) - 1)

    def y(value: float) -> float:
        return TOP + (1 - value) / (1 - floor) * (height - TOP - bottom)

    ticks = [tick / 10 for tick in range(round(10 * floor), 11)]
    parts = [_line(LEFT, y(tick), WIDTH - right, y(tick), "grid") for tick in ticks]
    parts += [_text(LEFT - 6, y(tick) + 4, f"{tick:.1f}", "end") for tick in ticks]
    parts += [_text(LEFT + i * step, height - 20, f"{budget:,.0f}", "middle") for i, budget in enumerate(budgets)]
    parts.append(_text(LEFT + (WIDTH - LEFT - right) / 2, height - 4, "tokens of context", "middle"))
    # Equal ends are named in the order of the budget before, as their lines come in, so that few of them cross.
    heights = {name: [y(_number(row["recall"])) for row in reversed(rows[name])] for name in methods}
    ends = _apart({name: heights[name][0] for name in sorted(methods, key=heights.__getitem__)}, 16)
    for place, name in enumerate(methods):
        style = place % len(_DASHES)
        look = f'class="line c{style}" stroke-dasharray="{_DASHES[style]}"'
        shift = 2 * (place - len(methods) / 2)  # whiskers beside each other
        points = [(LEFT + i * step, y(_number(row["recall"]))) for i, row in enumerate(rows[name])]
        parts.append(f'<polyline {look} points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}"/>')
        for (a, b), row in zip(points, rows[name], strict=True):
            low, high = y(_number(row["low"])), y(_number(row["high"]))
            parts.append(f'<path class="line thin c{style}" d="M{a + shift:.1f} {low:.1f}V{high:.1f}"/>')
            parts.append(f'<circle class="dot c{style}" cx="{a:.1f}" cy="{b:.1f}" r="3"/>')
        end = WIDTH - right
        parts.append(f'<path {look} d="M{end + 4} {points[-1][1]:.1f}L{end + 22} {ends[name]:.1f}H{end + 40}"/>')
        parts.append(_text(end + 45, ends[name] + 4, name))
    told = "; ".join(
        f"{name}: {_number(rows[name][0]['recall']):.2f} at {budgets[0]:,.0f} to "
        f"{_number(rows[name][-1]['recall']):.2f} at {budgets[-1]:,.0f}"
        for name in methods
    )
    return _svg(height, f"Recall over tokens of context. {told}.", parts)


def verdict(row: Mapping[str, Cell], decided: bool) -> str:
    """Say whether a method is ahead or behind: nothing is, where the recommendation says that it can't be told."""
    if not decided:
        return "open"
    return str(row["verdict"]) if row["verdict"] in ("ahead", "behind") else "not shown"


def intervals(table: Table, decided: bool) -> str:
    """Draw the difference of each method from the yardstick as a dot, and its interval as a line.

    ``table`` is what ``evaluation.verdicts`` returns. What is shown to be ahead or behind has a colour, and nothing has
    one where the recommendation is not ``decided``.
    """
    rows = [row for row in table.records() if row["difference"] is not None]
    left, right, line = 230, 150, 22
    height = TOP + line * len(rows) + 34
    ends = [_number(row[name]) for row in rows for name in ("low", "high")]
    least, most = min(0.0, *ends), max(0.0, *ends)
    span = (most - least) or 1.0

    def x(value: float) -> float:
        return left + (value - least) / span * (WIDTH - left - right)

    bottom = TOP + line * len(rows)
    parts = [_line(x(0), TOP - 6, x(0), bottom, "axis"), _text(x(0), bottom + 16, "0", "middle")]
    tick = next((each for each in (0.05, 0.1, 0.2, 0.5) if span / each <= 7), 1.0)
    for place in range(math.ceil(least / tick - 1e-9), math.floor(most / tick + 1e-9) + 1):
        if place:
            parts.append(_line(x(place * tick), TOP - 6, x(place * tick), bottom, "grid"))
            parts.append(_text(x(place * tick), bottom + 16, f"{place * tick:+g}", "middle"))
    for place, row in enumerate(rows):
        y, said = TOP + line * (place + 0.5), verdict(row, decided)
        difference, low, high = (_number(row[name]) for name in ("difference", "low", "high"))
        look = "c0" if said in ("ahead", "behind") else "quiet"
        parts.append(_text(left - 10, y + 4, str(row["method"]), "end"))
        parts.append(f'<path class="line {look}" d="M{x(low):.1f} {y:.1f}H{x(high):.1f}"/>')
        parts.append(f'<circle class="dot {look}" cx="{x(difference):.1f}" cy="{y:.1f}" r="4"/>')
        parts.append(_text(WIDTH - right + 10, y + 4, f"{difference:+z.2f} {said}"))
    parts.append(
        _text(left + (WIDTH - left - right) / 2, height - 3, "difference in recall from the yardstick", "middle")
    )
    told = "; ".join(f"{row['method']}: {_number(row['difference']):+z.2f}" for row in rows)
    return _svg(height, f"Differences in recall with 95 % intervals. {told}.", parts)


def histograms(sizes: Mapping[str, Sequence[int]]) -> str:
    """How long the chunks are: a row of bars for each chunker, all on the same axis of tokens."""
    shown = {name: values for name, values in sizes.items() if values}
    most = max((max(values) for values in shown.values()), default=1)
    step = max(1, math.ceil((most + 1) / _BINS))
    bins = math.ceil((most + 1) / step)
    left, row, right = 130, 46, 60
    height = TOP + row * len(shown) + 34
    wide = (WIDTH - left - right) / bins
    parts: list[str] = []
    for place, (name, values) in enumerate(shown.items()):
        counts = [0] * bins
        for value in values:
            counts[value // step] += 1
        floor = TOP + row * (place + 1) - 6
        for at, count in enumerate(counts):
            if count:
                tall = max(1.0, count / max(counts) * (row - 12))
                where = f'x="{left + at * wide:.1f}" y="{floor - tall:.1f}" width="{wide - 1:.1f}" height="{tall:.1f}"'
                parts.append(f'<rect class="bar" {where}/>')
        parts.append(_line(left, floor, WIDTH - right, floor, "axis"))
        parts.append(_text(left - 8, floor - 6, name, "end"))
        parts.append(_text(WIDTH - right + 6, floor - 6, f"n {len(values):,}"))
    ticks = range(0, most + 1, max(1, round(most / 6 / 50) * 50 or step))
    parts += [_text(left + tick / step * wide, height - 20, f"{tick:,}", "middle") for tick in ticks]
    parts.append(_text(left + (WIDTH - left - right) / 2, height - 4, "tokens of a chunk", "middle"))
    told = "; ".join(f"{name}: {len(values)} chunks, {min(values)} to {max(values)}" for name, values in shown.items())
    return _svg(height, f"Lengths of chunks in tokens. {told}.", parts)


def _svg(height: float, alt: str, parts: Sequence[str]) -> str:
    said = html.escape(alt)
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{said}"><title>{said}</title>'
    return f"<figure>{head}{''.join(parts)}</svg></figure>"


def _line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    return f'<path class="{look}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _number(cell: object) -> float:
    return float(str(cell))


def _apart(places: Mapping[str, float], gap: float) -> dict[str, float]:
    """Each name's height, moved so that neighbours are at least ``gap`` apart and none is above the figure."""
    order = sorted(places, key=places.__getitem__)
    heights = [places[name] for name in order]
    for _ in range(60):
        for i in range(len(heights) - 1):
            lacking = gap - (heights[i + 1] - heights[i])
            if lacking > 0:
                heights[i], heights[i + 1] = heights[i] - lacking / 2, heights[i + 1] + lacking / 2
    down = max(0.0, TOP - heights[0])
    return {name: height + down for name, height in zip(order, heights, strict=True)}
