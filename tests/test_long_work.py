"""The line that says how far long work is: when it comes, where it is drawn, and that it goes again."""

import io
import re
from types import SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient

from hierrag_lessons import CachedEmbedder, CharNgramEmbedder, Document, Index, RecursiveChunker, build_hierarchy
from hierrag_lessons import long_work as module
from hierrag_lessons.long_work import with_progress
from tools.execution import execute


class Terminal(io.StringIO):
    """A terminal that shows what a reader would see: the text after each character that draws over the line."""

    def isatty(self):
        return True

    @property
    def line(self):
        shown = ""
        for part in self.getvalue().split("\r"):
            shown = part + shown[len(part) :]
        return shown.strip()


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    screen = Terminal()
    # Not sys.stderr itself: pytest sets that anew after its fixtures.
    monkeypatch.setattr(module, "sys", SimpleNamespace(stdout=io.StringIO(), stderr=screen))
    monkeypatch.setattr(module, "_REDRAW", 0.0)
    return screen


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(module, "DELAY", 0.0)


def test_short_work_draws_nothing(terminal):
    assert list(with_progress(range(5), "counting")) == [0, 1, 2, 3, 4]
    assert terminal.getvalue() == ""


def test_long_work_says_how_far_it_is_and_leaves_nothing(terminal, at_once):
    seen = []
    for _ in with_progress(range(4), "counting"):
        seen.append(terminal.line)
    assert [re.sub(r" .*\| (\d/\d).*", r" \1", line) for line in seen] == [f"counting: {n}/4" for n in range(4)]
    assert terminal.line == ""


def test_the_delay_is_waited_for(terminal, monkeypatch):
    now = iter(range(1000))
    monkeypatch.setattr("tqdm.std.time", lambda: float(next(now)))
    drawn = [bool(terminal.getvalue()) for _ in with_progress(range(8), "counting")]
    assert drawn[:2] == [False, False]
    assert drawn[-1]


def test_loops_inside_each_other_share_one_line(terminal, at_once):
    for _ in with_progress(range(2), "outer"):
        for _ in with_progress(range(2), "inner"):
            assert terminal.line.startswith("inner")
    assert "\n" not in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()
    assert terminal.line == ""


def test_a_loop_that_ends_early_leaves_nothing(terminal, at_once):
    def fail():
        for number in with_progress(range(9), "counting"):
            if number == 3:
                raise ValueError("3")

    with pytest.raises(ValueError, match="3"):
        fail()
    assert terminal.line == ""


def test_what_has_no_length_is_counted(terminal, at_once):
    lines = [terminal.line for _ in with_progress(iter("abc"), "letters")]
    assert lines[-1].startswith("letters: 2it")


@pytest.mark.parametrize("how", ["a file", "switched off", "no stderr"])
def test_nothing_is_drawn_where_nothing_can_be_drawn_over(monkeypatch, terminal, at_once, how):
    screen = io.StringIO() if how == "a file" else terminal
    module.sys.stderr = None if how == "no stderr" else screen
    if how == "switched off":
        monkeypatch.setenv("TQDM_DISABLE", "1")
    assert list(with_progress("abc", "letters")) == ["a", "b", "c"]
    assert screen.getvalue() == ""


def test_embedding_and_indexing_say_how_far_they_are(terminal, at_once, tmp_path):
    documents = [Document(f"d{n}", " ".join(f"Sentence {n} {m}." for m in range(40))) for n in range(3)]
    embedder = CachedEmbedder(CharNgramEmbedder(16), tmp_path / "cache.sqlite")
    index = Index.create(tmp_path / "index", embedder)
    index.add(build_hierarchy(document, [RecursiveChunker(max_size=10, overlap=0)]) for document in documents)
    drawn = terminal.getvalue()
    assert re.search(r"embedding \d+ texts: 100%", drawn)
    assert re.search(r"documents: 3it", drawn)
    assert terminal.line == ""


def notebook_of(*lines: str) -> nbformat.NotebookNode:
    at_once = "from hierrag_lessons import long_work; long_work.DELAY = long_work._REDRAW = 0.0"
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("\n".join([at_once, *lines]))])


@pytest.mark.slow
def test_a_built_notebook_has_no_trace(tmp_path):
    notebook = notebook_of("for number in long_work.with_progress(range(3), 'counting'): print(number)")
    (cell,) = execute(notebook, tmp_path).notebook.cells
    assert [output.text for output in cell.outputs] == ["0\n1\n2\n"]


@pytest.mark.slow
def test_a_learners_notebook_shows_it_where_prints_go_and_draws_over_it(monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    notebook = notebook_of("for number in long_work.with_progress(range(3), 'counting'): pass", "print('done')")
    (cell,) = NotebookClient(notebook, kernel_name="python3").execute().cells
    assert {output.name for output in cell.outputs} == {"stdout"}
    text = "".join(output.text for output in cell.outputs)
    assert "counting: 100%" in text
    assert Terminal(text).line == "done"
    assert "\n" not in text.removesuffix("\n")
