"""The learner's copies: filled, refreshed, and never written over where the learner has changed them."""

import errno
import json
import os
import shutil
import subprocess

import nbformat
import pytest

from tools.check_links import broken
from tools.notebooks import ROOT, dumps
from tools.work_folder import WorkFolder


def write(path, *sources, output="1"):
    """A notebook whose cells have these sources, and whose last cell has this output."""
    cells = [nbformat.v4.new_code_cell(source, id=f"c{n}", execution_count=n) for n, source in enumerate(sources, 1)]
    cells[-1].outputs = [nbformat.v4.new_output("stream", text=output)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumps(nbformat.v4.new_notebook(cells=cells)), encoding="utf-8")


def sources(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "notebooks"
    write(folder / "00_tour.ipynb", "a", "b")
    write(folder / "01_next.ipynb", "c")
    write(folder / "solutions" / "00_tour.ipynb", "a", "solved")
    (folder / "images").mkdir()
    (folder / "images" / "tree.svg").write_text("<svg/>", encoding="utf-8")
    (folder / "src").mkdir()
    (folder / "src" / "00_tour.py").write_text("a", encoding="utf-8")
    return folder


@pytest.fixture
def work(course, tmp_path):
    """Opens the work folder as each command does: anew, from what is on the disk."""

    def open_it():
        return WorkFolder(tmp_path / "work", course)

    open_it().fill()
    return open_it


EVERYTHING = ["00_tour.ipynb", "01_next.ipynb", "images/tree.svg", "solutions/00_tour.ipynb"]


def test_what_is_missing_is_copied_and_only_that(course, work, tmp_path):
    assert work().fill() == []
    for name in EVERYTHING:
        assert (tmp_path / "work" / name).read_bytes() == (course / name).read_bytes()
    assert not (tmp_path / "work" / "src").exists()
    write(tmp_path / "work" / "00_tour.ipynb", "mine")
    (tmp_path / "work" / "images" / "tree.svg").unlink()
    assert work().fill() == ["images/tree.svg"]
    assert sources(tmp_path / "work" / "00_tour.ipynb") == ["mine"]


def test_without_an_update_nothing_is_outdated_whatever_the_learner_does(work, tmp_path):
    write(tmp_path / "work" / "00_tour.ipynb", "mine")
    write(tmp_path / "work" / "01_next.ipynb", "c", output="run again")
    assert work().outdated() == []
    assert list(work().refresh()) == []


def test_an_unchanged_copy_is_refreshed(course, work, tmp_path):
    write(course / "00_tour.ipynb", "a", "b2")
    assert work().outdated() == ["00_tour.ipynb"]
    assert list(work().refresh()) == ["00_tour.ipynb: refreshed"]
    assert sources(tmp_path / "work" / "00_tour.ipynb") == ["a", "b2"]
    assert list(work().refresh()) == []


def test_running_and_saving_is_no_change(course, work, tmp_path):
    copy = tmp_path / "work" / "00_tour.ipynb"
    notebook = json.loads(copy.read_text(encoding="utf-8"))
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.13.1"}
    notebook["cells"][0] |= {"execution_count": 9, "metadata": {"collapsed": True}}
    notebook["cells"][0]["source"] = ["a"]  # as a list of lines, which the format allows too
    copy.write_text(json.dumps(notebook), encoding="utf-8")
    write(course / "00_tour.ipynb", "a", "b2")
    assert list(work().refresh()) == ["00_tour.ipynb: refreshed"]
    assert sources(copy) == ["a", "b2"]


def test_new_outputs_alone_come_too(course, work, tmp_path):
    write(course / "00_tour.ipynb", "a", "b", output="2")
    assert list(work().refresh()) == ["00_tour.ipynb: refreshed"]
    assert (tmp_path / "work" / "00_tour.ipynb").read_bytes() == (course / "00_tour.ipynb").read_bytes()


def test_what_the_learner_changed_stays_and_the_new_version_comes_beside_it_once(course, work, tmp_path):
    copy = tmp_path / "work" / "00_tour.ipynb"
    write(copy, "a", "mine")
    write(course / "00_tour.ipynb", "a", "b2")
    (line,) = work().refresh()
    assert line == "00_tour.ipynb: you have changed it, so it stays; the new version is 00_tour.new.ipynb"
    assert sources(copy) == ["a", "mine"]
    assert sources(copy.with_name("00_tour.new.ipynb")) == ["a", "b2"]
    assert list(work().refresh()) == []
    write(course / "00_tour.ipynb", "a", "b3")
    assert "00_tour.new2.ipynb" in "".join(work().refresh())
    assert sources(copy.with_name("00_tour.new.ipynb")) == ["a", "b2"]
    assert sources(copy) == ["a", "mine"]


def test_a_learner_who_takes_the_new_version_gets_the_next_one_again(course, work, tmp_path):
    copy = tmp_path / "work" / "00_tour.ipynb"
    write(copy, "a", "mine")
    write(course / "00_tour.ipynb", "a", "b2")
    list(work().refresh())
    copy.with_name("00_tour.new.ipynb").replace(copy)
    write(course / "00_tour.ipynb", "a", "b3")
    assert list(work().refresh()) == ["00_tour.ipynb: refreshed"]


def test_a_copy_that_is_no_notebook_any_more_counts_as_changed(course, work, tmp_path):
    copy = tmp_path / "work" / "00_tour.ipynb"
    copy.write_text("<<<<<<< half a merge", encoding="utf-8")
    write(course / "00_tour.ipynb", "a", "b2")
    assert "you have changed it" in "".join(work().refresh())
    assert copy.read_text(encoding="utf-8") == "<<<<<<< half a merge"


def test_a_copy_that_nobody_remembers_making_is_kept(course, work, tmp_path):
    (tmp_path / "work" / ".copied.json").unlink()
    write(tmp_path / "work" / "00_tour.ipynb", "mine")
    assert "you have changed it" in "".join(work().refresh())
    assert sources(tmp_path / "work" / "00_tour.ipynb") == ["mine"]


def test_lessons_come_and_go(course, work, tmp_path):
    (course / "01_next.ipynb").rename(course / "01_renamed.ipynb")
    (course / "solutions" / "00_tour.ipynb").unlink()
    write(tmp_path / "work" / "solutions" / "00_tour.ipynb", "a", "my notes")
    assert list(work().refresh()) == [
        "01_renamed.ipynb: new",
        "01_next.ipynb: removed, the course no longer has it",
    ]
    assert (tmp_path / "work" / "solutions" / "00_tour.ipynb").exists()
    assert list(work().refresh()) == []


def test_every_link_of_the_courses_notebooks_is_true_from_the_work_folder(tmp_path):
    """In a copy of the repository, since the real work folder belongs to whoever runs this."""
    copy = shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(".*", "work", "__pycache__"))
    WorkFolder(copy / "work", copy / "notebooks").fill()
    pages = [path for kind in ("*.ipynb", "*.md", "*/*.ipynb") for path in (copy / "work").glob(kind)]
    assert pages
    assert [problem for page in pages for problem in broken(page, copy)] == []
    (copy / "work" / "images" / "00_small_to_big.svg").unlink()
    assert "00_small_to_big.svg' does not exist" in "".join(broken(copy / "work" / "00_tour.ipynb", copy))


def test_git_does_not_see_it():
    done = subprocess.run(["git", "check-ignore", "work/00_tour.ipynb"], cwd=ROOT, capture_output=True)
    if done.returncode == 128:
        pytest.skip("this is no git repository")
    assert done.returncode == 0


def test_a_full_disk_leaves_no_half_copy(course, tmp_path, monkeypatch):
    def full(self, *arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        disk.setattr(shutil, "copyfile", lambda source, to: (to.write_bytes(source.read_bytes()[:54]), full(None)))
        with pytest.raises(OSError, match="No space left"):
            WorkFolder(tmp_path / "work", course).fill()
    assert [path for path in (tmp_path / "work").rglob("*") if path.is_file()] == []


def test_a_copy_that_was_broken_off_is_made_again(course, work, tmp_path):
    copy = tmp_path / "work" / "00_tour.ipynb"
    (tmp_path / "work" / ".copied.json").write_bytes(b'{"00_tour')
    copy.write_bytes(copy.read_bytes()[:54])
    assert work().fill() == ["00_tour.ipynb"]
    assert copy.read_bytes() == (course / "00_tour.ipynb").read_bytes()
