"""The report: one file, nothing loaded from anywhere, hostile text shown and never obeyed, code that runs."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hierrag_lessons
from hierrag_lessons.evaluation import Evidence, Question, Table
from hierrag_lessons.model import Document
from hierrag_lessons.own_documents import compare
from hierrag_lessons.own_documents.compare import compare_methods
from hierrag_lessons.own_documents.diagnosis import diagnose
from hierrag_lessons.own_documents.folder import Folder, Unread, read_folder
from hierrag_lessons.own_documents.methods import own_methods
from hierrag_lessons.own_documents.report import elements, sections, svg
from hierrag_lessons.own_documents.report.page import Report
from hierrag_lessons.own_documents.whole import compare_documents
from hierrag_lessons.store import temporary_index
from hierrag_lessons.text import count_tokens
from tests.own_documents.sample import EMBEDDER, TOPICS, documents, questions
from tools.notebooks import ROOT

HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)> & \"quotes\" </pre></table> \u202e $\\begin{x}$"


class Page(HTMLParser):
    """Every element with its attributes, and whether all are closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img"})

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def made(docs, asked, unread=(), path="some/docs", budget=1000):
    comparison = compare_methods(docs, asked, budget=budget, embedder=EMBEDDER)
    return Report(
        Folder(Path(path), tuple(docs), tuple(unread)),
        comparison,
        diagnose(comparison.documents, comparison.asked, comparison.embedders),
    )


@pytest.fixture(scope="module")
def report():
    docs = documents(TOPICS[:3])
    return made(docs, questions(docs))


@pytest.fixture(scope="module")
def hostile():
    docs = [
        Document(f"{HOSTILE}{n}.md", f"# {HOSTILE}\n\nHouse {n} has a lift. {HOSTILE} It is green {n}.", "markdown")
        for n in range(4)
    ]
    asked = []
    for n, document in enumerate(docs):
        start = document.text.index("It is green")
        evidence = (Evidence(document.doc_id, start, len(document.text)),)
        asked.append(Question(f"{HOSTILE}{n}", f"What colour, {HOSTILE} {n}?", "a", None, evidence))
    unread = [Unread(f"{HOSTILE}.docx", HOSTILE)]
    return made(docs, asked, unread, path=f"some/{HOSTILE.replace('/', '-')}")


@pytest.mark.parametrize("name", ["report", "hostile"])
def test_a_report_needs_nothing_but_itself(name, request):
    page = Page(request.getfixturevalue(name).html)
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint(
        {"script", "img", "link", "iframe", "object", "embed", "form", "a", "base", "video", "audio"}
    )
    for _, attributes in page.elements:
        assert not attributes.keys() & {"src", "href", "srcset", "xlink:href", "action", "background"}
        assert not any(key.startswith("on") for key in attributes)
    (policy,) = [a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    style = re.search(r"<style>(.*?)</style>", request.getfixturevalue(name).html, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style


def test_hostile_text_is_shown_and_nothing_invisible_is_left(hostile):
    shown = "".join(Page(hostile.html).texts)
    assert "<script>alert('x')</script>" in shown
    assert "\u202e" not in hostile.html
    assert "<U+202E>" in shown
    for made in ("", f"SentenceTransformerEmbedder({HOSTILE!r})"):
        compile(own_methods()["every level"].code(HOSTILE, "en", HOSTILE, 10, made), "lines", "exec")


def test_the_recommendation_stands_first(report):
    text = "".join(Page(report.html.partition("<body>")[2].replace("</html>", "").replace("</body>", "")).texts)
    assert text.index(report.comparison.recommendation.text) < 200
    for name in own_methods():
        assert name in text
    assert f"{len(report.comparison.asked)} questions" in text
    assert "Every file of the folder is read." in text


def test_an_undecided_report_calls_no_method_ahead(report):
    table = report.comparison.recall
    ahead = Table(table.columns, (table.rows[0], *((*row[:-1], "ahead") for row in table.rows[1:])), table.caption)
    for decided in (False, True):
        advice = replace(report.comparison.recommendation, decided=decided)
        comparison = replace(report.comparison, recommendation=advice)
        comparison.__dict__["recall"] = ahead  # as if the questions had shown it, and the text says otherwise
        shown = sections.results(comparison)
        assert bool(re.search(r">(?:[+-]0\.\d\d )?ahead<", shown)) == decided
        assert ("nothing is decided, so no method is called ahead or behind" in shown) != decided


def test_every_method_is_explained_with_its_lesson(report):
    lessons = {path.name[:2]: path.read_text(encoding="utf-8") for path in (ROOT / "notebooks" / "src").glob("*.py")}
    for method in own_methods().values():
        assert elements.escaped(method.about) in report.html
        assert f">{method.lesson:02}</td>" in report.html
        assert all(
            name in lessons[f"{method.lesson:02}"] for name in (re.findall(r"\w+Retriever", method.retrieve_code))
        )


@pytest.mark.parametrize(
    ("only", "said"),
    [
        (0.0, "Every section of both trees has two leaves or more"),
        (0.002, "2 of the 1,000 sections of both trees have a single leaf"),
    ],
)
def test_what_there_is_to_merge(report, only, said):
    columns = ("tree", "parents", "number", "median children", "only one", "four to eight")
    rows = (("a", "sections", 900, 3, only, 0.5), ("b", "sections", 100, 3, only, 0.5), ("b", "parts", 7, 3, 1.0, 0.5))
    assert said in sections.tree(replace(report.diagnosis, families=Table(columns, rows, "")))


def test_no_control_stays_in_the_page():
    controls = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), *range(127, 160)])) + "\u200e\u200f\u061c"
    controls += "".join(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
    docs = [
        Document(
            f"{n}{controls}.md", f"# Lift {controls}\n\nHouse {n} has a lift. {controls}It is green {n}.", "markdown"
        )
        for n in range(3)
    ]
    asked = [
        Question(f"q{n}{controls}", f"What colour {controls}{n}?", "a", None, (Evidence(d.doc_id, 0, len(d.text)),))
        for n, d in enumerate(docs)
    ]
    unread = [Unread(f"{controls}.docx", controls)]
    page = made(docs, asked, unread, path=f"some/{controls.replace(chr(0), '')}").html
    assert not set(page) & set(controls)


def test_light_dark_and_print(report):
    assert "prefers-color-scheme:dark" in report.html
    assert "@media print" in report.html
    colours = set(re.findall(r"var\((--\w+)\)", report.html))
    for block in re.findall(r":root\{(.*?)\}", report.html, re.DOTALL):
        assert colours <= set(re.findall(r"--\w+(?=:)", block))


def test_figures_have_words(report):
    figures = [attributes for tag, attributes in Page(report.html).elements if tag == "svg"]
    assert len(figures) == 3
    assert all(figure["role"] == "img" and len(figure["aria-label"]) > 60 for figure in figures)


def test_the_worst_questions_are_none_where_none_is_missed(report):
    most = report.comparison.results[report.comparison.recommendation.method]
    missed = [row for row in most.rows if row.budget == 1000 and row.metrics["recall"] < 0.95]
    assert ("None: with 1,000 tokens" in report.html) == (not missed)


def test_what_the_prompt_has_and_what_it_costs_stands_beside_the_recommendation(report):
    yardstick = report.comparison.measured["flat, structure 200"]
    assert f"{yardstick.prompt_tokens:,.0f} tokens in a prompt of 1,000" in report.html
    assert '<th scope="col">prompt tokens</th>' in report.html
    assert repr(EMBEDDER.name) in "".join(Page(report.html).texts)


def test_the_axis_of_differences_has_numbers():
    rows = (("a", 0.5, None, None, None, None, ""), ("b", 0.7, 0.2, 0.1, 0.3, 0.01, "ahead"))
    table = Table(("method", "recall", "difference", "low", "high", "p", "verdict"), rows)
    figure = svg.intervals(table, True)
    assert ">+0.1</text>" in figure
    assert ">+0.3</text>" in figure
    assert ">+0.20 ahead</text>" in figure
    assert 'class="dot c0"' in figure
    # Where the recommendation says that it can't be told, the figure says no more.
    undecided = svg.intervals(table, False)
    assert ">+0.20 open</text>" in undecided
    assert 'class="dot c0"' not in undecided


def test_lines_to_the_names_do_not_cross_where_all_ends_are_equal():
    names = ("a", "b", "c")
    rows = [
        (name, at, value, value, value)
        for name, own in zip(names, (0.2, 0.9, 0.5), strict=True)
        for at, value in ((500, own), (1000, 1.0))
    ]
    figure = svg.curves(Table(("method", "budget", "recall", "low", "high"), tuple(rows)), names)
    heights = {name: float(re.search(rf'y="([\d.]+)" text-anchor="start">{name}<', figure)[1]) for name in names}
    assert heights["b"] < heights["c"] < heights["a"]


def test_costs_have_two_figures():
    shown = elements.table(("method", "ms a query", "MB"), [("a", 9, 7.4), ("b", 11, 0.031)])
    assert re.findall(r"<td>(.*?)</td>", shown) == ["9", "7.4", "11", "0.031"]


def test_one_budget_has_no_curve():
    docs = documents(TOPICS[:3])
    figures = [a for tag, a in Page(made(docs, questions(docs), budget=300).html).elements if tag == "svg"]
    assert len(figures) == 2


def test_gold_that_was_labelled_names_its_pool():
    docs = documents(TOPICS[:3])
    asked = [replace(question, id=f"gold-{question.id}") for question in questions(docs)]
    assert "recursive chunks of 400 tokens" in made(docs, asked).html


def test_gold_questions_are_not_called_silver(report):
    assert "silver" not in report.html


def test_a_notebook_shows_the_same_page_in_a_frame(report):
    (frame,) = [attributes for tag, attributes in Page(report._repr_html_()).elements if tag == "iframe"]
    assert frame["srcdoc"] == report.html
    assert frame["sandbox"] is None
    assert repr(report) == repr(report.comparison)


def write_docs(folder):
    docs = documents(TOPICS[:3])
    for document in docs:
        (folder / document.doc_id).parent.mkdir(parents=True, exist_ok=True)
        (folder / document.doc_id).write_text(document.text, encoding="utf-8")
    return docs


def test_one_call_from_a_folder_to_a_page(tmp_path):
    docs, lines = write_docs(tmp_path / "in"), []
    out = tmp_path / "in" / "report.html"
    asked = questions(docs)
    first = compare_documents(tmp_path / "in", asked, budget=1000, out=out, embedder=EMBEDDER, progress=lines.append)
    assert out.read_text(encoding="utf-8") == first.html
    assert lines[0] == "3 documents read, 0 files not"
    assert [path.name for path in (tmp_path / "in").iterdir() if path.is_file()] == ["report.html"]
    # The report is no document of the next run, and what was measured is measured no more.
    again = compare_documents(tmp_path / "in", asked, budget=1000, out=out, embedder=EMBEDDER)
    assert again.comparison == first.comparison
    assert {item.path for item in again.folder.unread} == {"report.html", ".report.kept"}


def test_without_questions_the_set_is_silver_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "own_methods", lambda: dict([*own_methods().items()][:2]))
    write_docs(tmp_path)
    found = compare_documents(tmp_path, budget=1000, embedder=EMBEDDER)
    assert "All questions are silver." in found.html
    assert "silver questions" in found.comparison.recommendation.text
    assert not found.comparison.recommendation.decided
    assert '<div class="advice open">' in found.html
    assert "a question of your own" in found.html


def test_questions_that_cannot_be_used_are_refused_or_left_out_and_named(tmp_path, monkeypatch):
    monkeypatch.setattr(compare, "own_methods", lambda: dict([*own_methods().items()][:2]))
    docs, lines = write_docs(tmp_path / "docs"), []
    rows = [f'"{q.question}",{q.evidence[0].doc_id},"{quoted(q, docs)}"' for q in questions(docs)]
    rows.append("Who gets the report?,guides/lifts.md,A report goes to the office on the same day.")
    gold = tmp_path / "gold.csv"
    gold.write_text("\n".join(["question,doc,quote", *rows]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"6 times [^\n]*occurrence, from 1 to 6\n--skip-bad"):
        compare_documents(tmp_path / "docs", gold, embedder=EMBEDDER)
    found = compare_documents(
        tmp_path / "docs", gold, budget=1000, skip_bad=True, embedder=EMBEDDER, progress=lines.append
    )
    assert len(found.comparison.asked) == len(rows) - 1
    assert [line for line in lines if line.startswith("left out: line 8: ")]
    assert "Left out of the comparison: 1 questions with a fault (line 8: " in found.html


def quoted(question, docs):
    piece = question.evidence[0]
    return next(d.text[piece.start : piece.end] for d in docs if d.doc_id == piece.doc_id)


@pytest.mark.parametrize("out", ["report.pdf", "report"])
def test_a_report_is_html(tmp_path, out):
    with pytest.raises(ValueError, match=r"ends in \.html"):
        compare_documents(tmp_path, out=tmp_path / out)


def test_the_lines_of_every_method_do_what_the_method_does(tmp_path, monkeypatch):
    write_docs(tmp_path / "docs")
    monkeypatch.setattr(hierrag_lessons, "default_embedder", lambda language: EMBEDDER, raising=False)
    read = read_folder(tmp_path / "docs").documents
    asked = "Who checks the lifts of house 3?"
    for number, method in enumerate(own_methods().values()):
        (tmp_path / f"run{number}").mkdir()
        monkeypatch.chdir(tmp_path / f"run{number}")
        code = method.code(str(tmp_path / "docs"), "en", asked, 200)
        assert len(code.splitlines()) <= 12
        names = {}
        for _ in range(2):  # the second run does the same as the first
            exec(compile(code, "lines", "exec"), names)
        with temporary_index([method.cut(document) for document in read], embedder=EMBEDDER) as index:
            assert names["passages"] == method.retrieve(index).retrieve(asked, k=50)
        assert names["prompt"].passages
        assert count_tokens(names["prompt"].text) <= 200
