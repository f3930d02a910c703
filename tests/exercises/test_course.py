"""Each exercise of the course: it rejects what it must and accepts what it must."""

import ast
import builtins
import inspect
import subprocess
import sys
import textwrap
import time
from functools import cache
from random import Random

import pytest
from nbformat import NotebookNode

from hierrag_lessons import exercises
from hierrag_lessons.exercises import Exercise, solution
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.running import run
from tests.example_exercise import EXAMPLE
from tests.exercises.reading import said, text
from tools.notebooks import ROOT, Edition, Lesson, lessons, tags

REGISTERED = [exercise for number in exercises.lessons() for exercise in exercises.of_lesson(number)]
LESSONS = lessons()


def by_id(exercise: Exercise) -> str:
    return exercise.id


def body(function) -> str:
    """A function's code without its name, its docstring and its annotations."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return body_of(definition)


def body_of(definition: ast.FunctionDef) -> str:
    statements = definition.body[1:] if ast.get_docstring(definition) is not None else definition.body
    names = [argument.arg for argument in ast.walk(definition.args) if isinstance(argument, ast.arg)]
    return f"{names} {[ast.dump(statement) for statement in statements]}"


def names_in(function) -> set[str]:
    return {
        node.id
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))
        if isinstance(node, ast.Name)
    }


def lesson_of(exercise: Exercise) -> Lesson:
    (lesson,) = [lesson for lesson in LESSONS if lesson.number == exercise.id[:2]]
    return lesson


@cache
def notebook(lesson: Lesson, solved: bool) -> NotebookNode:
    """The notebook of a lesson, made once; nothing here writes to it."""
    return Edition(lesson, solved).notebook()


def exercise_cell(exercise: Exercise, *, solved: bool) -> ast.Module:
    """The cell in which an exercise is checked, of the lesson or of its solution notebook."""
    lesson = lesson_of(exercise)
    tag = "solution" if solved else "exercise"
    cells = [cell for cell in notebook(lesson, solved).cells if cell.cell_type == "code" and tag in tags(cell)]
    (cell,) = [cell for cell in cells if lesson.checked_id(cell) == exercise.id]
    return ast.parse(cell.source)


def run_alone(cell: ast.Module) -> tuple[object, dict[str, object]]:
    """What a cell shows that is the first to run in a fresh kernel, and the names that it makes."""
    *statements, last = cell.body
    assert isinstance(last, ast.Expr), "check(…) is not the last line"
    names: dict[str, object] = {}
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names), names


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.source.stem)
def test_a_lesson_and_its_module_have_the_same_exercises(lesson):
    module = [exercise.id for exercise in exercises.of_lesson(lesson.number)]
    assert lesson.exercise_ids() == module == [f"{lesson.number}.{i + 1}" for i in range(len(module))]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.source.stem)
def test_a_lesson_needs_nothing_of_its_exercises(lesson):
    trees = [
        ast.parse(cell.source)
        for cell in lesson.cells()
        if cell.cell_type == "code" and not {"exercise", "solution"} & set(tags(cell))
    ]
    used, made = set(), set(dir(builtins))
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else made).add(node.id)
        elif isinstance(node, ast.alias):
            made.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        elif isinstance(node, ast.arg):
            made.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            made.add(node.name)
    assert used - made == set()


def test_each_module_belongs_to_a_lesson():
    assert set(exercises.lessons()) <= {lesson.number for lesson in LESSONS}


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_the_stub_runs_alone_and_is_not_attempted(exercise):
    cell = exercise_cell(exercise, solved=False)
    reply, names = run_alone(cell)
    assert reply.status == "not attempted"
    assert reply.title.startswith(exercise.id)
    assert {"check", "hint", "solution"} <= set(names), "import all three in the exercise's cell: it runs alone"
    name = exercise.solution.__name__
    (definition,) = [node for node in cell.body if isinstance(node, ast.FunctionDef) and node.name == name]
    wanted = list(inspect.signature(exercise.solution).parameters)
    assert [argument.arg for argument in definition.args.args + definition.args.kwonlyargs] == wanted
    if exercise.start is not None:
        assert body_of(definition) == body(exercise.start), "the code handed out is not Exercise.start"


@pytest.mark.parametrize(
    "body",
    [
        "return ...",
        "...",
        '"""Join spans."""',
        '"""Join spans."""\n    ...',
        '"""Join spans."""\n    pass',
        '"""Join spans."""\n    return ...',
        '"""Join spans."""\n    # your code\n    raise NotImplementedError',
    ],
)
def test_a_stub_may_be_written_in_any_form(body):
    source = f"""\
# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def merge_spans(spans: list[Span]) -> list[Span]:
    {body}


check("98.1", merge_spans)
"""
    ruff = [sys.executable, "-m", "ruff", "check", "--stdin-filename", "notebooks/src/98_example.py", "-"]
    linted = subprocess.run(ruff, cwd=ROOT, input=source, capture_output=True, encoding="utf-8", check=False)
    assert linted.returncode == 0, linted.stdout
    names: dict[str, object] = {}
    exec(source.partition("check(")[0], names)
    assert assess(EXAMPLE, names["merge_spans"]).status == "not attempted"


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_the_solution_runs_alone_and_is_correct(exercise):
    reply, _ = run_alone(exercise_cell(exercise, solved=True))
    assert reply.status == "correct"
    assert reply.title.startswith(exercise.id)


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_an_exercise_imports_from_the_front_door_alone(exercise, solved):
    for node in ast.walk(exercise_cell(exercise, solved=solved)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        assert not [name for name in names if name.startswith("hierrag_lessons.")]


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_oracle_and_solution_are_independent_and_agree(exercise):
    assert body(exercise.oracle) != body(exercise.solution)
    assert exercise.solution.__name__ not in names_in(exercise.oracle)
    assert exercise.oracle.__name__ not in names_in(exercise.solution)
    for seed in range(20):
        for arguments in exercise.cases(Random(seed)):
            expected, result = (run(answer, arguments, None) for answer in (exercise.oracle, exercise.solution))
            assert result.kind == expected.kind
            if expected.kind == "returned":
                assert exercise.equal(result.value, expected.value), arguments
            else:
                assert type(result.error) is type(expected.error), arguments


@pytest.mark.parametrize(
    ("exercise", "mistake"),
    [(exercise, mistake) for exercise in REGISTERED for mistake in exercise.mistakes],
    ids=lambda value: value.id if isinstance(value, Exercise) else value.function.__name__,
)
def test_each_mistake_is_rejected_with_its_own_message(exercise, mistake):
    reply = assess(exercise, mistake.function)
    assert reply.status == "incorrect"
    assert said(reply, "this looks like") == mistake.message
    assert text(reply)


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_checking_is_quick(exercise):
    started = time.monotonic()
    assess(exercise, exercise.mistakes[0].function)
    assert time.monotonic() - started < 10
    assert repr(solution(exercise.id)).startswith("Solution")
