"""How JupyterLab is started."""

import pytest

from tools import lab
from tools.lab import arguments, leave_version_out
from tools.notebooks import ROOT

HERE = "--ServerApp.ip=127.0.0.1"


@pytest.fixture
def a_user(monkeypatch):
    monkeypatch.setattr(lab.os, "geteuid", lambda: 1000, raising=False)


@pytest.mark.usefixtures("a_user")
def test_the_repository_is_the_root_the_tour_the_page_and_this_machine_the_only_listener():
    told = arguments([])
    assert f"--ServerApp.root_dir={ROOT}" in told
    assert "--LabApp.default_url=/lab/tree/work/00_tour.ipynb" in told
    assert HERE in told
    assert "--allow-root" not in told


@pytest.mark.parametrize("options", [["--ip", "0.0.0.0"], ["--ip=0.0.0.0"], ["--ServerApp.ip=0.0.0.0"]])
def test_options_come_last_and_an_address_of_theirs_is_the_only_one(options):
    told = arguments([*options, "--no-browser"])
    assert told[-len(options) - 1 :] == [*options, "--no-browser"]
    assert HERE not in told


def test_root_is_let_in_and_told(monkeypatch, capsys, tmp_path):
    (tmp_path / "notebooks").mkdir()
    started = []
    monkeypatch.setattr(lab.LabApp, "launch_instance", started.append)
    monkeypatch.setattr(lab.os, "geteuid", lambda: 0, raising=False)
    lab.run(["--no-browser"], tmp_path)
    (told,) = started
    assert "--allow-root" in told
    assert HERE in told
    assert 'make lab LAB="--ip 0.0.0.0 --no-browser"' in capsys.readouterr().out


@pytest.mark.usefixtures("a_user")
def test_new_versions_are_announced(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(lab.LabApp, "launch_instance", lambda told: None)
    (tmp_path / "notebooks" / "images").mkdir(parents=True)
    picture = tmp_path / "notebooks" / "images" / "a.svg"
    picture.write_text("<svg/>", encoding="utf-8")
    lab.run([], tmp_path)
    assert capsys.readouterr().out == "1 files copied to work; what you do there stays yours.\n"
    picture.write_text("<svg></svg>", encoding="utf-8")
    lab.run([], tmp_path)
    assert "new versions of 1 files in work; `make update`" in capsys.readouterr().out


def test_only_a_notebook_loses_its_version():
    notebook = {"type": "notebook", "content": {"metadata": {"language_info": {"name": "python", "version": "3.12.1"}}}}
    leave_version_out(notebook, path="a.ipynb", contents_manager=None)
    assert notebook["content"]["metadata"] == {"language_info": {"name": "python"}}
    plain = {"type": "notebook", "content": {"cells": []}}
    leave_version_out(plain)
    assert plain["content"] == {"cells": []}
    text = {"type": "file", "content": "version"}
    leave_version_out(text)
    assert text == {"type": "file", "content": "version"}
