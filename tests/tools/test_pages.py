"""The generated parts of the pages are what their sources say, and the numbers are measured again."""

import re

import pytest

from benchmarks import baselines, development, questions, retrievers, vocabulary
from benchmarks.results import read
from hierrag_lessons.environment import machine
from tools import pages
from tools.notebooks import ROOT, lessons


@pytest.mark.parametrize("page", pages.PARTS)
def test_generated_parts_are_current(page):
    assert (ROOT / page).read_text(encoding="utf-8") == pages.fill(page), "run python -m tools.pages"


def test_the_data_page_names_files_that_exist():
    named = re.findall(r"^\| `([^`]+)`", (ROOT / "data" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"data/questions/*.jsonl", "hierrag_lessons/text/vocabulary/hierrag_16k.tiktoken"} <= set(named)
    assert [name for name in named if not any(ROOT.glob(name))] == []


def test_a_page_without_its_markers_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text("# No markers\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"README\.md needs the lines <!-- headline:start -->"):
        pages.fill("README.md")


def test_the_lesson_map_names_every_lesson():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for lesson in lessons():
        assert f"](notebooks/{lesson.source.stem}.ipynb)" in readme


def test_the_readme_begins_with_the_command_and_says_where_it_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before, _, after = readme.partition("git clone")
    assert after
    assert "\n|" not in before, "a newcomer looks for the command first, and for tables later"
    oldest, newest = (".".join(map(str, version)) for version in (machine.OLDEST, machine.NEWEST))
    assert f"Python {oldest} to {newest}" in after.partition("\n|")[0], "what runs, before the tables"


@pytest.mark.slow
def test_the_retriever_figures_are_measured_again():
    """Those of the Chinese half, at every budget and wherever the evidence lies: the English one takes minutes, and
    lessons 13 to 20 measure its methods again.

    Every index is built again and every class of retriever is measured, but of flat search and of coarse to fine not
    each of those that are published.
    """
    without = ["flat, vectors alone", "flat, words alone", "coarse to fine, by meaning"]
    committed, measured = read("retrievers")["languages"]["zh"], retrievers.measure_quality("zh", without)
    assert measured["questions"] == committed["questions"]
    assert list(measured["retrievers"]) == [name for name in committed["retrievers"] if name not in without]
    for name, entry in measured["retrievers"].items():
        for group, budgets in entry["recall"].items():
            for budget, values in budgets.items():
                expected = committed["retrievers"][name]["recall"][group][budget]
                # In a group of seven questions one passage at the edge of a budget can be 0.02.
                close = 0.005 if group == "all" else 0.02
                assert values["mean"] == pytest.approx(expected["mean"], abs=close), (name, group, budget)


@pytest.mark.slow
def test_the_development_figures_are_measured_again():
    """Those of the Chinese questions: every method, wording, place and budget."""
    committed = read("development")["sources"]["zh"]
    results, _ = development.measured("zh")
    for metric in development.METRICS:
        for wording, methods in committed[metric].items():
            measured = development.by_place(results, wording, metric)
            assert list(measured) == list(methods)
            for name, groups in methods.items():
                for place, budgets in groups.items():
                    # Where few questions are, one passage at the edge of a budget is more.
                    close = 0.01 if place == "all" else 0.06
                    assert measured[name][place] == pytest.approx(budgets, abs=close), (metric, wording, name, place)


def test_the_questions_are_counted_again():
    committed = read("questions")["sources"]
    for source in ("en", "zh"):
        _, found = questions.questions_on(source)
        users = [question for question in found if question.wording == "user"]
        assert committed[source]["users"] == len(users)
        assert committed[source]["counts"] == questions.counts(users)
        assert committed[source]["pool"] == questions.pooled(source, users)


@pytest.fixture(scope="module")
def measured_baselines():
    return baselines.measure()


@pytest.mark.slow
def test_plain_retrieval_leaves_something_to_gain(measured_baselines):
    """Neither BM25 nor MiniLM over chunks of 200 tokens finds 85 % of the evidence in 1,000 tokens."""
    recall = measured_baselines["all"]["recall"]
    assert set(recall) == {"text", "vector"}
    assert 0.1 < min(recall.values()) <= max(recall.values()) < 0.85


@pytest.mark.slow
def test_the_baselines_are_measured_again(measured_baselines):
    committed = read("baselines")
    same_reference = committed["python_reference"] == measured_baselines["python_reference"]
    own_texts = {name for name in committed["corpora"] if name != "python reference"}
    assert {name: measured_baselines["corpora"][name] for name in own_texts} == {
        name: committed["corpora"][name] for name in own_texts
    }
    for name, expected in committed["files"].items():
        if name == "python_reference" and not same_reference:
            continue
        entry = measured_baselines["files"][name]
        assert {**entry, "recall": None} == {**expected, "recall": None}
        # A reference in other words moves the other English texts' ranks a little, and so does rounding.
        assert entry["recall"] == pytest.approx(expected["recall"], abs=0.005 if same_reference else 0.03), name


def test_the_vocabulary_figures_are_measured_again():
    committed, measured = read("vocabulary"), vocabulary.measure()
    for language, entry in measured["languages"].items():
        if language == "en" and committed["python_reference"] != measured["python_reference"]:
            continue
        expected = committed["languages"][language]
        assert entry["characters"] == expected["characters"]
        for name, tokens in entry["tokens"].items():
            assert tokens == expected["tokens"][name]
