"""The kit for a room without a network: what goes into it, and that it installs with no index to ask."""

import os
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

from tools import kit, kit_install


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, encoding="utf-8").stdout


def wheel(folder: Path, name: str, code: str) -> None:
    """A wheel as small as can be."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}.py", code)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture
def repository(tmp_path):
    """A repository with one committed file and one that is not."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "lesson.txt").write_text("committed", encoding="utf-8")
    run("git", "init", "-q", cwd=root)
    run("git", "add", "lesson.txt", cwd=root)
    run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one", cwd=root)
    (root / "draft.txt").write_text("not committed", encoding="utf-8")
    return root


def test_only_what_is_committed_goes_into_the_kit(repository, tmp_path):
    kit.take_course(tmp_path / "kit", repository)
    assert [path.name for path in (tmp_path / "kit" / "course").iterdir()] == ["lesson.txt"]


def test_a_folder_that_holds_something_is_not_touched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match="not empty"):
        kit.make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_kit_that_was_interrupted_goes_on_and_is_whole(repository, tmp_path, monkeypatch):
    folder, stop = tmp_path / "kit", [KeyboardInterrupt()]

    def pip(command, **options):
        """Leaves a part of a wheel and is stopped; then it makes what is not there, as pip does."""
        if command[0] == "git":
            return real(command, **options)
        wheels = Path(command[command.index("--wheel-dir") + 1])
        wheels.mkdir(exist_ok=True)
        if stop:
            (wheels / "wanted-1.0-py3-none-any.whl").write_bytes(b"PK half of it")
            raise stop.pop()
        if not (wheels / "wanted-1.0-py3-none-any.whl").exists():
            wheel(wheels, "wanted", "ANSWER = 42\n")
        return subprocess.CompletedProcess(command, 0)

    real = subprocess.run
    monkeypatch.setattr(subprocess, "run", pip)
    monkeypatch.setattr(kit, "take_course", partial(kit.take_course, root=repository))
    monkeypatch.setattr(sys, "argv", ["kit", str(folder)])
    assert kit.main() == 130
    (folder / "course" / "of another commit").write_text("", encoding="utf-8")
    assert kit.main() == 0
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert names == [
        *("README.txt", "course/lesson.txt", "install.py", "python.txt"),
        "wheels/wanted-1.0-py3-none-any.whl",
    ]
    assert zipfile.is_zipfile(folder / "wheels" / "wanted-1.0-py3-none-any.whl")


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A kit with a course of one module and one wheel, and a machine without a network: every index address is dead."""
    folder = tmp_path / "kit"
    course = folder / "course"
    (course / "hierrag_lessons").mkdir(parents=True)
    (course / "requirements.txt").write_text("wanted==1.0\n", encoding="utf-8")
    (course / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "course"\nversion = "1"\n',
        encoding="utf-8",
    )
    (course / "backend.py").write_text(BACKEND, encoding="utf-8")
    (course / "hierrag_lessons" / "__init__.py").write_text("", encoding="utf-8")
    wheel(folder / "wheels", "wanted", "ANSWER = 42\n")
    kit.take_installer(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("PIP_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    return folder


BACKEND = """
import zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "course-1-py3-none-any.whl"
    with zipfile.ZipFile(folder + "/" + name, "w") as archive:
        archive.writestr("course-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: course\\nVersion: 1\\n")
        tag = "Root-Is-Purelib: true\\nTag: py3-none-any\\n"
        archive.writestr("course-1.dist-info/WHEEL", "Wheel-Version: 1.0\\n" + tag)
        archive.writestr("course-1.dist-info/RECORD", "")
    return name
"""


def test_it_installs_from_its_own_wheels_alone(room, tmp_path):
    target = tmp_path / "here"
    said = run(sys.executable, str(room / "install.py"), str(target), cwd=tmp_path)
    python = target / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    assert run(str(python), "-c", "import wanted; print(wanted.ANSWER)", cwd=tmp_path) == "42\n"
    assert (target / ".venv" / ".installed").exists()
    assert "-m tools.lab" in said


def test_a_wheel_that_is_missing_is_an_error_and_not_a_download(room, tmp_path):
    (room / "wheels" / "wanted-1.0-py3-none-any.whl").unlink()
    with pytest.raises(subprocess.CalledProcessError) as error:
        run(sys.executable, str(room / "install.py"), str(tmp_path / "here"), cwd=tmp_path)
    assert "wanted==1.0" in error.value.stderr


def test_a_target_that_holds_something_is_not_touched(room, tmp_path):
    target = tmp_path / "here"
    target.mkdir()
    (target / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError) as error:
        run(sys.executable, str(room / "install.py"), str(target), cwd=tmp_path)
    assert "not empty" in error.value.stderr
    assert [path.name for path in target.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("version", "fits"),
    [((3, 11, 7), True), ((3, 11, 9), True), ((3, 11, 2), False), ((3, 12, 0), False), ((3, 10, 14), False)],
)
def test_a_python_that_the_wheels_were_not_made_for_is_named(version, fits):
    """A wheel may ask for 3.11.5: a room with 3.11.2 hears that before anything is copied, not from pip."""
    said = kit_install.unfit(version, (3, 11, 7))
    assert (said == "") is fits
    if not fits:
        assert ".".join(map(str, version)) in said
        assert "3.11.7" in said


def test_nothing_is_copied_for_a_python_that_does_not_fit(room, tmp_path):
    (room / kit_install.MADE_WITH).write_text("3.99.1", encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError) as error:
        run(sys.executable, str(room / "install.py"), str(tmp_path / "here"), cwd=tmp_path)
    assert "The kit was made with 3.99.1" in error.value.stderr
    assert not (tmp_path / "here").exists()
