"""What a learner has solved is remembered, and nothing that happens to the file breaks a check."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hierrag_lessons.exercises import Progress, check, find, of_lesson, progress, record
from hierrag_lessons.exercises.catalogue import lessons, title_of
from tools.notebooks import ROOT

WINDOWS = find("04.1")
ENTRY = "04.1 windows"


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    """The file of a learner who has solved nothing, in a kernel that knows of nothing."""
    monkeypatch.setattr(record, "_solved_in_this_kernel", set())
    monkeypatch.setattr(record, "_PATIENCE", 1.0)
    path = tmp_path / "new folder" / "progress.json"
    monkeypatch.setenv("HIERRAG_PROGRESS", str(path))
    return path


def new_kernel():
    record._solved_in_this_kernel.clear()


def solved(shown: Progress) -> list[str]:
    return [exercise_id for _, ids, _ in shown.rows for exercise_id in ids]


def test_what_is_correct_is_remembered_in_later_kernels(file):
    assert solved(progress()) == []
    assert check("04.1", WINDOWS.solution).status == "correct"
    new_kernel()
    assert solved(progress()) == ["04.1"]
    assert json.loads(file.read_text(encoding="utf-8")) == [ENTRY]


def test_what_is_not_correct_is_not(file):
    check("04.1", WINDOWS.mistakes[0].function)
    check("04.1")
    assert solved(progress()) == []
    assert not file.exists()


def test_a_wrong_answer_takes_nothing_away(file):
    check("04.1", WINDOWS.solution)
    check("04.1", WINDOWS.mistakes[0].function)
    assert solved(progress()) == ["04.1"]


def test_every_exercise_is_either_solved_or_left_in_the_order_of_the_lessons(file):
    check("04.1", WINDOWS.solution)
    shown = check()
    assert shown == progress()
    assert [title for title, _, _ in shown.rows] == [f"{lesson} · {title_of(lesson)}" for lesson in lessons()]
    for lesson, (_, done, left) in zip(lessons(), shown.rows, strict=True):
        assert sorted(done + left) == [exercise.id for exercise in of_lesson(lesson)]
    total = sum(len(of_lesson(lesson)) for lesson in lessons())
    assert shown.caption == f"1 of {total} exercises solved."
    assert "04 · Fixed size" in repr(shown)
    assert "<td style" in shown._repr_html_()
    assert "04.2, 04.3, 04.4</td>" in shown._repr_html_()


def test_the_titles_are_those_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    at = [readme.find(f"[{lesson} · {title_of(lesson)}](") for lesson in lessons()]
    assert -1 not in at
    assert at == sorted(at)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"{}", b"[1]", b'"04.1"', b"null", b"[" * 100_000])
def test_a_damaged_file_is_put_aside_and_breaks_nothing(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    assert "progress.json can't be read" in progress().caption
    assert check("04.1", WINDOWS.solution).status == "correct"
    assert solved(progress()) == ["04.1"]
    assert "can't" not in progress().caption
    assert file.with_name("progress.json.damaged").read_bytes() == content


def test_a_file_that_cannot_be_written_breaks_nothing(file):
    file.parent.write_text("no folder", encoding="utf-8")
    assert check("04.1", WINDOWS.solution).status == "correct"
    assert solved(progress()) == ["04.1"]
    assert "can't be" in progress().caption


def test_a_folder_in_its_place_breaks_nothing(file):
    file.mkdir(parents=True)
    assert check("04.1", WINDOWS.solution).status == "correct"
    assert solved(progress()) == ["04.1"]
    assert "can't be read" in progress().caption


def test_a_lock_that_is_held_for_ever_breaks_nothing(file):
    file.parent.mkdir()
    with record.FileLock(f"{file}.lock"):
        assert check("04.1", WINDOWS.solution).status == "correct"
    assert solved(progress()) == ["04.1"]
    assert "can't be written" in progress().caption


def test_entries_of_another_version_of_the_course_are_kept_and_not_shown(file):
    file.parent.mkdir()
    file.write_text(json.dumps(["04.1 another_function", "99.9 gone"]), encoding="utf-8")
    assert solved(progress()) == []
    check("04.1", WINDOWS.solution)
    assert set(json.loads(file.read_text(encoding="utf-8"))) == {"04.1 another_function", "99.9 gone", ENTRY}


KERNEL = """
import sys
from hierrag_lessons.exercises import find, record
for number in sys.argv[1:]:
    record.add(find(number))
"""


def test_kernels_that_write_at_once_lose_nothing(file):
    ids = [exercise.id for lesson in lessons()[:8] for exercise in of_lesson(lesson)]

    def kernel(own: list[str]) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-c", KERNEL, *own], env=environment, check=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(kernel, [ids[start::4] for start in range(4)]))
    assert solved(progress()) == ids


def test_off_keeps_nothing_beyond_the_kernel(file, monkeypatch):
    monkeypatch.setenv("HIERRAG_PROGRESS", "off")
    assert record.record_file() is None
    check("04.1", WINDOWS.solution)
    assert solved(progress()) == ["04.1"]
    new_kernel()
    assert solved(progress()) == []
    assert not file.parent.exists()


def test_without_a_setting_it_lies_outside_the_course(monkeypatch):
    monkeypatch.delenv("HIERRAG_PROGRESS")
    path = record.record_file()
    assert path.name == "progress.json"
    assert path.is_absolute()
    assert ROOT not in path.parents
