"""The line that says how far long work is: when it comes, where it is drawn, and that it goes again."""

import io
import re
import time
from types import SimpleNamespace
from typing import ClassVar

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient

from hierrag_lessons import (
    CachedEmbedder,
    CharNgramEmbedder,
    Document,
    Evidence,
    Index,
    Question,
    RecursiveChunker,
    build_hierarchy,
)
from hierrag_lessons import long_work as module
from hierrag_lessons.embedding import CacheWarning
from hierrag_lessons.evaluation import score_retrievers
from hierrag_lessons.long_work import Interrupted, with_progress
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
    now = iter(range(1000))  # the work begins at 0, and each item takes a second
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: float(next(now))))
    drawn = [bool(terminal.getvalue()) for _ in with_progress(range(8), "counting")]
    assert drawn == [False, *[True] * 7]


def test_loops_inside_each_other_share_one_line_and_one_total(terminal, at_once):
    seen = []
    for _ in with_progress(range(2), "outer"):
        for _ in with_progress(range(4), "inner"):
            seen.append(re.sub(r"%.*", "", terminal.line))
    ends = [0, 12, 25, 38, 50, 62, 75, 88]
    assert [" ".join(line.split()) for line in seen] == [
        f"outer {1 + n // 4} of 2, inner: {share}" for n, share in enumerate(ends)
    ]
    assert "\n" not in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()
    assert terminal.line == ""


def test_the_time_left_is_that_of_all_loops_together(terminal, at_once, monkeypatch):
    now = 0.0
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    for outer in with_progress(range(3), "indexes"):
        for inner in with_progress(range(10), "embedding 640 texts"):
            if (outer, inner) == (1, 5):  # half of everything, after 15 seconds
                assert terminal.line.endswith("[00:15<00:15]")
            now += 1.0
    assert terminal.line == ""


def test_what_has_a_length_inside_what_has_none_has_its_own_share(terminal, at_once):
    for _ in with_progress(iter("ab"), "documents"):
        lines = [terminal.line for _ in with_progress(range(4), "summaries")]
    assert re.fullmatch(r"documents 2, summaries:  75%\|.*\| 3/4 \[.*\]", lines[-1])


def test_a_first_item_that_takes_long_is_told_of_while_it_takes(terminal, monkeypatch):
    """The first text takes a model that is loaded with it: a minute on a busy machine, and nothing to be seen."""
    monkeypatch.setattr(module, "DELAY", 0.05)
    for item in with_progress(range(2), "embedding 9 texts"):
        if item == 0:
            end = time.monotonic() + 30
            while not terminal.line and time.monotonic() < end:
                time.sleep(0.01)
            assert terminal.line.startswith("embedding 9 texts:   0%")
    assert terminal.line == ""


def test_a_loop_that_ends_early_leaves_nothing(terminal, at_once):
    def fail():
        for number in with_progress(range(9), "counting"):
            if number == 3:
                raise ValueError("3")

    with pytest.raises(ValueError, match="3"):
        fail()
    assert terminal.line == ""


def test_work_that_failed_stands_in_no_later_line(terminal, at_once):
    """A traceback keeps the names of a function alive, and with one of them a loop could live on."""

    class Broken:
        def retrieve(self, query, k=5):
            raise RuntimeError("broken")

        retrieve_batch = retrieve

    question = Question("q", "What?", "single_fact", "That.", (Evidence("d", 0, 1),))
    with pytest.raises(RuntimeError, match="broken") as failed:
        score_retrievers({"a": Broken()}, [question])
    lines = [terminal.line for _ in with_progress(range(2), "counting")]
    assert failed.traceback
    assert [line.partition(":")[0] for line in lines] == ["counting", "counting"]


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


def test_an_interruption_while_embedding_says_what_is_kept_and_the_next_run_goes_on(monkeypatch, tmp_path):
    """The stop button comes deep in the model; its frames are nobody's business."""
    texts = [f"text {n}" for n in range(150)]

    class Stopped(CharNgramEmbedder):
        asked: ClassVar[list[str]] = []

        def encode(self, texts):
            self.asked.extend(texts)
            if "text 130" in texts:
                raise KeyboardInterrupt
            return super().encode(texts)

    embedder = CachedEmbedder(Stopped(16), tmp_path / "cache.sqlite")
    with pytest.raises(Interrupted, match="Interrupted: 128 of 150 texts are embedded and kept; run") as stopped:
        embedder.encode(texts)
    assert stopped.value.__suppress_context__
    assert [entry.name for entry in stopped.traceback][-1] == "encode"
    Stopped.asked.clear()
    with pytest.raises(Interrupted, match="Interrupted: 128 of 150"):
        embedder.encode(texts)
    assert Stopped.asked == texts[128:]
    assert CachedEmbedder(CharNgramEmbedder(16), tmp_path / "cache.sqlite").encode(texts).shape == (150, 16)


def test_an_interruption_without_a_cache_does_not_promise_anything(tmp_path):
    class Stopped(CharNgramEmbedder):
        def encode(self, texts):
            raise KeyboardInterrupt

    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.warns(CacheWarning),
        pytest.raises(Interrupted, match="Interrupted: the embedding cache cannot be written, so what was"),
    ):
        CachedEmbedder(Stopped(16), tmp_path / "file" / "cache.sqlite").encode(["a", "b"])


def test_a_notebook_shows_an_interruption_without_its_traceback():
    shell = InteractiveShell()
    shown = []
    shell._showtraceback = lambda kind, value, lines: shown.extend(lines)
    shell.run_cell(
        "from hierrag_lessons.long_work import Interrupted\ndef deep(): raise Interrupted('stopped')\ndeep()"
    )
    assert shown == ["stopped"]


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
