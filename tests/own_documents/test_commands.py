import json
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from hierrag_lessons.__main__ import main
from hierrag_lessons.embedding import SentenceTransformerEmbedder, minilm_folder
from hierrag_lessons.own_documents import commands
from hierrag_lessons.own_documents.folder import Unread
from tools.notebooks import ROOT

LEAVE = (
    "# 员工手册\n\n## 年假\n\n员工每年有十五天年假，未休的可以顺延到次年三月。\n\n"
    "## 病假\n\n病假须在当天上午九点以前告知主管。\n"
)


@pytest.fixture
def docs(tmp_path):
    """Chinese, whose embedder needs no model."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "手册.md").write_text(LEAVE, encoding="utf-8")
    (folder / "scan.docx").write_bytes(b"PK\x03\x04")
    return folder


@pytest.fixture
def run(tmp_path):
    def run(*arguments, typed="", **environ):
        return subprocess.run(
            [sys.executable, "-m", "hierrag_lessons", *map(str, arguments)],
            input=typed.encode(),
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HIERRAG_CACHE": str(tmp_path / "cache"), **environ},
            check=False,
        )

    return run


def test_ask_prints_passages_with_their_lines_and_says_what_was_not_read(run, docs):
    done = run("ask", docs, "年假", "有几天?")
    assert done.returncode == 0
    assert "[1] 手册.md:5 " in done.stdout.decode()
    assert "十五天年假" in done.stdout.decode()
    assert b"scan.docx: " in done.stderr
    assert "Traceback" not in done.stderr.decode()


def test_every_file_that_was_not_read_can_be_listed(run, docs):
    for number in range(7):
        (docs / f"{number}.xyz").write_bytes(b"")
    done = run("ask", docs, "年假")
    assert "and 3 more; --list-unread names all" in done.stderr.decode()
    done = run("ask", docs, "年假", "--list-unread")
    assert all(f"{number}.xyz: " in done.stderr.decode() for number in range(7))
    assert "more;" not in done.stderr.decode()


def test_no_command_lets_a_document_speak_to_the_terminal(run, docs, tmp_path):
    (docs / "坏\x1b]0;owned\x07.md").write_text("年假\x1b[2J\u202e有几天？十五天。".strip(), encoding="utf-8")
    (docs / "bad\x1b[31m.xyz").write_bytes(b"")
    (tmp_path / "gold.csv").write_text("question,doc,quote\n\x1b[2J年假?,手册.md,\x1b[2Jnowhere\n", encoding="utf-8")
    for given, typed in (
        (["ask", docs, "年假有几天\x1b[2J?"], ""),
        (["label", docs, "--questions", "gold.jsonl"], "年假有几天?\nn\nn\nn\nn\nq\n"),
        (["compare", docs, "--questions", "gold.csv"], ""),
    ):
        done = run(*given, typed=typed)
        shown = (done.stdout + done.stderr).decode()
        assert len(shown) > 40
        assert not set(shown) & set("\x1b\x07\x00\u202e"), shown


def test_any_terminal_gets_utf8(run, docs):
    done = run("ask", docs, "年假有几天?", PYTHONIOENCODING="latin-1", LC_ALL="C")
    assert "十五天年假" in done.stdout.decode("utf-8")


def test_label_then_measure_with_what_was_labelled(run, docs, tmp_path):
    done = run("label", docs, "--questions", "gold.jsonl", typed="一年可以休几天?\ny 2\n十五天\nq\n")
    assert done.returncode == 0, done.stderr.decode()
    [line] = (tmp_path / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["answer"] == "十五天"
    assert json.loads(line)["evidence"][0]["doc"] == "手册.md"


def test_help_loads_nothing(run):
    code = "import sys; from hierrag_lessons.__main__ import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += "assert not {'numpy', 'lancedb', 'torch', 'regex'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    for name in ("ask", "compare", "label"):
        assert f"  {name} " in done.stdout


def test_compare_says_what_its_headline_is(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "down to 250 are measured with it, and the headline is the mean over all of them" in shown
    assert "one half chooses and the other judges" in shown


@pytest.mark.parametrize("name", ["ask", "compare", "label"])
def test_each_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert "DOCS" in shown
    assert f"Example: python -m hierrag_lessons {name} " in shown
    assert all(len(line) <= 120 for line in shown.splitlines())


def test_without_a_command_the_help_is_shown(capsys):
    assert main([]) == 0
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize("given", [["aks"], ["ask"], ["ask", "docs"], ["compare", "docs", "--budget", "many"]])
def test_what_cannot_be_read_is_said_with_code_2(given, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(given)
    assert stopped.value.code == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["ask", "nowhere", "rent"], "where there is nothing; give"),
        (["ask", "docs", " "], "question is ' '; give some words"),
        (["ask", "docs", "年假", "--budget", "0"], "budget is 0; give 1 or more"),
        (["compare", "docs", "--questions", "nowhere.jsonl"], "nowhere.jsonl"),
        (["compare", "docs", "--questions", "docs/手册.md"], "neither .jsonl nor .csv"),
        (["compare", "docs", "--out", "report.pdf"], "give a file that ends in .html"),
        (["label", "docs", "--questions", "gold.csv"], "give a file that ends in .jsonl"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_code_1(given, said, docs, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(given) == 1
    [line] = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("…")]
    assert line.startswith("error: ")
    assert said in line


def test_whoever_stops_a_command_is_told_so(docs, monkeypatch, capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "ask_documents", stop)
    assert main(["ask", str(docs), "年假"]) == 130
    assert capsys.readouterr().err.endswith(
        "interrupted; what was embedded or saved is kept, run the same command again to go on\n"
    )


SLOW = """
import signal, sys, time
from hierrag_lessons.__main__ import main
from hierrag_lessons.embedding import MiniLMEmbedder
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background is started without
def encode(self, texts):
    print("embedding", file=sys.stderr, flush=True)
    time.sleep(60)
MiniLMEmbedder.encode, MiniLMEmbedder.count_word_pieces = encode, lambda self, texts: [1] * len(texts)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signal to one process")
@pytest.mark.parametrize(
    ("given", "typed", "when"),
    [
        (["ask", "docs", "rent"], "", "embedding"),
        (["compare", "docs", "--out", "r.html"], "", "embedding"),
        (["label", "docs"], "What is the rent?\n", "embedding"),
        (["drill"], "", "press Enter"),
    ],
)
def test_ctrl_c_is_one_sentence_and_code_130(given, typed, when, tmp_path):
    (tmp_path / "docs").mkdir()
    text = "".join(
        f"The rent of the {house} is due before the {month} holidays, as its yellow lease says on page one.\n\n"
        for house, month in (("boathouse", "spring"), ("windmill", "summer"), ("lighthouse", "winter"))
    )
    (tmp_path / "docs" / "rent.md").write_text(text, encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "HIERRAG_CACHE": str(tmp_path / "cache")}
    running = subprocess.Popen(
        [sys.executable, "-u", "-c", SLOW, *given],
        cwd=tmp_path,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    shown = b""
    try:
        running.stdin.write(typed.encode())
        running.stdin.flush()
        while when.encode() not in shown and (read := os.read(running.stdout.fileno(), 4096)):
            shown += read
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130, (shown + rest).decode()
    said = rest.decode()
    assert said.endswith("\ninterrupted; what was embedded or saved is kept, run the same command again to go on\n")
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 3


@pytest.mark.parametrize("questions", [None, "gold.jsonl"])
def test_compare_says_what_it_recommends_and_where_the_report_is(questions, monkeypatch, capsys):
    asked = []

    def compare(*given, **options):
        asked.append((*given, options["budget"], options["out"]))
        recommendation = SimpleNamespace(text="Take every level.")
        folder = SimpleNamespace(unread=[Unread(f"{number}.doc", "old") for number in range(9)])
        return SimpleNamespace(comparison=SimpleNamespace(recommendation=recommendation), folder=folder)

    monkeypatch.setattr(commands, "compare_documents", compare)
    given = ["--questions", questions] if questions else []
    assert main(["compare", "docs", *given, "--budget", "2000", "--out", "r.html"]) == 0
    assert [str(value) for value in asked[0]] == ["docs", str(questions), "2000", "r.html"]
    shown = capsys.readouterr()
    assert shown.out == "Take every level.\nThe report: r.html\n"
    assert ("Silver questions" in shown.err) == (questions is None)
    assert "and 4 more; the report names all" in shown.err


def test_compare_takes_another_embedder(monkeypatch, tmp_path):
    asked = []

    def compare(*_, **options):
        asked.append(options["embedder"])
        raise ValueError("seen")

    monkeypatch.setattr(commands, "compare_documents", compare)
    assert main(["compare", "docs", "--embedder", str(minilm_folder())]) == 1
    assert main(["compare", "docs"]) == 1
    assert isinstance(asked[0], SentenceTransformerEmbedder)
    assert asked[1] is None


def test_compare_and_ask_pass_prompts_and_bf16_on(monkeypatch, capsys):
    asked = []

    def seen(*_, **options):
        asked.append((options.get("embedder"), options["bf16"]))
        raise ValueError("seen")

    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True})
    monkeypatch.setattr(commands, "compare_documents", seen)
    monkeypatch.setattr(commands, "ask_documents", seen)
    model = ["--embedder", str(minilm_folder()), "--query-prompt", "query: ", "--document-prompt", "passage: "]
    assert main(["compare", "docs", *model, "--bf16"]) == 1
    assert main(["compare", "docs", "--bf16"]) == main(["ask", "docs", "why?", "--bf16"]) == 1
    assert asked[0][0].name.endswith("(query_prompt='query: ', document_prompt='passage: ', bf16=True)")
    assert [bf16 for _, bf16 in asked] == [False, True, True]
    assert main(["compare", "docs", "--query-prompt", "query: "]) == 1
    assert "give that, too" in capsys.readouterr().err


def test_an_embedder_that_is_not_there_is_one_line(tmp_path, capsys):
    assert main(["compare", "docs", "--embedder", str(tmp_path / "nowhere")]) == 1
    assert capsys.readouterr().err.startswith("error: --embedder ")


def test_a_reader_who_has_seen_enough_is_no_error(run, docs):
    code = (
        "import subprocess, sys; done = subprocess.Popen([sys.executable, '-m', 'hierrag_lessons', 'ask', "
        f"{str(docs)!r}, '年假'], stdout=subprocess.PIPE, stderr=subprocess.PIPE); done.stdout.close(); "
        "error = done.stderr.read().decode(); sys.exit('Traceback' in error or 'BrokenPipe' in error)"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "HIERRAG_CACHE": str(docs.parent / "cache")}
    assert subprocess.run([sys.executable, "-c", code], env=environ, check=False).returncode == 0
