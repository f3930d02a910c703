"""Slides: they say what the lesson says and show what it shows, or the build stops."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import slides
from tools.notebooks import Lesson, NotebookError
from tools.slides import Slide, build, read_plan, render

PNG = "iVBORw0KGgo="
TABLE = "| a | [b](x.md) |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def lesson(tmp_path):
    (tmp_path / "src").mkdir()
    source = tmp_path / "src" / "07_rain.py"
    source.write_text("# %% [markdown]\n# # 07 · Rain", encoding="utf-8")
    (tmp_path / "drop.svg").write_text("<svg/>", encoding="utf-8")
    figure = new_output("display_data", {"image/png": PNG}, metadata={"image/png": {"alt": "it <rains>"}})
    listing = new_output("stream", name="stdout", text="\n".join(f"line {n} <b>" for n in range(30)))
    result = new_output("execute_result", {"text/html": "<table><tr><td>1 &lt; 2</td></tr></table>"})
    cells = [
        new_markdown_cell("# 07 · Rain\n\nIt rained\nall day. Nobody knew why.\n\n![a drop](drop.svg)"),
        new_markdown_cell("## The idea\n\nWater **falls**. <script>alert(1)</script> It is wet."),
        new_code_cell("print('<x>')", outputs=[listing]),
        new_code_cell("draw()", outputs=[figure]),
        new_code_cell("table", outputs=[result]),
        new_markdown_cell("## Exercises\n\n> *Why\n> now?* Read [the rest](08_snow.ipynb).\n\n" + TABLE),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "07_rain.ipynb")
    return Lesson(source)


def test_a_slide_says_sentences_of_its_section(lesson):
    page = render(
        lesson, [Slide("07", "", ("It rained all day.",), "picture"), Slide("07", "The idea", ("It is wet.",))]
    )
    assert re.findall("<h2>(.*?)</h2>", page) == ["07 · Rain", "The idea"]
    assert "<li>It rained all day.</li>" in page
    assert 'alt="a drop" src="data:image/svg+xml;base64,' in page


def test_what_is_shown_is_escaped_cut_and_carried_in_the_page(lesson):
    shown = [Slide("07", "The idea", ("Water **falls**.",), show) for show in ("print", "figure", "table", "code")]
    page = render(lesson, shown)
    assert "<strong>falls</strong>" in page
    assert "line 15 &lt;b&gt;\n…</pre>" in page
    assert "line 16" not in page
    assert 'alt="it &lt;rains&gt;"' in page
    assert "1 &lt; 2" in page
    assert "print(&#x27;&lt;x&gt;&#x27;)" in page
    assert not re.search(r"https?://|src=\"(?!data:)", page)


def test_a_quotation_may_go_on_in_the_next_line_and_links_are_text(lesson):
    page = render(lesson, [Slide("07", "Exercises", ("*Why now?*", "Read [the rest](08_snow.ipynb)."), "table")])
    assert "<li><em>Why now?</em></li><li>Read the rest.</li>" in page
    assert "<th>b</th>" in page
    assert "<a " not in page


def test_markup_in_a_sentence_stays_text(lesson):
    page = render(lesson, [Slide("07", "The idea", ("<script>alert(1)</script>",))])
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("slide", "said"),
    [
        (Slide("07", "Snow", ("It is wet.",)), "no section 'Snow'"),
        (Slide("07", "The idea", ("It is dry.",)), "does not say 'It is dry.'"),
        (Slide("07", "The idea", (), "figure", 2), "1 times figure, not 2"),
        (Slide("07", "Exercises", (), "print"), "0 times print"),
    ],
)
def test_what_the_lesson_has_not_stops_the_build(lesson, slide, said):
    with pytest.raises(NotebookError, match=re.escape(said)):
        render(lesson, [slide])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[slide]]\nlesson = "07"\n', "say a sentence"),
        ('[[slide]]\nlesson = "07"\nshow = "film"\n', "say a sentence, or show one of"),
        ('[[slide]]\nlesson = "07"\nsay = ["a", "b", "c", "d", "e"]\n', "at most 4"),
        ('[[slide]]\nlesson = "07"\nsay = ["a"]\ncolour = "red"\n', "colour means nothing"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(tmp_path, text, said):
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(NotebookError, match=said):
        read_plan(tmp_path / "plan.toml")


def test_the_course_s_slides_are_five_lessons_and_say_what_these_say(tmp_path):
    plan = read_plan()
    files = build(tmp_path, plan)
    assert len(files) == 5
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert text.count("<section>") == sum(slide.lesson == path.name[:2] for slide in plan) >= 6
        assert slides.PLAN.exists()
