import threading

import pytest

from hierrag_lessons.interview import Attempt, add_attempt, attempts_file, keeping, read_attempts


def test_attempts_are_kept_in_their_order(tmp_path):
    file = tmp_path / "deep" / "interview.json"
    assert read_attempts(file) == ()
    first, second = Attempt("a", 3, 1 / 3), Attempt('b"\n中', 3, 0.0)
    add_attempt(first, file)
    assert add_attempt(second, file) == read_attempts(file) == (first, second)
    assert [path.name for path in file.parent.iterdir() if not path.name.endswith(".lock")] == ["interview.json"]


def test_several_at_once_lose_nothing(tmp_path):
    file = tmp_path / "interview.json"
    threads = [threading.Thread(target=add_attempt, args=(Attempt(str(n), 1, 0.5), file)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(attempt.item_id for attempt in read_attempts(file)) == sorted(map(str, range(8)))


def test_it_lies_beside_the_file_of_solved_exercises(tmp_path, monkeypatch):
    monkeypatch.setenv("HIERRAG_PROGRESS", str(tmp_path / "mine.json"))
    assert attempts_file() == tmp_path / "mine.interview.json"
    monkeypatch.setenv("HIERRAG_PROGRESS", str(tmp_path / "yours.json"))
    assert attempts_file() == tmp_path / "yours.interview.json"
    monkeypatch.delenv("HIERRAG_PROGRESS")
    assert attempts_file().name == "interview.json"


def test_off_keeps_it_in_this_kernel(monkeypatch):
    monkeypatch.setenv("HIERRAG_PROGRESS", "off")
    monkeypatch.setattr(keeping, "_kept_in_this_kernel", [])
    assert attempts_file() is None
    add_attempt(Attempt("a", 1, 1.0))
    assert read_attempts() == (Attempt("a", 1, 1.0),)


@pytest.mark.parametrize("text", ["{", "{}x", '[{"item": "a"}]', '[{"item": "a", "day": 1, "share": 2}]', "[1]", "7"])
def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path, text):
    file = tmp_path / "interview.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"holds no attempts .*; repair it"):
        add_attempt(Attempt("a", 1, 1.0), file)
    assert file.read_text(encoding="utf-8") == text
