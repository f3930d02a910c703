"""Files that are there as a whole or not at all."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hierrag_lessons.whole_files import write_whole


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes_are_written_as_they_are_and_nothing_else_is_left(tmp_path):
    write_whole(tmp_path / "deep" / "a.txt", "über\r\n分块\n")
    write_whole(str(tmp_path / "deep" / "b"), b"\xff\0")
    assert (tmp_path / "deep" / "a.txt").read_bytes() == "über\r\n分块\n".encode()
    assert (tmp_path / "deep" / "b").read_bytes() == b"\xff\0"
    assert names(tmp_path / "deep") == ["a.txt", "b"]


@pytest.mark.parametrize("where", ["fsync", "replace"])
@pytest.mark.parametrize("ended", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_where_writing_ends_the_earlier_file_stays_and_no_unfinished_one(tmp_path, monkeypatch, where, ended):
    def end(*_):
        raise ended

    file = tmp_path / "a.txt"
    write_whole(file, "earlier")
    if where == "fsync":
        monkeypatch.setattr(os, "fsync", end)
    else:
        monkeypatch.setattr(Path, "replace", end)
    with pytest.raises(type(ended)):
        write_whole(file, "later")
    assert file.read_text(encoding="utf-8") == "earlier"
    assert names(tmp_path) == ["a.txt"]


def test_lone_surrogates_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="surrogates not allowed"):
        write_whole(tmp_path / "a.txt", "\ud800")
    assert names(tmp_path) == []


def test_a_link_and_permissions_stay(tmp_path):
    (tmp_path / "real").mkdir()
    file, link = tmp_path / "real" / "a.txt", tmp_path / "link.txt"
    file.write_text("earlier", encoding="utf-8")
    file.chmod(0o600)
    try:
        link.symlink_to(file)
    except OSError:
        pytest.skip("links can't be made here")
    write_whole(link, "later")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "later"
    assert file.stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_a_name_as_long_as_can_be(tmp_path):
    file = tmp_path / ("n" * 255)
    try:
        file.touch()
    except OSError:
        pytest.skip("this file system has shorter names")
    write_whole(file, "text")
    assert file.read_text(encoding="utf-8") == "text"


def test_many_who_write_at_once_leave_one_whole_file(tmp_path):
    file = tmp_path / "a.txt"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: write_whole(file, str(n) * 100_000), range(8)))
    text = file.read_text(encoding="utf-8")
    assert len(text) == 100_000
    assert len(set(text)) == 1
    assert names(tmp_path) == ["a.txt"]
