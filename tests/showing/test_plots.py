import base64
import io
from itertools import combinations, groupby, pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import imread
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.evaluation import Table
from hierrag_lessons.model import Chunk, Document, Hit, Span
from hierrag_lessons.showing import (
    OKABE_ITO,
    Chart,
    budget_curves,
    chunk_strip,
    drawing,
    interval_bars,
    similarity_matrix,
    size_histogram,
    tree_diagram,
)
from hierrag_lessons.showing.colours import GOLD, LINE_COLOURS, TINTS
from hierrag_lessons.showing.plots.chart import WIDTH
from hierrag_lessons.showing.plots.results import _MARKERS
from tests.showing.page import REPORT, TREE, Every, contrast
from tests.texts import HOSTILE

CHUNKS = {"overlapping": [Span(0, 60), Span(50, 100), Span(100, 110)], "small": Every(20).chunk(REPORT)}
CURVE = Table(
    ("method", "budget", "context_tokens", "recall", "low", "high"),
    (
        ("flat 200", 500, 480.5, 0.25, 0.125, 0.375),
        ("flat 200", 1000, 990.0, 0.5, 0.375, 0.625),
        ("parent-child", 1000, 985.0, 0.75, 0.5, 0.875),
        ("parent-child", 500, 470.0, 0.5, 0.25, 0.625),
    ),
)
COMPARISON = Table(
    ("method", "recall", "low", "high", "difference", "difference low", "difference high"),
    (("flat", 0.5, 0.25, 0.75, None, None, None), ("merged", 0.625, 0.5, 0.875, 0.125, -0.125, 0.25)),
    "recall with 95 % intervals",
)
MATRIX = np.array([[1.0, 0.5, -0.25], [0.5, 1.0, 0.75], [-0.25, 0.75, 1.0]])


def _charts() -> dict[str, Chart]:
    return {
        "strip": chunk_strip(CHUNKS, REPORT),
        "tree": tree_diagram(TREE, [Hit(TREE.leaves[1], 0.5)]),
        "curves": budget_curves(CURVE),
        "log": budget_curves(CURVE, "log"),
        "bars": interval_bars(COMPARISON, "difference"),
        "sizes": size_histogram({"a": [1, 2, 2], "b": [3]}),
        "similarities": similarity_matrix(MATRIX, ["a", "b", "c"]),
    }


@pytest.fixture(scope="module")
def charts():
    return _charts()


def _bars(chart: Chart) -> list[tuple[float, float, float, str]]:
    """Row, start, end and colour of all bars of the only axes."""
    boxes = [patch for patch in chart.axes[0].patches if isinstance(patch, Rectangle)]
    return [(b.get_y() + 0.3, b.get_x(), b.get_x() + b.get_width(), to_hex(b.get_facecolor(), True)) for b in boxes]


def _texts(chart: Chart) -> list[str]:
    return [text.get_text() for text in chart.findobj(Text) if text.get_visible() and text.get_text()]


# All charts


def test_text_is_large_and_figures_are_not_too_wide(charts):
    for chart in charts.values():
        assert chart.get_figwidth() <= WIDTH <= 9
        visible = [text for text in chart.findobj(Text) if text.get_visible() and text.get_text()]
        assert min(text.get_fontsize() for text in visible) >= 10
        assert {text.get_fontname() for text in visible} == {"DejaVu Sans"}


LONG = ("flat, 200 tokens", "flat, 800 tokens", "parent-child, 600 and 100", "flat, 100 tokens (the children)")


def _hard_charts() -> dict[str, Chart]:
    """Charts of the sizes and names that lessons have, with much that could run into each other."""
    text = " ".join(f"word{i}" for i in range(9000))
    document = Document("d", text[:60_000])
    tree = build_hierarchy(document, [Every(1800), Every(280)])
    hits = [Hit(tree.leaves[i], 0.5) for i in (0, 1, 30, 31, 100, 101, 110, 120, 213, 214)]
    rows = [
        (name, budget, float(budget), start + step / 10, start, 1.0)
        for name, start in zip((*LONG, "tree, collapsed", "by words first", "±4 in the leaf"), [0.5] * 7, strict=True)
        for step, budget in enumerate((500, 1000, 2000, 4000))
    ]
    halves = [Span(i, i + 4000) for i in range(0, 50_000, 2000)]
    near_zero = Table(("method", "d", "low", "high"), ((LONG[3], -0.004, -0.09, 0.08), ("z + sections", 0.1, 0.0, 0.2)))
    return {
        "tree": tree_diagram(tree, hits),
        "curves": budget_curves(Table(CURVE.columns, tuple(rows))),
        "log curves": budget_curves(Table(CURVE.columns, tuple(rows)), "log"),
        "strip": chunk_strip({LONG[2]: tree.leaves, "half": halves}, document),
        "sizes": size_histogram({name: [i, i, 300] for i, name in enumerate(LONG)}),
        "intervals": interval_bars(near_zero, "d"),
        "similarities": similarity_matrix(np.eye(12), [f"a long name {i}" for i in range(12)]),
    }


@pytest.fixture(scope="module")
def hard_charts():
    return _hard_charts()


def _shown(chart: Chart, slanted: bool = True) -> list[tuple[str, Bbox]]:
    """Every text that is drawn, with its place in pixels."""
    found = [text for legend in chart.legends for text in legend.get_texts()]
    for axes in chart.axes:
        found += [*axes.texts, axes.xaxis.label, axes.yaxis.label, axes.title]
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            # Ticks outside the axes have labels, too, which matplotlib does not draw.
            ticks = [tick for tick in axis.get_major_ticks() if min(limits) <= tick.get_loc() <= max(limits)]
            found += [label for tick in ticks for label in (tick.label1, tick.label2)]
    found = [text for text in found if text.get_visible() and text.get_text()]
    return [(t.get_text(), t.get_window_extent()) for t in found if slanted or t.get_rotation() in (0, 90)]


def test_nothing_is_cut_off(charts, hard_charts):
    for name, chart in (*charts.items(), *hard_charts.items()):
        width, height = chart.bbox.width, chart.bbox.height
        boxes = [*_shown(chart), *(("legend", legend.get_window_extent()) for legend in chart.legends)]
        for text, box in boxes:
            assert box.x0 >= -0.5, (name, text)
            assert box.y0 >= -0.5, (name, text)
            assert box.x1 <= width + 0.5, (name, text)
            assert box.y1 <= height + 0.5, (name, text)


def test_no_text_covers_another_one(charts, hard_charts):
    # The boxes of slanted labels overlap where the letters do not.
    for name, chart in (*charts.items(), *hard_charts.items()):
        for (a, box), (b, other) in combinations(_shown(chart, slanted=False), 2):
            shared = Bbox.intersection(box, other)
            assert shared is None or min(shared.width, shared.height) < 1, (name, a, b)


def test_no_legend_lies_over_the_axes(charts, hard_charts):
    legends = [(legend, chart) for chart in (*charts.values(), *hard_charts.values()) for legend in chart.legends]
    assert legends
    for legend, chart in legends:
        for axes in chart.axes:
            shared = Bbox.intersection(legend.get_window_extent(), axes.get_window_extent())
            assert shared is None or min(shared.width, shared.height) < 1


def test_labels_in_a_tree_stay_off_the_names_of_its_levels(hard_charts):
    axes = hard_charts["tree"].axes[0]
    labels = [text.get_window_extent() for text in axes.texts]
    assert len(labels) > 3
    assert all(axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 for box in labels)


def test_labels_in_a_tree_have_more_than_a_space_between_them(charts, hard_charts):
    for chart in (charts["tree"], hard_charts["tree"]):
        for _, row in groupby(chart.axes[0].texts, lambda text: text.get_position()[1]):
            boxes = sorted([label.get_window_extent() for label in row], key=lambda box: box.x0)
            assert all(after.x0 - before.x1 >= 7 for before, after in pairwise(boxes))


def test_line_colours_have_contrast_and_differ_for_everybody():
    assert all(contrast(colour, "#ffffff") >= 3 for colour in LINE_COLOURS)
    assert len(_MARKERS) == len(set(_MARKERS)) == len(LINE_COLOURS)
    for matrix in (np.eye(3), PROTANOPIA, DEUTERANOPIA):
        seen = [_lab(matrix @ _linear(colour)) for colour in LINE_COLOURS]
        assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 10


# Machado, Oliveira and Fernandes, 2009, severity 1: linear RGB as it is seen without one kind of cones.
PROTANOPIA = np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]])
DEUTERANOPIA = np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]])


def _linear(colour: str) -> np.ndarray:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _lab(linear: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b*, in which a distance of 2.3 can just be seen."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ linear.clip(0, 1) / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# What a notebook gets


def test_a_notebook_gets_the_image_once_with_its_alt_text_and_words_below(charts, monkeypatch):
    shown = []
    monkeypatch.setattr(
        "hierrag_lessons.showing.plots.chart.display", lambda data, **options: shown.append((data, options))
    )
    chart = charts["curves"]
    chart._ipython_display_()
    (image, about), (words, _) = shown
    assert base64.b64decode(image["image/png"]) == chart.png()
    assert image["text/plain"] == repr(chart)
    assert about == {"raw": True, "metadata": {"image/png": {"alt": chart.alt}}}
    assert list(words) == ["text/html"]
    assert words["text/html"].startswith(f"<details><summary>Figure in words</summary><p>{chart.alt}</p><table>")
    assert "image" not in words["text/html"]


def test_words_are_escaped(charts):
    with drawing(2.0) as (figure, [axes]):
        axes.plot([1, 2])
        figure.alt = "a < b & <script>"
    assert figure.words_html() == (
        "<details><summary>Figure in words</summary><p>a &lt; b &amp; &lt;script&gt;</p></details>"
    )
    assert repr(figure) == figure.alt


def test_a_drawing_needs_words():
    with pytest.raises(ValueError, match=r"set figure\.alt"), drawing(2.0) as (_, [axes]):
        axes.plot([1, 2])


def test_a_drawing_has_the_style_of_the_course():
    with drawing(3.0, rows=2, columns=2) as (figure, axes):
        figure.alt = "Four panels."
        lines = [axes[0].plot([1, 2], [i, i])[0].get_color() for i in range(len(LINE_COLOURS))]
        axes[3].plot([5, 9], [5, 9])
    assert tuple(lines) == LINE_COLOURS
    assert axes[0].get_ylim() == axes[1].get_ylim() != axes[3].get_ylim()
    assert axes[1].get_xlim() == axes[3].get_xlim() != axes[0].get_xlim()


def test_the_plain_text_is_the_description_and_the_numbers(charts):
    for chart in charts.values():
        assert repr(chart) == str(chart) == f"{chart.alt}\n{chart.numbers!r}"
        assert chart.alt.endswith(".")


def test_images_are_the_same_in_every_run_and_under_other_settings(charts):
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "text.color": "red", "font.family": "serif"}):
        again = _charts()
        for name, chart in charts.items():
            image = chart.png()
            assert b"Software" not in image
            assert imread(io.BytesIO(image)).shape[1] == round(chart.get_figwidth() * 100)
            assert again[name].png() == image, name


def test_pyplot_knows_nothing_of_the_charts(charts):
    import matplotlib.pyplot as plt

    assert plt.get_fignums() == []


# Chunk strips


def test_chunk_strip_draws_each_chunk_and_each_overlap(charts):
    boxes = [patch for patch in charts["strip"].axes[0].patches if isinstance(patch, Rectangle)]
    bars = [(b.get_x(), b.get_x() + b.get_width(), b.get_y(), b.get_y() + b.get_height(), b) for b in boxes]
    first = [bar for bar in bars if bar[3] < 0.5]
    chunks = [bar for bar in first if not bar[4].get_hatch()]
    assert [bar[:2] for bar in chunks] == [(0, 60), (50, 100), (100, 110)]
    assert [to_hex(bar[4].get_facecolor()) for bar in chunks] == [TINTS[0], TINTS[1], TINTS[0]]
    # Every second chunk lies below, so that none covers the one before.
    assert all(a[3] <= b[2] or b[3] <= a[2] for a, b in pairwise(chunks))
    # Of each of the two chunks, the part that they share is hatched.
    assert [bar[:4] for bar in first if bar[4].get_hatch()] == [
        (50, 60, *chunks[0][2:4]),
        (50, 60, *chunks[1][2:4]),
    ]
    alone = [bar for bar in bars if bar[2] > 0.5]
    assert len(alone) == len(CHUNKS["small"])
    assert len({bar[2] for bar in alone}) == 1
    assert "in several chunks" in _texts(charts["strip"])


def test_chunks_that_overlap_by_half_have_their_numbers():
    chart = chunk_strip({"half": [Span(i, i + 20) for i in range(0, 100, 10)]}, REPORT)
    assert [text.get_text() for text in chart.axes[0].texts] == list("0123456789")


def test_marks_have_a_row_and_a_line_through_the_chunks():
    chart = chunk_strip({"small": CHUNKS["small"]}, REPORT, {"sentence ends": [17, 52]})
    axes = chart.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["sentence ends", "small"]
    assert axes.lines[0].get_xydata().tolist() == [[17, 0], [52, 0]]
    assert not axes.lines[0].get_clip_on()  # a mark at the very end is drawn whole
    segments = [segment.tolist() for segment in axes.collections[0].get_segments()]
    assert segments == [[[17, 0], [17, 1.5]], [[52, 0], [52, 1.5]]]
    assert {row for row, *_ in _bars(chart)} == {1}
    assert chart.alt.endswith("chunks. Marked above them: 2 sentence ends.")
    with pytest.raises(ValueError, match="'ends' has a place outside 0-"):
        chunk_strip(CHUNKS, REPORT, {"ends": [4000]})
    with pytest.raises(ValueError, match="'句' has '句'"):
        chunk_strip(CHUNKS, REPORT, {"句": [1]})


def test_chunk_strip_states_the_numbers(charts):
    rows = {row["chunker"]: row for row in charts["strip"].numbers.records()}
    size = len(REPORT.text)
    assert rows["overlapping"] == {
        "chunker": "overlapping",
        "chunks": 3,
        "smallest": 10,
        "mean": 40,
        "largest": 60,
        "in several chunks": 10,
        "in no chunk": size - 110,
    }
    assert rows["small"]["in several chunks"] == rows["small"]["in no chunk"] == 0
    assert charts["strip"].alt == (
        f"Chunks along a document of {size} characters: overlapping, 3 chunks; small, {len(CHUNKS['small'])} chunks."
    )
    assert [tick.get_text() for tick in charts["strip"].axes[0].get_yticklabels()] == ["overlapping", "small"]


def test_an_overlap_of_three_chunks_counts_once():
    chart = chunk_strip({"a": [Span(0, 10), Span(2, 12), Span(4, 14)]}, REPORT)
    assert chart.numbers.records()[0]["in several chunks"] == 10
    assert "in several chunks" not in _texts(chunk_strip({"a": [Span(0, 10), Span(10, 12)]}, REPORT))


@pytest.mark.parametrize("name", ["bidi", "chinese", "lone surrogate", "nul and controls", "blank", "empty"])
def test_no_text_of_the_document_is_drawn(name):
    document = Document("d", HOSTILE[name])
    tree = build_hierarchy(document, [Every(7)])
    strip, diagram = (
        chunk_strip({"every 7": tree.leaves}, document),
        tree_diagram(tree, [Hit(n, 1) for n in tree.leaves]),
    )
    for chart in (strip, diagram):
        assert "".join(_texts(chart)).replace("\u2212", "-").isascii()
        assert chart.png().startswith(b"\x89PNG")


def test_chunk_strip_refuses_what_it_can_not_draw():
    with pytest.raises(ValueError, match="nothing to draw"):
        chunk_strip({}, REPORT)
    with pytest.raises(ValueError, match="nothing to draw"):
        chunk_strip({}, REPORT, {"ends": [1]})
    with pytest.raises(ValueError, match="'a' has a chunk outside 0-"):
        chunk_strip({"a": [Chunk("report", 0, 4000, "")]}, REPORT)
    with pytest.raises(ValueError, match="'固定' has '固定', which DejaVu Sans can't draw"):
        chunk_strip({"固定": []}, REPORT)


# Trees


def test_tree_diagram_marks_hits_and_everything_above_them(charts):
    bars = {(row, start, end): colour[:7] for row, start, end, colour in _bars(charts["tree"])}
    assert set(bars) == {(node.level, node.start, node.end) for node in TREE}
    vermilion = OKABE_ITO["vermilion"].lower()
    assert [place for place, colour in bars.items() if colour == vermilion] == [(2, 20, 40)]
    assert [place for place, colour in bars.items() if colour == GOLD] == [(0, 0, len(REPORT.text)), (1, 0, 60)]
    assert "1 of 3" in _texts(charts["tree"])
    lines = [line.get_xydata().tolist() for line in charts["tree"].axes[0].lines if len(line.get_xdata()) == 2]
    assert lines == [[[30, 2 - 0.3], [30, 1 + 0.3]]]
    markers = [line.get_xdata()[0] for line in charts["tree"].axes[0].lines if line.get_marker() == "^"]
    assert markers == [30]


def test_tree_diagram_states_the_numbers(charts):
    leaves, parents = len(TREE.leaves), len(TREE.levels[1])
    assert charts["tree"].numbers.rows == ((0, 1, 0, 1), (1, parents, 0, 1), (2, leaves, 1, 0))
    assert charts["tree"].alt == (
        f"A document as 3 levels of 1, {parents}, {leaves} nodes, parents above their children. "
        "Hits: 1 at level 2; above them lie 1 at level 1, 1 at level 0."
    )


def test_a_tree_without_hits_has_no_marks():
    chart = tree_diagram(TREE, [Hit(build_hierarchy(Document("b", "b"), [Every(1)]).root, 1.0)])
    assert not chart.axes[0].lines
    assert not chart.legends
    assert "Hits" not in chart.alt
    with pytest.raises(ValueError, match="is no node of this hierarchy"):
        tree_diagram(TREE, [Hit(build_hierarchy(REPORT, [Every(7)]).leaves[0], 0.5)])


def test_a_hit_at_the_root_has_nothing_above():
    chart = tree_diagram(TREE, [Hit(TREE.root, 1.0)])
    assert chart.alt.endswith("Hits: 1 at level 0.")


# Results


def test_budget_curves_draw_means_and_intervals(charts):
    axes = charts["curves"].axes[0]
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["flat 200"].get_xydata().tolist() == [[480.5, 0.25], [990, 0.5]]
    assert lines["parent-child"].get_xydata().tolist() == [[470, 0.5], [985, 0.75]]
    assert len({line.get_marker() for line in axes.lines}) == len({line.get_color() for line in axes.lines}) == 2
    bands = [band for band in axes.collections if isinstance(band, FillBetweenPolyCollection)]
    corners = [{tuple(corner) for corner in band.get_paths()[0].vertices.tolist()} for band in bands]
    assert corners[0] == {(480.5, 0.125), (480.5, 0.375), (990, 0.375), (990, 0.625)}
    assert axes.get_ylabel() == "recall"
    assert axes.get_ylim() == (0, 1.02)


def _names(chart: Chart) -> list[Text]:
    """The names at the ends of the curves."""
    return [text for text in chart.axes[0].texts if text.get_text()]


def test_each_curve_is_named_at_its_end_with_its_marker_and_nowhere_else(charts):
    for kind in ("curves", "log"):
        chart = charts[kind]
        names = {text.get_text(): text for text in _names(chart)}
        assert sorted(names) == ["flat 200", "parent-child"]
        assert not chart.legends
        assert not chart.axes[0].get_legend()
        lines = chart.axes[0].lines
        for curve in [line for line in lines if line.get_label() in names]:
            [beside] = [line for line in lines if line.get_color() == curve.get_color() and line is not curve]
            assert beside.get_marker() == curve.get_marker()
            assert beside.get_ydata()[0] == names[curve.get_label()].get_position()[1]


def test_names_at_line_ends_do_not_overlap():
    rows = tuple((f"method {i}", 100, 100.0, 0.5, 0.4, 0.6) for i in range(7))
    chart = budget_curves(Table(CURVE.columns, rows))
    boxes = sorted((Text.get_window_extent(text).y0, Text.get_window_extent(text).y1) for text in _names(chart))
    assert len(boxes) == 7
    assert all(top <= next_bottom for (_, top), (next_bottom, _) in pairwise(boxes))


def test_budget_curves_can_be_logarithmic_and_keep_the_numbers(charts):
    assert charts["log"].axes[0].get_xscale() == "log"
    assert [tick.get_text() for tick in charts["log"].axes[0].get_xticklabels()] == ["500", "1000"]
    assert charts["curves"].numbers is CURVE
    assert charts["curves"].alt == (
        "recall over context tokens. flat 200: 0.25 at 480 to 0.50 at 990; parent-child: 0.50 at 470 to 0.75 at 985."
    )


def test_measures_above_1_are_not_cut():
    chart = budget_curves(Table(CURVE.columns, (("a", 1, 1.0, 40.0, 30.0, 50.0), ("a", 2, 2.0, 60.0, 50.0, 70.0))))
    assert chart.axes[0].get_ylim()[1] > 70


def test_budget_curves_refuse_other_tables():
    with pytest.raises(ValueError, match=r"evaluation\.budget_curve"):
        budget_curves(COMPARISON)
    with pytest.raises(ValueError, match="nothing to draw"):
        budget_curves(Table(CURVE.columns, ()))
    with pytest.raises(ValueError, match="there are 8 methods; draw at most 7"):
        budget_curves(Table(CURVE.columns, tuple((f"m{i}", 1, 1.0, 0.5, 0.4, 0.6) for i in range(8))))
    with pytest.raises(ValueError, match="None stands where a number is needed"):
        budget_curves(Table(CURVE.columns, (("a", 1, None, 0.5, 0.4, 0.6),)))


def test_interval_bars_draw_dots_and_whiskers(charts):
    chart = interval_bars(COMPARISON, "recall")
    lines = [line.get_xydata().tolist() for line in chart.axes[0].lines]
    assert lines == [[[0.25, 0], [0.75, 0]], [[0.5, 0]], [[0.5, 1], [0.875, 1]], [[0.625, 1]]]
    assert "0.62 (0.50 to 0.88)" in _texts(chart)
    assert chart.numbers.rows == (("flat", 0.5, 0.25, 0.75), ("merged", 0.625, 0.5, 0.875))
    assert chart.alt == "recall with intervals. flat: 0.50 (0.25 to 0.75); merged: 0.62 (0.50 to 0.88)."
    assert not [line for line in chart.axes[0].lines if line.get_linestyle() == "--"]


def test_differences_have_their_own_interval_and_a_line_at_0(charts):
    assert charts["bars"].numbers.rows == (("merged", 0.125, -0.125, 0.25),)
    dashed = [line for line in charts["bars"].axes[0].lines if line.get_linestyle() == "--"]
    assert [list(line.get_xdata()) for line in dashed] == [[0, 0]]


def test_a_mean_that_rounds_to_zero_has_no_sign():
    table = Table(("method", "d", "low", "high"), (("a", -0.004, -0.09, 0.08),))
    assert "0.00 (-0.09 to 0.08)" in _texts(interval_bars(table, "d"))
    assert interval_bars(table, "d").alt == "d with intervals. a: 0.00 (-0.09 to 0.08)."


def test_interval_bars_refuse_a_column_that_is_not_there():
    with pytest.raises(ValueError, match=r"no column \['precision'\]"):
        interval_bars(COMPARISON, "precision")
    with pytest.raises(ValueError, match="nothing to draw"):
        interval_bars(Table(COMPARISON.columns, COMPARISON.rows[:1]), "difference")


def test_size_histogram_counts_every_chunk(charts):
    chart = charts["sizes"]
    assert [sum(bar.get_height() for bar in axes.patches) for axes in chart.axes] == [3, 1]
    bars = [[(bar.get_x() + 0.5, bar.get_height()) for bar in axes.patches if bar.get_height()] for axes in chart.axes]
    assert bars == [[(1, 1), (2, 2)], [(3, 1)]]
    assert [axes.lines[0].get_xdata()[0] for axes in chart.axes] == [2, 3]
    assert [axes.get_ylabel() for axes in chart.axes] == ["a", "b"]
    assert chart.numbers.rows == (("a", 3, 1, 2, 5 / 3, 2), ("b", 1, 3, 3, 3, 3))
    assert chart.alt == "Chunk sizes in tokens. a: n = 3, median 2, 1 to 2; b: n = 1, median 3, 3 to 3."
    with pytest.raises(ValueError, match="'b' has no sizes"):
        size_histogram({"a": [1], "b": []})
    with pytest.raises(ValueError, match="nothing to draw"):
        size_histogram({})


def test_size_histogram_has_at_most_30_bars_and_loses_no_size():
    sizes = list(range(7, 1007))
    bars = size_histogram({"a": sizes}).axes[0].patches
    assert len(bars) == 30
    assert sum(bar.get_height() for bar in bars) == 1000
    assert {bar.get_height() for bar in bars} == {34, 1000 - 29 * 34}


def test_similarity_matrix_shows_values_legibly(charts):
    chart = charts["similarities"]
    image = chart.axes[0].images[0]
    assert image.get_array().tolist() == MATRIX.tolist()
    assert [text.get_text() for text in chart.axes[0].texts] == [f"{value:.2f}" for value in MATRIX.flat]
    for text, value in zip(chart.axes[0].texts, MATRIX.flat, strict=True):
        assert contrast(to_hex(to_rgb(text.get_color())), to_hex(image.to_rgba(value))) >= 4.5
    assert chart.alt == "Similarities of 3 texts. The most similar pair is b and c, 0.75."
    assert chart.numbers.rows[0] == ("a", 1.0, 0.5, -0.25)
    assert not similarity_matrix(np.eye(13), [str(i) for i in range(13)]).axes[0].texts


def test_similarity_values_are_legible_at_every_shade():
    shades = np.linspace(0, 1, 12 * 12).reshape(12, 12)
    chart = similarity_matrix(shades, [str(i) for i in range(12)])
    image = chart.axes[0].images[0]
    for text, value in zip(chart.axes[0].texts, shades.flat, strict=True):
        assert contrast(to_hex(text.get_color()), to_hex(image.to_rgba(value))) >= 4.45  # to_hex rounds


def test_similarity_matrix_refuses_other_shapes():
    with pytest.raises(ValueError, match=r"shape \(3, 3\) for 2 labels"):
        similarity_matrix(MATRIX, ["a", "b"])
    with pytest.raises(ValueError, match="NaN"):
        similarity_matrix(np.array([[np.nan]]), ["a"])


def test_dollar_signs_are_not_formulas():
    assert "from $3 to $5" in _texts(chunk_strip({"from $3 to $5": []}, REPORT))
