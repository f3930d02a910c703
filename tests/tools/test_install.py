"""The installer: what it gives pip, what it shows of pip's log, and on which machines it does not begin."""

import ast
import io
import json
import platform
import subprocess
import sys
import sysconfig
from collections import namedtuple
from pathlib import Path

import pytest

from hierrag_lessons.environment import machine
from tools import install
from tools.notebooks import ROOT

LOG = """\
Looking in indexes: https://index.example/simple
Obtaining file:///course
  Installing build dependencies: started
Collecting numpy==2.4.6 (from -r requirements.txt (line 5))
  Downloading numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl.metadata (6.6 kB)
  Downloading numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl (16.9 MB)
Requirement already satisfied: pip in ./lib
  Using cached scipy-1.17.1-cp311-cp311-manylinux_2_27_x86_64.whl (35.2 MB)
Installing collected packages: numpy, scipy, hierrag-lessons
Successfully installed hierrag-lessons-0.1.0 numpy-2.4.6 scipy-1.17.1
"""

PIP = """\
#!{python}
import json, os, sys
rest = "-r" in sys.argv
with open({calls!r}, "a") as calls:
    print(json.dumps([sys.argv[1:], os.environ.get("PIP_INDEX_URL")]), file=calls)
print({log!r}, end="", flush=True)
print("ERROR: of the rest" if rest else "ERROR: of PyTorch", file=sys.stderr)
sys.exit(json.load(open({codes!r}))[rest])
"""


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """A Python whose pip notes what it is told, prints a log and an error, and ends as a test says."""
    calls, codes, python = (tmp_path / name for name in ("calls", "codes", "python"))
    python.write_text(PIP.format(python=sys.executable, calls=str(calls), codes=str(codes), log=LOG), encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(sys, "argv", ["install"])

    def run(system: str, torch: int = 0, rest: int = 0):
        monkeypatch.setattr(platform, "system", lambda: system)
        monkeypatch.setattr(install, "unfit_system", lambda: "")
        codes.write_text(json.dumps([torch, rest]), encoding="utf-8")
        code = install.main()
        told = [json.loads(line) for line in calls.read_text(encoding="utf-8").splitlines()]
        assert all(command[:3] == ["-m", "pip", "install"] for command, _ in told)
        return code, [(command[3:], index) for command, index in told]

    return run


def test_on_linux_the_cpu_build_comes_first_and_the_rest_from_the_plain_index(pip, capsys):
    code, ((torch, index), (rest, plain)) = pip("Linux")
    assert code == 0
    assert index == install.CPU_WHEELS
    assert torch[-1] == install.torch_pin()
    assert torch[torch.index("--timeout") + 1] == "10"
    assert torch[torch.index("--retries") + 1] == "0"
    assert "--no-deps" in torch
    assert plain is None
    assert rest[-4:] == ["-r", "requirements.txt", "-e", "."]
    assert "does not answer" not in capsys.readouterr().out


def test_an_index_that_does_not_answer_is_one_line_and_no_failure(pip, capfd):
    code, made = pip("Linux", torch=1)
    assert code == 0
    assert len(made) == 2
    output = capfd.readouterr()
    (notice,) = [line for line in output.out.splitlines() if "does not answer" in line]
    assert "gigabytes larger" in notice
    assert "ERROR: of PyTorch" not in output.err


def test_elsewhere_the_plain_index_has_the_cpu_build(pip):
    code, made = pip("Darwin")
    assert (code, len(made)) == (0, 1)


def test_the_exit_code_is_pips_and_so_are_its_errors(pip, capfd):
    code, _ = pip("Linux", rest=3)
    assert code == 3
    assert capfd.readouterr().err == "ERROR: of the rest\n"


def test_of_pips_log_a_file_gets_what_is_done_and_no_more(pip, capfd):
    pip("Darwin")
    assert capfd.readouterr().out.splitlines() == [
        "The packages of requirements.txt and the course itself …",
        "  unpacking 3 packages, which takes longest",
    ]


def test_in_a_terminal_a_line_says_what_is_fetched_and_is_gone_at_the_end():
    screen = io.StringIO()
    screen.isatty = lambda: True
    install.tell(LOG.splitlines(keepends=True), screen)
    shown = [part.strip() for part in screen.getvalue().split("\r") if part.strip()]
    assert shown == [
        "fetched 1, now numpy (6.6 kB)",
        "fetched 2, now numpy (16.9 MB)",
        "fetched 3, now scipy (35.2 MB)",
        "unpacking 3 packages, which takes longest",
    ]
    *_, before, last, end = screen.getvalue().split("\r")
    assert (len(last), last.strip(), end) == (len(before), "", "")


def test_the_pin_is_the_one_of_the_list():
    assert f"\n{install.torch_pin()}\n" in (ROOT / "requirements.txt").read_text(encoding="utf-8")


# --- where nothing can be installed ----------------------------------------------------------------------------------

Version = namedtuple("Version", "major minor micro releaselevel serial")


@pytest.fixture
def on(monkeypatch):
    """Says what machine this is: its system, its processor, and where it matters more."""

    def set_machine(system, processor, *, macos="", platform_tag="", libc="gnu", python=(3, 11, 7), kind="CPython"):
        monkeypatch.setattr(platform, "system", lambda: system)
        monkeypatch.setattr(platform, "machine", lambda: processor)
        monkeypatch.setattr(platform, "mac_ver", lambda: (macos, ("", "", ""), ""))
        monkeypatch.setattr(platform, "python_version", lambda: ".".join(map(str, python)))
        monkeypatch.setattr(platform, "python_implementation", lambda: kind)
        monkeypatch.setattr(sysconfig, "get_platform", lambda: platform_tag)
        monkeypatch.setattr(sysconfig, "get_config_var", lambda name: f"{processor}-pc-linux-{libc}")
        monkeypatch.setattr(sys, "version_info", Version(*python, "final", 0))

    return set_machine


@pytest.mark.parametrize(
    ("system", "processor", "more"),
    [
        ("Linux", "x86_64", {}),
        ("Linux", "aarch64", {"python": (3, 14, 0)}),
        ("Darwin", "arm64", {"macos": "14.0"}),
        ("Darwin", "arm64", {"macos": "26.1"}),
        ("Windows", "AMD64", {"platform_tag": "win-amd64"}),
        ("Windows", "ARM64", {"platform_tag": "win-amd64"}),  # the Python for Intel, emulated
    ],
)
def test_where_all_pins_have_wheels_nothing_is_refused(on, system, processor, more):
    on(system, processor, **more)
    assert (machine.unfit_python(), machine.unfit_system()) == ("", "")


@pytest.mark.parametrize(
    ("system", "processor", "more", "said"),
    [
        ("Darwin", "x86_64", {"macos": "15.1"}, "no longer made for Intel Macs"),
        ("Darwin", "arm64", {"macos": "13.7"}, "This is macOS 13.7, and PyTorch needs macOS 14"),
        ("Windows", "ARM64", {"platform_tag": "win-arm64"}, "This Python is win-arm64"),
        ("Windows", "AMD64", {"platform_tag": "win32"}, "This Python is win32"),
        ("Linux", "armv7l", {}, "this is armv7l"),
        ("Linux", "x86_64", {"libc": "musl"}, "this Linux has musl"),
        ("FreeBSD", "amd64", {}, "not made for FreeBSD"),
        ("Linux", "x86_64", {"python": (3, 9, 18)}, "Python 3.9.18 is too old for the course; install 3.11 or newer"),
        ("Linux", "x86_64", {"python": (3, 15, 0)}, "Python 3.15.0 is too new for the course's packages"),
        ("Linux", "x86_64", {"kind": "PyPy"}, "PyPy has no PyTorch"),
    ],
)
def test_where_the_pins_have_no_wheels_a_sentence_comes_before_pip(
    pip, on, monkeypatch, capsys, system, processor, more, said
):
    """pip would end in a wall of versions, after having fetched hundreds of megabytes."""
    on(system, processor, **more)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("pip was begun"))
    assert install.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert line[0].isupper()
    assert line.endswith(".")
    (finding,) = [finding for finding in machine.check_system() if finding.problem]
    assert finding.problem[1:] in line


def test_what_make_asks_before_it_makes_an_environment_runs_on_an_old_python():
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert make.index('"$(PYTHON)" -m tools.install --check') < make.index('"$(PYTHON)" -m venv')
    code = "import sys, tools.install; print(*(f'{name} {module.__file__}' for name, module in sys.modules.items()"
    code += " if getattr(module, '__file__', None)), sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    files = [line.split()[1] for line in loaded.stdout.splitlines() if line.startswith(("tools", "hierrag_lessons"))]
    assert len(files) >= 6
    for file in map(Path, files):
        text = file.read_text(encoding="utf-8")
        ast.parse(text, feature_version=(3, 8))
        assert "from __future__ import annotations" in text or "def " not in text, file


def test_check_says_nothing_here_and_installs_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["install", "--check"])
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("pip was begun"))
    assert install.main() == 0
    assert capsys.readouterr() == ("", "")
