import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import segmentation
from benchmarks.results import read
from hierrag_lessons.evaluation import boundary_f1, pk, window_diff

FUNCTIONS = (pk, window_diff, boundary_f1)


@st.composite
def divisions(draw, least: int = 2):
    n = draw(st.integers(least, 30))
    starts = st.sets(st.integers(0, n - 1), max_size=8)
    return n, draw(starts), draw(starts)


def segment_of(unit: int, starts: set[int]) -> int:
    """The definition, word by word: the number of starts after unit 0, up to the unit."""
    return len({start for start in starts if 0 < start <= unit})


@given(divisions(), st.integers(1, 6))
def test_pk_counts_pairs_that_are_wrongly_together_or_apart(case, k: int) -> None:
    n, reference, hypothesis = case
    pairs = [(i, i + k) for i in range(n - k)]
    wrong = [
        (segment_of(a, reference) == segment_of(b, reference))
        != (segment_of(a, hypothesis) == segment_of(b, hypothesis))
        for a, b in pairs
    ]
    found = pk(n, reference, hypothesis, k)
    assert found == pytest.approx(sum(wrong) / len(wrong)) if pairs else math.isnan(found)


@given(divisions(), st.integers(1, 6))
def test_window_diff_counts_windows_with_another_number_of_boundaries(case, k: int) -> None:
    n, reference, hypothesis = case
    wrong = [
        len([s for s in reference if i < s <= i + k]) != len([s for s in hypothesis if i < s <= i + k])
        for i in range(n - k)
    ]
    found = window_diff(n, reference, hypothesis, k)
    assert found == pytest.approx(sum(wrong) / len(wrong)) if wrong else math.isnan(found)
    if wrong:
        assert found >= pk(n, reference, hypothesis, k)


@given(divisions())
def test_boundary_f1_is_the_harmonic_mean(case) -> None:
    n, reference, hypothesis = case
    wanted, found = reference - {0}, hypothesis - {0}
    if wanted and found:
        precision, recall = len(wanted & found) / len(found), len(wanted & found) / len(wanted)
        expected = 0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)
    else:
        expected = float(wanted == found)
    assert boundary_f1(n, reference, hypothesis) == pytest.approx(expected)


@given(divisions())
def test_the_truth_is_perfect_and_unit_0_need_not_be_listed(case) -> None:
    n, reference, hypothesis = case
    assert pk(n, reference, reference, 1) == window_diff(n, reference, reference, 1) == 0
    assert boundary_f1(n, reference, reference) == 1
    for function in FUNCTIONS:
        one, other = function(n, reference | {0}, hypothesis), function(n, reference - {0}, list(hypothesis))
        assert one == other or math.isnan(one) == math.isnan(other) is True


def test_an_example_by_hand() -> None:
    # Units 0-3 | 4-7, found 0-4 | 5-7. The mean segment has 4 units, so k is 2: the pairs (2,4) … (5,7).
    assert pk(8, [0, 4], [0, 5]) == pytest.approx(2 / 6)
    assert window_diff(8, [0, 4], [0, 5]) == pytest.approx(2 / 6)
    # One boundary too many, next to the right one: pk sees half of it, WindowDiff more.
    assert pk(8, [4], [4, 5]) < window_diff(8, [4], [4, 5])
    assert boundary_f1(8, [4], [4, 5]) == pytest.approx(2 / 3)


def test_the_examples_in_the_documentation_of_nltk() -> None:
    # Their segmentations mark gaps: a 1 at place i is a boundary before unit i + 1.
    marks = ("000100000010", "000010000100", "100000010000")
    one, other, third = ([i + 1 for i, mark in enumerate(text) if mark == "1"] for text in marks)
    assert window_diff(13, one, one, 3) == 0
    assert window_diff(13, one, other, 3) == pytest.approx(0.3)
    assert window_diff(13, other, third, 3) == pytest.approx(0.8)
    repeated, nowhere, everywhere = range(2, 400, 4), [], range(1, 401)
    assert pk(401, repeated, everywhere, 2) == pytest.approx(0.5, abs=0.005)
    assert pk(401, repeated, nowhere, 2) == pytest.approx(0.5, abs=0.005)


def test_pk_punishes_a_missing_boundary_more_than_one_too_many_and_window_diff_does_not() -> None:
    n, reference = 40, [0, 8, 13, 24, 30]
    errors = {
        "missing": [[start for start in reference if start != gone] for gone in reference[1:]],
        "extra": [[*reference, start] for start in range(1, n) if start not in reference],
    }
    cost = {
        (measure, what): sum(measure(n, reference, division) for division in divisions) / len(divisions)
        for measure in (pk, window_diff)
        for what, divisions in errors.items()
    }
    assert cost[pk, "missing"] > 1.5 * cost[pk, "extra"]
    assert cost[window_diff, "missing"] == pytest.approx(cost[window_diff, "extra"], rel=0.2)
    assert pk(n, reference, range(n)) < 0.6 < window_diff(n, reference, range(n)) == 1


@given(divisions(least=4), st.integers(2, 6))
def test_one_segment_costs_the_same_in_both(case, k: int) -> None:
    n, reference, _ = case
    one, other = pk(n, reference, [0], k), window_diff(n, reference, [0], k)
    assert one == other or math.isnan(one) == math.isnan(other) is True


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_start_outside_the_text_is_refused(function) -> None:
    with pytest.raises(ValueError, match="hypothesis has a segment that starts at unit 8; the units are 0 to 7"):
        function(8, [4], [8])
    with pytest.raises(ValueError, match="reference has a segment that starts at unit -1"):
        function(8, [-1], [4])


@pytest.mark.parametrize("function", [pk, window_diff])
def test_too_short_texts_and_distances(function) -> None:
    assert math.isnan(function(0, [], []))
    assert math.isnan(function(1, [0], [0]))
    with pytest.raises(ValueError, match="k is 0"):
        function(8, [4], [4], 0)


def test_evenly_spaced_segments_are_as_many_as_in_truth() -> None:
    text = segmentation.Text([str(i) for i in range(10)], [0, 1, 9])
    assert segmentation.evenly_spaced(text) == [0, 3, 7]


def test_without_the_data_sets_the_results_stay_as_they_are(tmp_path, monkeypatch, capsys) -> None:
    before = read("segmentation")
    monkeypatch.delenv("HIERRAG_BENCH", raising=False)
    with pytest.raises(SystemExit, match="HIERRAG_BENCH does not name"):
        segmentation.main()
    monkeypatch.setenv("HIERRAG_BENCH", str(tmp_path))
    with pytest.raises(SystemExit, match="none of the data sets is there"):
        segmentation.main()
    assert "wiki50: there is no wiki50/segments.jsonl" in capsys.readouterr().out
    assert read("segmentation") == before


@pytest.mark.skipif("HIERRAG_BENCH" not in os.environ, reason="HIERRAG_BENCH does not name the public data sets")
@pytest.mark.parametrize("name", segmentation.SETS)
def test_the_results_file_is_what_is_measured(name: str) -> None:
    texts = segmentation.read_texts(Path(os.environ["HIERRAG_BENCH"]) / name / "segments.jsonl")
    written = read("segmentation")["sets"][name]
    assert (written["texts"], written["units"]) == (len(texts), sum(len(text.units) for text in texts))
    for title in ("no boundaries", "evenly spaced, their number known", "TextTiling"):
        assert segmentation.score(segmentation.methods()[title], texts) == written["methods"][title]


@pytest.mark.parametrize("measure", [pk, window_diff, boundary_f1])
def test_numbers_that_count_nothing(measure):
    for n, wanted in ((-1, "0 or more"), (float("nan"), "a whole number, 0 or more")):
        with pytest.raises(ValueError, match=f"n is {n}; give {wanted}"):
            measure(n, [], [])
    with pytest.raises(ValueError, match=r"reference has a segment that starts at unit 1\.5"):
        measure(10, [1.5], [])


@pytest.mark.parametrize("measure", [pk, window_diff])
@pytest.mark.parametrize("k", [1.5, float("nan")])
def test_a_distance_is_a_whole_number(measure, k):
    with pytest.raises(ValueError, match=f"k is {k}"):
        measure(10, [3], [3], k)
