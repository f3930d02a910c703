"""The glossary and the cheat sheet: what they link to, name and state is there, and is so."""

import ast
import dataclasses
import inspect
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import hierrag_lessons
from hierrag_lessons import split_sentences
from tools.check_links import broken, markdown
from tools.notebooks import NOTEBOOKS, ROOT

GLOSSARY, CHEAT_SHEET = NOTEBOOKS / "GLOSSARY.md", NOTEBOOKS / "CHEAT_SHEET.md"

ENTRY = re.compile(
    r"\*\*(?P<term>[^*]+)\*\*(?: \((?P<other>[^)]+)\))?: (?P<text>.+) \[Lesson (\d\d)\]\((?P<page>[^)]+)\)"
)
LINK = re.compile(r"\]\(([^)\s]+)\)")

# Terms of lessons that are about to be told again, and will have them then: excused until the lesson has its map.
AWAITED = {"detectable difference": "03", "HNSW": "02", "Holm": "03", "PQ": "02"}

MOST_WORDS = 1_600  # of the cheat sheet, which is to fit on two printed pages


def order(term: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", term.casefold()).strip()


@cache
def read(page: Path) -> str:
    """The Markdown of a page, read once."""
    return markdown(page)


@cache
def plain(text: str) -> str:
    return " ".join(re.sub(r"[*`]", "", text).split())


def says(text: str, term: str) -> bool:
    """Whether a text has a term as words of their own, in any case, also in the plural."""
    return re.search(rf"(?<!\w){re.escape(term)}(?:s|es)?(?!\w)", text, re.IGNORECASE) is not None


def is_retold(page: Path) -> bool:
    return "{{map}}" in (NOTEBOOKS / "src" / f"{page.stem}.py").read_text(encoding="utf-8")


# --- the glossary ----------------------------------------------------------------------------------------------------


def glossary_problems(text: str) -> list[str]:
    """One sentence for all that is wrong with a glossary."""
    found, letter, terms = [], "", []
    for paragraph in re.split(r"\n\s*\n", text)[2:]:  # after the title and what it says of itself
        if heading := re.fullmatch(r"## ([A-Z])", paragraph.strip()):
            letter = heading[1]
            continue
        entry = ENTRY.fullmatch(" ".join(paragraph.split()))
        if not entry:
            found.append(f"no entry: {paragraph[:60]!r}")
            continue
        term = entry["term"]
        terms.append(order(term))
        if terms[-1][0].upper() != letter:
            found.append(f"{term}: stands under {letter}")
        if len(split_sentences(entry["text"])) != 2:
            found.append(f"{term}: has not two sentences")
        found += [f"{term}: {problem}" for problem in lesson_problems(entry)]
    found += [f"{after!r} stands behind {before!r}" for before, after in pairwise(terms) if after <= before]
    return found


def lesson_problems(entry: re.Match[str]) -> list[str]:
    page, term = NOTEBOOKS / entry["page"], entry["term"]
    if not page.exists() or page.suffix != ".ipynb":
        return [f"{entry['page']} is no lesson"]
    if not page.name.startswith(entry[4]):
        return [f"is called lesson {entry[4]} and leads to {page.name}"]
    if AWAITED.get(term) == entry[4] and not is_retold(page):
        return []
    prose = plain(read(page))
    if not any(says(prose, name) for name in (term, entry["other"]) if name):
        return [f"lesson {entry[4]} does not mention it"]
    chinese = re.findall(r"[\u4e00-\u9fff]+", entry["text"])
    return [f"lesson {entry[4]} does not mention {word}" for word in chinese if word not in prose]


def test_the_glossary_is_right():
    assert glossary_problems(GLOSSARY.read_text(encoding="utf-8")) == []


def test_what_is_awaited_is_in_the_glossary():
    assert [term for term in AWAITED if f"**{term}**" not in GLOSSARY.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("**beam**", "**boat**", "boat: lesson 22 does not mention it"),
        ("**beam**", "**zebra**", "zebra: stands under B"),
        ("**boost**", "**aboost**", "'aboost' stands behind"),
        ("(22_walking_the_outline.ipynb)", "(22_walking.ipynb)", "22_walking.ipynb is no lesson"),
        ("(22_walking_the_outline.ipynb)", "(21_the_question_itself.ipynb)", "is called lesson 22"),
        ("A wider beam loses less and reads more.", "", "beam: has not two sentences"),
        ("**beam**:", "**beam**", "no entry: '**beam**"),
        ("第九十三条", "第九条", "lesson 21 does not mention 第九条"),
    ],
)
def test_a_wrong_entry_fails(old, new, problem):
    text = GLOSSARY.read_text(encoding="utf-8")
    assert old in text
    assert any(problem in found for found in glossary_problems(text.replace(old, new)))


# --- the cheat sheet -------------------------------------------------------------------------------------------------


def sheet_problems(text: str) -> list[str]:
    """One sentence for all that is wrong with a cheat sheet."""
    spans = re.findall(r"`([^`\n]+)`", text)
    found = [problem for span in spans for problem in span_problems(span)]
    prose = LINK.sub("]", re.sub(r"`[^`\n]+`", "", text))
    found += [f"{loose!r} belongs to a class" for loose in re.findall(r"\w+=\S+", prose)]
    named = {re.match(r"\w*", span)[0] for span in spans}
    found += [f"{name} is not on the sheet" for name in methods() if name not in named]
    numbered = re.split(
        r"^\d+\. ", text.partition("## Which one")[2].partition("\n\nThen measure")[0], flags=re.MULTILINE
    )
    found += [problem for item in numbered[1:] for problem in verdict_problems(item)]
    if len(prose.split()) > MOST_WORDS:
        found.append(f"{len(prose.split())} words are more than two pages")
    return found


def span_problems(span: str) -> list[str]:
    """What is wrong with a class, and with the defaults in brackets behind it."""
    name = re.match(r"\w*", span)[0]
    if name not in dir(hierrag_lessons):
        return [f"{span!r} is nothing that hierrag_lessons has"]
    if span == name:
        return []
    call = ast.parse(span, mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        return [f"{span!r} is no class with its defaults"]
    wrong = []
    for keyword in call.keywords:
        stated, default = value_of(keyword.value), default_of(getattr(hierrag_lessons, name), keyword.arg or "")
        if type(stated) is not type(default) or stated != default:
            wrong.append(f"{name}: the default of {keyword.arg} is {default!r}, not {stated!r}")
    return wrong


def value_of(node: ast.expr) -> object:
    return getattr(hierrag_lessons, node.id) if isinstance(node, ast.Name) else ast.literal_eval(node)


def default_of(method: type, parameter: str) -> object:
    """A parameter's default; ``inspect.Parameter.empty`` where it has none or is none."""
    for field in dataclasses.fields(method) if dataclasses.is_dataclass(method) else ():
        if field.name == parameter and field.default_factory is not dataclasses.MISSING:
            return field.default_factory()
    known = inspect.signature(method).parameters
    return known[parameter].default if parameter in known else inspect.Parameter.empty


def methods() -> list[str]:
    """All chunkers and retrievers at the front door, without the protocols."""
    return [name for name in dir(hierrag_lessons) if re.fullmatch(r"\w+(Chunker|Retriever)", name)]


def verdict_problems(item: str) -> list[str]:
    """A verdict names its source, and the source has its figures."""
    title, sources = item[:40], LINK.findall(item)
    if not any(re.match(r"\.\./benchmarks/README\.md|\d\d_\w+\.ipynb", source) for source in sources):
        return [f"{title!r} names no source"]
    evidence = "\n".join(section(source) for source in sources)
    figures = re.findall(r"(?<![\d.,])\d+\.\d+(?![\d.])", LINK.sub("]", item))
    return [f"{title!r}: its sources have no {figure}" for figure in figures if not says(evidence, figure)]


def section(source: str) -> str:
    """The section that a link leads to, or the page where it has no anchor."""
    path, _, anchor = source.partition("#")
    page = (NOTEBOOKS / path).resolve()
    if not page.is_file():
        return ""
    text = read(page)
    for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        title = part.partition("\n")[0].removeprefix("## ").strip()
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        if anchor and anchor in {slug, title.replace(" ", "-")}:
            return part
    return "" if anchor else text


ENGLISH = "English, user wording"
DEV = [  # verdict, table of the development questions, row, column, figure
    (6, f"{ENGLISH} (198): recall", "every level", "500 tokens", "0.66"),
    (6, f"{ENGLISH} (198): recall", "hybrid", "500 tokens", "0.60"),
    (6, f"{ENGLISH} (198): recall", "parent-child, hybrid, coverage 0", "500 tokens", "0.50"),
    (7, f"{ENGLISH} (198): recall", "two levels", "2,000 tokens: one leaf", "0.98"),
    (7, f"{ENGLISH} (198): recall", "every level", "2,000 tokens: one leaf", "0.98"),
    (7, f"{ENGLISH} (198): recall", "hybrid", "2,000 tokens: one leaf", "0.94"),
    (8, f"{ENGLISH} (198): recall", "every level", "one section", "1.00"),
    (8, f"{ENGLISH} (198): recall", "parent-child, hybrid, coverage 0", "one section", "1.00"),
    (8, f"{ENGLISH} (198): recall", "hybrid", "one section", "0.94"),
    (9, f"{ENGLISH} (198): recall", "two levels", "one part", "0.90"),
    (9, f"{ENGLISH} (198): recall", "every level", "one part", "0.89"),
    (9, f"{ENGLISH} (198): recall", "parent-child, hybrid, coverage 0", "one part", "0.78"),
    (10, f"{ENGLISH} (198): complete evidence", "every level", "2,000 tokens", "0.62"),
    (10, f"{ENGLISH} (198): complete evidence", "every level", "8,000 tokens", "0.84"),
    (10, f"{ENGLISH} (198): complete evidence", "hybrid", "2,000 tokens", "0.57"),
    (10, f"{ENGLISH} (198): complete evidence", "hybrid", "8,000 tokens", "0.72"),
    (11, f"{ENGLISH} (198): recall", "every level", "8,000 tokens", "0.96"),
    (11, f"{ENGLISH} (198): recall", "parent-child, hybrid, coverage 0", "8,000 tokens", "0.94"),
    (11, f"{ENGLISH} (198): recall", "auto-merging, hybrid, over one half", "8,000 tokens", "0.93"),
    (11, f"{ENGLISH} (198): recall", "hybrid", "8,000 tokens", "0.92"),
    (13, "English, avoiding wording (156): recall", "BM25", "2,000 tokens", "0.39"),
    (13, "English, avoiding wording (156): recall", "hybrid", "2,000 tokens", "0.47"),
    (13, "English, avoiding wording (156): recall", "every level", "2,000 tokens", "0.51"),
    (14, "Chinese, user wording (105): recall", "every level", "2,000 tokens", "0.94"),
    (14, "Chinese, user wording (105): recall", "hybrid", "2,000 tokens", "0.90"),
]


def cells(title: str) -> dict[str, dict[str, str]]:
    """A table of the development questions, by row and column."""
    lines = section("../benchmarks/README.md#the-methods-on-the-development-questions").partition(f"| {title} |")[2]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines.partition("\n\n")[0].splitlines()]
    return {row[0]: dict(zip(table[0], row[1:], strict=True)) for row in table[2:]}


@pytest.mark.parametrize(("number", "title", "row", "column", "figure"), DEV)
def test_a_figure_of_a_verdict_is_that_of_its_table(number, title, row, column, figure):
    item = re.search(rf"^{number}\. (.*?)(?=^\d+\. |\Z)", read(CHEAT_SHEET), re.MULTILINE | re.DOTALL)
    assert cells(title)[row][column] == figure
    assert figure in item[1]


def test_all_figures_of_the_development_questions_are_checked():
    listed = {(number, figure) for number, _, _, _, figure in DEV}
    items = re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", read(CHEAT_SHEET), re.MULTILINE | re.DOTALL)
    assert {(int(number), figure) for number, item in items for figure in re.findall(r"\b[01]\.\d\d\b", item)} == listed


def test_the_cheat_sheet_is_right():
    assert sheet_problems(CHEAT_SHEET.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("lift=0.25", "lift=0.3", "the default of lift is 0.25, not 0.3"),
        ("lift=0.25", "lifts=0.25", "the default of lifts is <class 'inspect._empty'>"),
        ("threshold=MAJORITY", "threshold=0.5", "the default of threshold is Fraction"),
        ("max_turns=12", "max_turns=12.0", "the default of max_turns is 12, not 12.0"),
        ("`FlatRetriever(", "`FlattRetriever(", 'FlattRetriever(mode="vector")\' is nothing that hierrag_lessons has'),
        ("`FlatRetriever(", "`HybridRetriever(", "FlatRetriever is not on the sheet"),
        ("and half of the section's score", "above=0.5", "'above=0.5' belongs to a class"),
        ("73.7 against 64.3", "73.8 against 64.3", "its sources have no 73.8"),
        ("[lesson 22](22_walking_the_outline.ipynb#Or-read-everything?)", "a friend", "names no source"),
    ],
)
def test_a_wrong_line_fails(old, new, problem):
    text = CHEAT_SHEET.read_text(encoding="utf-8")
    assert old in text
    assert any(problem in found for found in sheet_problems(text.replace(old, new, 1))), sheet_problems(
        text.replace(old, new, 1)
    )


def test_a_sheet_that_grows_fails():
    assert "more than two pages" in sheet_problems(CHEAT_SHEET.read_text(encoding="utf-8") + "word " * MOST_WORDS)[-1]


# --- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [GLOSSARY, CHEAT_SHEET], ids=lambda page: page.name)
def test_every_link_resolves(page):
    assert list(broken(page)) == []


@pytest.mark.parametrize("old", ["22_walking_the_outline.ipynb", "CHEAT_SHEET.md"])
def test_a_broken_link_fails(tmp_path, old):
    for name in ("CHEAT_SHEET.md", *(path.name for path in NOTEBOOKS.glob("*.ipynb"))):
        (tmp_path / name).touch()
    page = tmp_path / "GLOSSARY.md"
    page.write_text(GLOSSARY.read_text(encoding="utf-8"), encoding="utf-8")
    assert list(broken(page, tmp_path)) == []
    (tmp_path / old).unlink()
    assert any(old in problem for problem in broken(page, tmp_path))


def test_the_readme_leads_to_both():
    ways = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Ways through")[2].partition("\n## ")[0]
    assert {"notebooks/GLOSSARY.md", "notebooks/CHEAT_SHEET.md"} <= set(LINK.findall(ways))
