"""The examples in docstrings: they are run, and what a reader looks up first has one."""

import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import hierrag_lessons
from hierrag_lessons import chunkers, retrievers, spans
from hierrag_lessons.agents import ToolRetriever
from hierrag_lessons.chunkers import cutting
from hierrag_lessons.context import packing
from hierrag_lessons.evaluation import metrics
from hierrag_lessons.ranking import fusion
from hierrag_lessons.retrievers import merge_upwards

ROOT = Path(hierrag_lessons.__file__).parents[1]
SHOWING = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "hierrag_lessons").rglob("*.py"))
    if re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


def public_functions(module: ModuleType) -> Iterator[FunctionType]:
    for name, thing in vars(module).items():
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_"):
            yield thing


def classes_with(method: str, room: ModuleType) -> Iterator[type]:
    for name in room.__all__:
        thing = getattr(room, name)
        if inspect.isclass(thing) and hasattr(thing, method) and not getattr(thing, "_is_protocol", False):
            yield thing


LOOKED_UP = [
    *(function for module in (spans, fusion, cutting, packing, metrics) for function in public_functions(module)),
    *classes_with("chunk", chunkers),
    *classes_with("retrieve", retrievers),
    ToolRetriever,
    merge_upwards,
]


@pytest.mark.parametrize("thing", LOOKED_UP, ids=lambda thing: thing.__name__)
def test_what_is_looked_up_shows_an_example_before_its_parameters(thing):
    shown, _, _ = inspect.getdoc(thing).partition("\nParameters\n")
    assert ">>> " in shown
    assert f"{thing.__name__}(" in shown


def test_the_list_is_not_empty():
    names = {thing.__name__ for thing in LOOKED_UP}
    assert {"overlap", "recall", "pack", "z_score_fusion", "join_units", "RecursiveChunker", "FlatRetriever"} <= names


@pytest.mark.parametrize("name", SHOWING)
def test_an_example_does_what_it_shows(name):
    said: list[str] = []
    runner, module = doctest.DocTestRunner(), import_module(name)
    for test in doctest.DocTestFinder().find(module, name):
        runner.run(test, out=said.append)
    assert not said, "".join(said)
    assert runner.tries > 0
