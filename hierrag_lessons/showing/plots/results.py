"""Figures of measurements: curves, intervals, sizes, similarities.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Literal

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Cell, Table
from hierrag_lessons.showing.colours import INK, LINE_COLOURS, OKABE_ITO, TINTS
from hierrag_lessons.showing.plots.chart import WIDTH, Chart, check_names, drawing

_MARKERS = "os^DvPX"  # one for each of LINE_COLOURS


def budget_curves(curve: Table, scale: Literal["linear", "log"] = "linear") -> Chart:
    """A measure over the size of the context: a line for each method, with its interval as a band.

    Alt text, for example: "recall over context tokens. flat 200: 0.31 at 480 to 0.62 at 1980; parent-child: …"

    Parameters
    ----------
    curve:
        What ``evaluation.budget_curve`` returns: a row for each method and budget, with the columns method, budget,
        context_tokens, the measure, low, high.
    scale:
        Of the axis of context tokens. ``"log"`` gives each doubling the same room.

    Raises
    ------
    ValueError
        Where the scale is unknown, ``curve`` has no rows or other columns, or more methods than can be told apart.
    """
    checks.instance("curve", curve, Table)
    checks.one_of("scale", scale, ("linear", "log"))
    if len(curve.columns) != 6 or curve.columns[2] != "context_tokens" or curve.columns[4:] != ("low", "high"):
        raise ValueError(f"the columns are {curve.columns}; give the table that evaluation.budget_curve returns")
    metric, lines = curve.columns[3], dict[str, list[tuple[float, ...]]]()
    for method, _, *point in curve.rows:
        lines.setdefault(str(method), []).append(tuple(_number(cell) for cell in point))
    names = check_names(lines)
    if len(lines) > len(LINE_COLOURS):
        raise ValueError(f"there are {len(lines)} methods; draw at most {len(LINE_COLOURS)} in one figure")
    points = [np.array(sorted(lines[name])).T for name in names]
    styles = list(zip(names, points, LINE_COLOURS, _MARKERS, strict=False))
    with drawing(4.2) as (figure, [axes]):
        for name, (tokens, values, low, high), colour, marker in styles:
            axes.fill_between(tokens, low, high, color=colour, alpha=0.15, linewidth=0)
            axes.plot(tokens, values, color=colour, marker=marker, markersize=6, linewidth=2, label=name)
        axes.set(xscale=scale, xlabel="context tokens (mean over the questions)", ylabel=metric)
        if scale == "log":
            budgets = sorted({_number(row[1]) for row in curve.rows})
            axes.set_xticks(budgets, [f"{budget:.0f}" for budget in budgets])
            axes.set_xticks([], minor=True)
        if all(low.min() >= 0 and high.max() <= 1 for _, _, low, high in points):
            axes.set_ylim(0, 1.02)
        axes.grid(visible=True)
        bottom, top = axes.get_ylim()
        ends = _apart([values[-1] for _, values, _, _ in points], 0.055 * (top - bottom))
        beside = axes.get_yaxis_transform()
        for (name, (tokens, values, _, _), colour, marker), y in zip(styles, ends, strict=True):
            # From the end of the line to its name at the right edge, where names are moved so as not to overlap. It is
            # dotted, so that a method measured at fewer budgets does not seem to go on.
            axes.annotate(
                "",
                (tokens[-1], values[-1]),
                xytext=(1.04, y),
                textcoords=beside,
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "linestyle": ":", "color": colour, "shrinkA": 0, "shrinkB": 4},
            )
            axes.add_artist(Line2D([1.04], [y], transform=beside, color=colour, marker=marker, clip_on=False))
            axes.text(1.06, y, name, transform=beside, va="center")
        figure.numbers = curve
        ranges = (f"{n}: {p[1][0]:.2f} at {p[0][0]:.0f} to {p[1][-1]:.2f} at {p[0][-1]:.0f}" for n, p, _, _ in styles)
        figure.alt = f"{metric} over context tokens. {'; '.join(ranges)}."
    return figure


def interval_bars(table: Table, column: str) -> Chart:
    """Means with their intervals, one row a method: a dot, whiskers, and both in figures at the right.

    Alt text, for example: "recall with intervals. flat 200: 0.62 (0.55 to 0.70); parent-child: 0.71 (0.64 to 0.78)."

    Parameters
    ----------
    table:
        What ``evaluation.compare`` returns, or any table with names in its first column, the means in ``column`` and
        the ends in ``f"{column} low"`` and ``f"{column} high"``, or else in ``"low"`` and ``"high"``.
    column:
        The means to draw: the metric, or ``"difference"``, in which the first method has no row.

    Raises
    ------
    ValueError
        Where the table lacks a column, or no row has a mean.
    """
    checks.instance("table", table, Table)
    checks.text("column", column)
    own = f"{column} low" in table.columns
    low, high = (f"{column} low", f"{column} high") if own else ("low", "high")
    if lacking := {column, low, high} - {*table.columns}:
        raise ValueError(f"the table has no column {sorted(lacking)}; it has {', '.join(table.columns)}")
    rows = [record for record in table.records() if record[column] is not None]
    names = check_names(str(row[table.columns[0]]) for row in rows)
    numbers = [(_number(row[column]), _number(row[low]), _number(row[high])) for row in rows]
    with drawing(0.9 + 0.4 * len(rows)) as (figure, [axes]):
        for y, (value, start, end) in enumerate(numbers):
            axes.plot([start, end], [y, y], color=INK, linewidth=2, marker="|", markersize=10)
            axes.plot(value, y, marker="o", markersize=8, color=OKABE_ITO["blue"], linestyle="")
            axes.text(1.02, y, _with_interval(value, start, end), transform=axes.get_yaxis_transform(), va="center")
        if min(start for _, start, _ in numbers) < 0 < max(end for _, _, end in numbers):
            axes.axvline(0, color=INK, linewidth=1, linestyle="--")
        axes.set_yticks(range(len(rows)), names)
        axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel=column)
        axes.grid(visible=True, axis="x")
        cells = tuple((name, *values) for name, values in zip(names, numbers, strict=True))
        figure.numbers = Table((table.columns[0], column, low, high), cells, table.caption)
        found = (f"{name}: {_with_interval(*values)}" for name, *values in cells)
        figure.alt = f"{column} with intervals. {'; '.join(found)}."
    return figure


def size_histogram(sizes: Mapping[str, Sequence[int]], unit: str = "tokens") -> Chart:
    """How large the chunks are: a histogram for each chunker, one below the other on the same axis.

    Alt text, for example: "Chunk sizes in tokens. fixed: n = 43, median 200, 12 to 200; recursive: …"

    Parameters
    ----------
    sizes:
        Name of a chunker to the sizes of its chunks, at least one each.
    unit:
        Of the sizes, for the axis.

    Raises
    ------
    ValueError
        Where ``sizes`` is empty, or a chunker has no sizes.
    """
    checks.instance("sizes", sizes, Mapping)
    checks.text("unit", unit)
    names = check_names(sizes)
    for name in names:
        if not len(sizes[name]):
            raise ValueError(f"{name!r} has no sizes; leave it out")
    least, most = min(min(sizes[name]) for name in names), max(max(sizes[name]) for name in names)
    step = -(-(most - least + 1) // 30)
    # Whole numbers lie in the middle of their bars, so none falls on an edge.
    bins = [edge - 0.5 for edge in range(least, most + step + 1, step)]
    rows: list[tuple[Cell, ...]] = []
    with drawing(0.6 + 0.9 * len(names), len(names)) as (figure, panels):
        for number, (name, axes) in enumerate(zip(names, panels, strict=True)):
            values = [int(size) for size in sizes[name]]
            axes.hist(values, bins=bins, color=TINTS[number % 2], edgecolor=INK, linewidth=0.6)
            axes.axvline(median(values), color=INK, linewidth=2, linestyle="--")
            axes.set_ylabel(name, rotation=0, ha="right", va="center", labelpad=14)  # apart from the ticks' numbers
            axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
            rows.append((name, len(values), min(values), median(values), mean(values), max(values)))
        panels[-1].xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        figure.align_ylabels(panels)
        panels[-1].set_xlabel(f"{unit} (bars: number of chunks; dashed: median)")
        columns = ("chunker", "chunks", "smallest", "median", "mean", "largest")
        figure.numbers = Table(columns, tuple(rows), f"in {unit}")
        found = (f"{name}: n = {n}, median {middle:g}, {low} to {high}" for name, n, low, middle, _, high in rows)
        figure.alt = f"Chunk sizes in {unit}. {'; '.join(found)}."
    return figure


def similarity_matrix(matrix: NDArray[np.floating], labels: Sequence[str]) -> Chart:
    """Similarities of everything with everything as coloured cells, with their values where there are at most 12.

    Alt text, for example: "Similarities of 4 texts. The most similar pair is cat and kitten, 0.79."

    Parameters
    ----------
    matrix:
        Shape ``(n, n)``; cosine similarities, at most 1.
    labels:
        ``n`` names, one for each row and column.

    Raises
    ------
    ValueError
        Where the shape does not fit the labels, or a value is not a finite number.
    """
    names, values = check_names(checks.texts("labels", labels)), np.asarray(matrix, dtype=float)
    n = len(names)
    if values.shape != (n, n):
        raise ValueError(f"the matrix has the shape {values.shape} for {n} labels; give {(n, n)}")
    if not np.isfinite(values).all():
        raise ValueError("the matrix holds NaN or infinity; similarities of unit vectors are between -1 and 1")
    lowest = min(0.0, float(values.min()))
    with drawing(min(1.6 + 0.55 * n, 7.0), width=min(2.9 + 0.6 * n, WIDTH)) as (figure, [axes]):
        image = axes.imshow(values, cmap="cividis", vmin=lowest, vmax=1.0)
        axes.set_xticks(range(n), names, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(n), names)
        if n <= 12:
            for (i, j), value in np.ndenumerate(values):
                colour = _legible_on(np.asarray(image.to_rgba(value)[:3]))
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour)
        figure.colorbar(image, ax=axes, label="cosine similarity")
        cells = tuple((name, *row) for name, row in zip(names, values.tolist(), strict=True))
        figure.numbers = Table(("", *names), cells)
        figure.alt = f"Similarities of {n} texts."
        if n > 1:
            i, j = max(((i, j) for i in range(n) for j in range(i)), key=lambda pair: values[pair])
            figure.alt += f" The most similar pair is {names[j]} and {names[i]}, {values[i, j]:.2f}."
    return figure


def _number(cell: Cell) -> float:
    if isinstance(cell, int | float):
        return float(cell)
    raise ValueError(f"{cell!r} stands where a number is needed")


def _with_interval(value: float, low: float, high: float) -> str:
    return f"{value:z.2f} ({low:z.2f} to {high:z.2f})"  # z: never -0.00


def _legible_on(rgb: NDArray[np.floating]) -> str:
    """Black or white, whichever has more contrast with this sRGB colour; it is always 4.5:1 or more (WCAG 2.1)."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def _apart(values: Sequence[float], gap: float) -> list[float]:
    """Values moved as little as a few passes need, so that neighbours are at least ``gap`` apart; same order."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    placed = [values[i] for i in order]
    for _ in range(50):
        for i in range(len(placed) - 1):
            if (lacking := gap - (placed[i + 1] - placed[i])) > 0:
                placed[i], placed[i + 1] = placed[i] - lacking / 2, placed[i + 1] + lacking / 2
    return [placed[order.index(i)] for i in range(len(values))]
