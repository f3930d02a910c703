import io
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.image import imread
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.evaluation import Table
from hierrag_lessons.model import Chunk, Document, Hit, Span
from hierrag_lessons.showing import (
    OKABE_ITO,
    Chart,
    budget_curves,
    chunk_strip,
    interval_bars,
    similarity_matrix,
    size_histogram,
    tree_diagram,
)
from hierrag_lessons.showing.colours import GOLD, TINTS
from hierrag_lessons.showing.plots.chart import WIDTH
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


def test_nothing_is_cut_off(charts):
    for name, chart in charts.items():
        box = chart.get_tightbbox()
        assert box.x0 >= -0.02, name
        assert box.y0 >= -0.02, name
        assert box.x1 <= chart.get_figwidth() + 0.02, name
        assert box.y1 <= chart.get_figheight() + 0.02, name


def test_the_plain_text_is_the_description_and_the_numbers(charts):
    for chart in charts.values():
        assert repr(chart) == str(chart) == f"{chart.alt}\n{chart.numbers!r}"
        assert chart.alt.endswith(".")


def test_images_are_the_same_in_every_run_and_under_other_settings(charts):
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "text.color": "red", "font.family": "serif"}):
        again = _charts()
        for name, chart in charts.items():
            image = chart._repr_png_()
            assert b"Software" not in image
            assert imread(io.BytesIO(image)).shape[1] == round(chart.get_figwidth() * 100)
            assert again[name]._repr_png_() == image, name


def test_pyplot_knows_nothing_of_the_charts(charts):
    import matplotlib.pyplot as plt

    assert plt.get_fignums() == []


# Chunk strips


def test_chunk_strip_draws_each_chunk_and_each_overlap(charts):
    bars = [bar for bar in _bars(charts["strip"]) if bar[0] == 0]
    assert [(start, end) for _, start, end, _ in bars] == [(0, 60), (50, 100), (100, 110), (50, 60)]
    assert [colour[:7] for *_, colour in bars[:3]] == [TINTS[0], TINTS[1], TINTS[0]]
    hatched = [patch for patch in charts["strip"].axes[0].patches if patch.get_hatch()]
    assert [(patch.get_x(), patch.get_width(), patch.get_y() + 0.3) for patch in hatched] == [(50, 10, 0)]
    assert len([bar for bar in _bars(charts["strip"]) if bar[0] == 1]) == len(CHUNKS["small"])
    assert "in several chunks" in _texts(charts["strip"])


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
        assert chart._repr_png_().startswith(b"\x89PNG")


def test_chunk_strip_refuses_what_it_can_not_draw():
    with pytest.raises(ValueError, match="nothing to draw"):
        chunk_strip({}, REPORT)
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


def test_each_curve_is_named_at_its_end_and_in_the_legend(charts):
    for name in ("curves", "log"):
        assert sorted(text.get_text() for text in charts[name].axes[0].texts) == ["flat 200", "parent-child"]
        assert [text.get_text() for text in charts[name].legends[0].get_texts()] == ["flat 200", "parent-child"]


def test_names_at_line_ends_do_not_overlap():
    rows = tuple((f"method {i}", 100, 100.0, 0.5, 0.4, 0.6) for i in range(7))
    chart = budget_curves(Table(CURVE.columns, rows))
    boxes = sorted((Text.get_window_extent(text).y0, Text.get_window_extent(text).y1) for text in chart.axes[0].texts)
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
