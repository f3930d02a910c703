"""What a lesson says of itself: minutes that are counted, and the line that says where it stands."""

import re

import pytest

from tools.notebooks import ROOT, Lesson, editions, lessons
from tools.opening import LINES, PARTS, TRACKS, WORDS, minutes, tracks

SOURCE = """\
# %% [markdown]
# # 14 · A lesson
#
# {{minutes}}.
#
# {{map}}

# %%
print(1)

# %% [markdown]
# ### Exercise
#
# ★☆☆ · 7 minutes. EXERCISE
#
# <details><summary>folded</summary>FOLDED</details>
"""


@pytest.fixture
def lesson(tmp_path):
    def write(text=SOURCE, name="14_parents.py"):
        (tmp_path / "src").mkdir(exist_ok=True)
        (tmp_path / "src" / name).write_text(text, encoding="utf-8")
        return Lesson(tmp_path / "src" / name)

    return write


def first_page(lesson):
    return lesson.editions()[0].notebook().cells[0].source


def test_minutes_grow_with_words_and_lines_and_not_with_what_is_folded(lesson):
    assert minutes(lesson().cells()) == (5, 7)
    longer = SOURCE.replace("{{minutes}}", "word " * 30 * WORDS)
    assert minutes(lesson(longer).cells()) == (30, 7)
    assert minutes(lesson(SOURCE.replace("print(1)", "print(1)\n" * 20 * LINES)).cells()) == (20, 7)
    for mark in ("EXERCISE", "FOLDED"):
        assert minutes(lesson(SOURCE.replace(mark, "word " * 9000)).cells()) == (5, 7)


def test_the_first_page_says_the_minutes_and_the_way(lesson):
    lesson("# %% [markdown]\n# # 15 · Another\n", "15_merging.py")
    page = first_page(lesson())
    assert "5 minutes to read and run, 7 for the exercises." in page
    here = page.splitlines()[-1]
    assert here.startswith(
        "You are here: foundations › chunkers › **hierarchical retrieval** (13 windows · **14 parents**"
    )
    assert "[15 merging](15_merging.ipynb)" in here
    assert here.endswith("› the question and the agent › the whole")


def test_every_lesson_has_a_short_name():
    names = {number for part in PARTS.values() for number in part}
    assert {lesson.number for lesson in lessons()} <= names


def test_the_ways_through_name_lessons_that_are_there_and_add_up_their_hours():
    there = {lesson.number: minutes(lesson.cells()) for lesson in lessons()}
    *_, everything = tracks(lessons()).splitlines()
    name, _, numbers, reading, exercises = (cell.strip() for cell in everything.strip("|").split("|"))
    ends = [run.partition("–") for run in numbers.split(", ")]
    named = [f"{n:02}" for first, _, last in ends for n in range(int(first), int(last or first) + 1)]
    assert (name, named) == ("everything", sorted(there))
    assert (float(reading), float(exercises)) == tuple(
        pytest.approx(sum(each) / 60, abs=0.051) for each in zip(*there.values(), strict=True)
    )
    assert {number for own, _ in TRACKS.values() for number in own} <= {n for part in PARTS.values() for n in part}


def test_no_notebook_shows_a_mark():
    for edition in editions():
        text = edition.path.read_text(encoding="utf-8")
        for mark in ("{{minutes}}", "{{map}}", "{{tracks}}"):
            assert mark not in text, edition


def test_readme_has_the_same_minutes():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[(\d\d) · .*?\| (\d+) \| [★☆]+ \|$", page, re.MULTILINE))
    assert {lesson.number: minutes(lesson.cells())[0] for lesson in lessons()} == {n: int(m) for n, m in rows.items()}
