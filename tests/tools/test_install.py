"""The installer: which commands it gives pip, and what it says where PyTorch's index does not answer."""

import subprocess
import sys

import pytest

from tools import install
from tools.notebooks import ROOT


@pytest.fixture
def calls(monkeypatch):
    """What pip is told, arguments and index; its exit codes, which a test may set; and how to set the system's name."""
    made = []
    codes = {"torch": 0, "rest": 0}

    def run(command, *, env=None, cwd=None, capture_output=False):
        assert command[:4] == [sys.executable, "-m", "pip", "install"]
        made.append((command[4:], (env or {}).get("PIP_INDEX_URL")))
        return subprocess.CompletedProcess(command, codes["torch" if env else "rest"])

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["install"])
    return made, codes, lambda name: monkeypatch.setattr(install.platform, "system", lambda: name)


def test_on_linux_the_cpu_build_comes_first_and_the_rest_from_the_plain_index(calls, capsys):
    made, _, system = calls
    system("Linux")
    assert install.main() == 0
    (torch, index), (rest, plain) = made
    assert index == install.CPU_WHEELS
    assert torch[-1] == install.torch_pin()
    assert torch[torch.index("--timeout") + 1] == "10"
    assert torch[torch.index("--retries") + 1] == "0"
    assert "--no-deps" in torch
    assert plain is None
    assert rest[-4:] == ["-r", "requirements.txt", "-e", "."]
    assert "does not answer" not in capsys.readouterr().out


def test_an_index_that_does_not_answer_is_one_line_and_no_failure(calls, capsys):
    made, codes, system = calls
    system("Linux")
    codes["torch"] = 1
    assert install.main() == 0
    assert len(made) == 2
    (notice,) = [line for line in capsys.readouterr().out.splitlines() if "does not answer" in line]
    assert "gigabytes larger" in notice


def test_elsewhere_the_plain_index_has_the_cpu_build(calls):
    made, _, system = calls
    system("Darwin")
    assert install.main() == 0
    assert len(made) == 1


def test_the_exit_code_is_pips(calls):
    _, codes, system = calls
    system("Linux")
    codes["rest"] = 3
    assert install.main() == 3


def test_the_pin_is_the_one_of_the_list():
    assert f"\n{install.torch_pin()}\n" in (ROOT / "requirements.txt").read_text(encoding="utf-8")
