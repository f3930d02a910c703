import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.context import pack
from hierrag_lessons.model import Passage
from hierrag_lessons.production import (
    QueryRecord,
    append_records,
    drift,
    make_record,
    read_records,
    stability_index,
)

TEXT = "Cats sleep all day. Dogs run on the beach. Fish swim in the sea."
FOUND = [Passage("pets", 0, 19, TEXT[:19], score=0.9), Passage("pets", 20, 42, TEXT[20:42], score=0.4)]


def record(question="Who sleeps?", packed=FOUND, **given):
    return make_record(question, FOUND, packed, **{"key": "secret", "milliseconds": 5.0, **given})


def test_no_word_of_the_user_or_of_a_document_is_logged(tmp_path):
    append_records(tmp_path / "log.jsonl", [record("Is my salary of 5000 taxed?")])
    written = (tmp_path / "log.jsonl").read_text(encoding="utf-8")
    assert not any(word in written for word in ("salary", "5000", "Cats", "sleep"))


def test_equal_questions_are_seen_and_only_with_the_key():
    assert record().question == record().question != record("Who runs?").question
    assert record().question != record(key="another").question
    with pytest.raises(ValueError, match="key is empty; give a secret"):
        record(key="")


def test_what_the_budget_cuts_is_counted():
    assert record().cut == 0
    assert record(packed=FOUND[:1]).cut == 1
    assert record(packed=pack(FOUND, 25, len)).cut == 1  # the second is there in part
    assert record(packed=[]).cut == 2
    assert record(packed=[]).empty


@given(st.lists(st.builds(record, st.text(max_size=20), refused=st.booleans(), at=st.text(max_size=5)), max_size=4))
def test_a_log_comes_back_as_it_was_written(tmp_path_factory, records):
    file = tmp_path_factory.mktemp("log") / "log.jsonl"
    append_records(file, records[:2])
    append_records(file, records[2:])
    assert read_records(file) == records


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"question": "x"}', "its fields are not those of a record; take it out"),
        (b'{"question', "not valid JSON in UTF-8"),
        (b"7", "not a JSON object"),
        (b'{"question": "\xff"}', "not valid JSON in UTF-8"),
        ('{"question": "x"}'.encode("utf-16"), "not valid JSON in UTF-8"),
        (b"[" * 100_000, "lists or objects are nested too deep"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, line, said):
    file = tmp_path / "log.jsonl"
    append_records(file, [record()])
    file.write_bytes(file.read_bytes() + line + b"\n")
    with pytest.raises(ValueError, match=rf"log\.jsonl, line 2: {said}"):
        read_records(file)


# --- drift -----------------------------------------------------------------------------------------------------------

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


@given(NUMBERS, NUMBERS, st.integers(2, 12))
def test_the_index_is_never_negative_and_zero_without_a_change(before, after, bins):
    assert stability_index(before, after, bins) >= -1e-12
    assert stability_index(before, before, bins) == pytest.approx(0)


def test_the_index_is_that_of_the_formula():
    before, after = [0.0] * 50 + [1.0] * 50, [0.0] * 20 + [1.0] * 80
    b, a = np.array([50.5, 50.5]) / 101, np.array([20.5, 80.5]) / 101
    assert stability_index(before, after) == pytest.approx(float(((a - b) * np.log(a / b)).sum()))


def test_without_a_change_the_index_is_about_its_noise():
    rng = np.random.default_rng(0)
    found = [stability_index(rng.normal(size=200), rng.normal(size=200)) for _ in range(200)]
    assert np.mean(found) == pytest.approx(9 * (2 / 200), rel=0.15)


def logged(rng, n, *, score=0.6, refused=0.1, cut=0):
    scores = rng.normal(score, 0.1, n)
    return [
        QueryRecord("q", 12, ("d:0-1",), (float(s),), 2000, cut, bool(rng.random() < refused), 10.0) for s in scores
    ]


def test_a_change_is_shown_where_it_is_and_nowhere_else():
    rng = np.random.default_rng(1)
    same = {each.name: each.shown for each in drift(logged(rng, 300), logged(rng, 300))}
    assert not any(same.values())
    lower = {each.name: each for each in drift(logged(rng, 300), logged(rng, 300, score=0.5, refused=0.4))}
    assert [name for name, each in lower.items() if each.shown] == ["best score", "refused"]
    assert lower["best score"].index > 0.25 > lower["best score"].limit > lower["best score"].noise
    assert lower["refused"].after > lower["refused"].before
    assert lower["question tokens"].index == 0


def test_false_alarms_are_rare():
    rng = np.random.default_rng(2)
    alarms = sum(any(each.shown for each in drift(logged(rng, 60), logged(rng, 60))) for _ in range(100))
    assert alarms <= 10  # 5 in 100 are allowed


def test_too_few_records_are_refused():
    with pytest.raises(ValueError, match="after has 1 records; give two at least"):
        drift([record(), record()], [record()])


def test_one_quiet_month_in_twenty_is_above_the_limit():
    rng = np.random.default_rng(3)
    quiet = [
        next(each for each in drift(logged(rng, 80), logged(rng, 80)) if each.name == "best score") for _ in range(200)
    ]
    assert quiet[0].limit == pytest.approx(16.92 * 2 / 80, rel=0.01)
    assert sum(each.index > each.limit for each in quiet) <= 24
