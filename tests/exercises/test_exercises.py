"""The exercises' framework, and for each exercise of the course: it rejects what it must and accepts what it must."""

import ast
import contextlib
import dataclasses
import inspect
import io
import itertools
import re
import signal
import sys
import textwrap
import threading
import time
from random import Random

import numpy as np
import pytest

from hierrag_lessons import exercises
from hierrag_lessons.exercises import Exercise, Mistake, check, hint, solution
from hierrag_lessons.exercises.checking import judge
from hierrag_lessons.exercises.comparing import changed, difference, same
from hierrag_lessons.exercises.running import run, show
from hierrag_lessons.model import Passage, Span
from tests.example_exercise import EXAMPLE, as_they_come, last_end_wins, merge_spans, only_overlapping
from tools.notebooks import Lesson, lessons, tags

REGISTERED = [exercise for number in exercises.lessons() for exercise in exercises.of_lesson(number)]
LESSONS = lessons()


def by_id(exercise: Exercise) -> str:
    return exercise.id


def text(reply) -> str:
    """What a learner reads, after looking at what no reply may contain."""
    shown, html = repr(reply), reply._repr_html_()
    for one in (shown, html):
        assert "Traceback" not in one
        assert "hierrag_lessons" not in one
        assert not re.search(r"(/home|/root|/tmp|/work|[A-Z]:\\)", one)
        assert " at 0x" not in one
        one.encode()
    return shown


# --- the three states ------------------------------------------------------------------------------------------------


def test_the_official_solution_is_correct():
    reply = judge(EXAMPLE, merge_spans)
    assert reply.status == "correct"
    assert text(reply).startswith("Correct · 98.1 Merge spans")
    assert "34 of 34 cases" in text(reply)


def empty(spans):
    pass


def documented(spans):
    """Join spans."""


def dots(spans):
    """Join spans."""
    return ...


def raises(spans):
    raise NotImplementedError


def not_implemented(spans):
    return NotImplemented


def hole(spans):
    merged = []
    for span in sorted(...):
        merged.append(span)
    return merged


@pytest.mark.parametrize(
    "function", [None, ..., NotImplemented, empty, documented, dots, raises, not_implemented, hole, lambda spans: None]
)
def test_what_nobody_wrote_is_not_attempted(function):
    reply = judge(EXAMPLE, function)
    assert reply.status == "not attempted"
    assert text(reply).startswith("Not attempted yet · 98.1 Merge spans")
    assert 'hint("98.1")' in text(reply)


def test_without_a_function_nothing_was_attempted():
    assert check("98.1").status == "unknown"
    assert inspect.signature(check).parameters["function"].default is ...


def test_a_half_written_function_is_incorrect():
    reply = judge(EXAMPLE, lambda spans: [] if not spans else ...)
    assert reply.status == "incorrect"
    assert "not written yet" in text(reply)


@pytest.mark.parametrize("mistake", EXAMPLE.mistakes, ids=lambda mistake: mistake.function.__name__)
def test_a_known_mistake_gets_its_own_message(mistake):
    reply = judge(EXAMPLE, mistake.function)
    assert reply.status == "incorrect"
    assert [message for message in (m.message for m in EXAMPLE.mistakes) if message in text(reply)] == [mistake.message]


def test_a_mistake_is_named_only_where_it_explains_the_case_shown():
    def and_another(spans):
        return [Span(0, 1)] if not spans else only_overlapping(spans)

    def on_long_lists_too(spans):
        return [Span(0, 1)] if len(spans) > 6 else only_overlapping(spans)

    assert "this looks like" not in text(judge(EXAMPLE, and_another))
    assert "this looks like" not in text(judge(EXAMPLE, lambda spans: [Span(0, 1)]))
    long_lists_all_merge = [Span(0, 3), Span(5, 8)] * 4
    reply = judge(
        dataclasses.replace(EXAMPLE, cases=lambda rng: [([Span(0, 5), Span(5, 8)],), (long_lists_all_merge,)]),
        on_long_lists_too,
    )
    assert dict(reply.parts)["this looks like"] == EXAMPLE.mistakes[0].message


def test_the_simplest_failing_case_is_shown_in_full():
    reply = judge(EXAMPLE, only_overlapping)
    parts = dict(reply.parts)
    assert parts["first failing input"] == "merge_spans([Span(start=0, end=5), Span(start=5, end=8)])"
    assert parts["you returned"] == "[Span(start=0, end=5), Span(start=5, end=8)]"
    assert parts["expected"] == "[Span(start=0, end=8)]"
    assert parts["note"] == "Yours has 2 items, expected 1 item; they part at index 0."
    assert re.search(r"^\d+ of 34 cases fail", reply.footer)


def test_the_cases_are_the_same_in_every_run():
    assert text(judge(EXAMPLE, as_they_come)) == text(judge(EXAMPLE, as_they_come))


def test_the_code_as_handed_out_is_not_attempted_until_it_behaves_otherwise():
    bug = dataclasses.replace(EXAMPLE, start=only_overlapping)

    def rewritten(spans):
        return only_overlapping(list(spans))

    for function in (only_overlapping, rewritten):
        reply = judge(bug, function)
        assert reply.status == "not attempted"
        assert "first failing input" in text(reply)
    assert judge(bug, last_end_wins).status == "incorrect"
    assert judge(bug, merge_spans).status == "correct"


# --- whatever a function does ----------------------------------------------------------------------------------------


class Evil:
    def __repr__(self):
        raise RuntimeError("no repr")

    def __eq__(self, other):
        raise RuntimeError("no eq")

    __hash__ = None


class EvilError(Exception):
    def __str__(self):
        raise RuntimeError("no str")


def raise_evil(spans):
    raise EvilError


def recurse(spans):
    return recurse(spans)


def leave(spans):
    sys.exit(3)


def interrupt(spans):
    raise KeyboardInterrupt


def destroy(spans):
    spans.clear()
    return []


async def asynchronous(spans):
    return spans


def divide(spans):
    return len(spans) / 0


def surrogates(spans):
    print("half a pair: \ud83d")
    raise ValueError("\udc00")


def no_parameters():
    return []


def forever(spans):
    yield from itertools.count()


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (raise_evil, "EvilError"),
        (recurse, "RecursionError"),
        (leave, "SystemExit: 3"),
        (interrupt, "KeyboardInterrupt"),
        (divide, "ZeroDivisionError: division by zero\n    in the line: return len(spans) / 0"),
        (lambda spans: Evil(), "Evil that can't be shown"),
        (lambda spans: [Evil()], "list that can't be shown"),
        (lambda spans: 7, "Yours is of type int, expected is list."),
        (lambda spans: "<script>", "<script>"),
        (lambda spans: [Span(0, 1)] * 100_000, "characters)"),
        (lambda spans: object(), "<object object>"),
        (asynchronous, "async def"),
        (forever, "0, 1, 2"),
        (no_parameters, "merge_spans(spans)"),
        (lambda a, b: [], "missing a required argument: 'b'"),
        (merge_spans([]), "without brackets"),
        ("merge_spans", "without brackets"),
        (Evil(), "without brackets"),
        (surrogates, "half a pair: \\ud83d"),
        (print, "Printing an answer is not returning it"),
        (dict, "you"),
        (Evil, "your parameters"),
    ],
)
def test_nothing_gets_out(function, said, capfd):
    reply = judge(EXAMPLE, function)
    assert reply.status == "incorrect"
    assert said in text(reply)
    assert capfd.readouterr() == ("", "")


def test_html_is_escaped():
    html = judge(EXAMPLE, lambda spans: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_function_cannot_spoil_the_cases():
    def right_but_destructive(spans):
        answer = merge_spans(spans)
        spans.clear()
        return answer

    before = list(EXAMPLE.cases(Random(0)))
    reply = judge(EXAMPLE, right_but_destructive)
    assert reply.status == "incorrect"
    assert "Work on a copy" in text(reply)
    assert judge(EXAMPLE, destroy).status == "incorrect"
    assert list(EXAMPLE.cases(Random(0))) == before
    assert judge(EXAMPLE, merge_spans).status == "correct"


def test_printing_is_no_answer_but_is_shown():
    def chatty(spans):
        print("spans:", spans)
        return merge_spans(spans)

    def only_prints(spans):
        print(merge_spans(spans))

    assert judge(EXAMPLE, chatty).status == "correct"
    assert "Printing an answer is not returning it" in text(judge(EXAMPLE, only_prints))


def test_a_forgotten_return_is_named():
    def forgetful(spans):
        sorted(spans)

    assert "ends without return" in text(judge(EXAMPLE, forgetful))


def test_a_generator_counts_as_the_list_that_it_makes():
    assert judge(EXAMPLE, lambda spans: (span for span in merge_spans(spans))).status == "correct"
    assert judge(EXAMPLE, lambda spans: tuple(merge_spans(spans))).status == "correct"


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="this platform has no alarm signal")
def test_an_endless_loop_ends_with_a_message():
    def endless(spans):
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.01)

    handler = signal.getsignal(signal.SIGALRM)
    started = time.monotonic()
    reply = judge(EXAMPLE, endless, seconds=0.3)
    assert time.monotonic() - started < 3
    assert reply.status == "incorrect"
    assert "did not finish in time" in text(reply)
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_it_works_outside_the_main_thread():
    replies = []
    thread = threading.Thread(target=lambda: replies.append(judge(EXAMPLE, merge_spans)))
    thread.start()
    thread.join()
    assert replies[0].status == "correct"


def test_arguments_that_cannot_be_copied_are_shared():
    lock = threading.Lock()
    outcome = run(lambda given: given is lock, (lock,), 1)
    assert (outcome.kind, outcome.value) == ("returned", True)


def test_where_the_oracle_raises_the_learner_must_too():
    def strict(size):
        if size < 1:
            raise ValueError(f"max_size is {size}")
        return size

    def lenient(size):
        return size

    def other_error(size):
        return size if size > 0 else 1 // 0

    picky = dataclasses.replace(
        EXAMPLE,
        solution=strict,
        oracle=strict,
        cases=lambda rng: [(1,), (0,), (rng.randrange(2, 9),)],
        mistakes=(Mistake(lenient, "a"), Mistake(other_error, "b"), Mistake(lambda size: 3, "c")),
    )
    assert judge(picky, strict).status == "correct"
    assert "an error of class ValueError" in text(judge(picky, lenient))
    assert "ZeroDivisionError" in text(judge(picky, other_error))


# --- ids, hints, solutions -------------------------------------------------------------------------------------------


@pytest.fixture
def registered(monkeypatch):
    """The example as the only exercise of the course."""
    monkeypatch.setattr(exercises, "lessons", lambda: ["98"])
    monkeypatch.setattr(exercises, "of_lesson", lambda number: (EXAMPLE,) if number == "98" else ())
    monkeypatch.setattr("hierrag_lessons.exercises.answers._hints_shown", {})


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("wrong", ["98.2", "1.1", "", 98.1, None, merge_spans, "<b>"])
def test_an_unknown_id_lists_the_ids(wrong):
    for ask in (check, hint, solution):
        reply = ask(wrong)
        assert reply.status == "unknown"
        assert "98.1 Merge spans" in text(reply)
        assert "<b>" not in reply._repr_html_()


@pytest.mark.usefixtures("registered")
def test_hints_come_one_by_one_and_say_how_many_are_left():
    replies = [text(hint("98.1")) for _ in range(4)]
    assert [next(h for h in EXAMPLE.hints if h in reply) for reply in replies] == [*EXAMPLE.hints, EXAMPLE.hints[-1]]
    assert "2 more" in replies[0]
    assert "1 more" in replies[1]
    assert 'solution("98.1")' in replies[2]


@pytest.mark.usefixtures("registered")
def test_solution_shows_the_code():
    assert check("98.1", merge_spans).status == "correct"
    assert textwrap.indent(inspect.getsource(merge_spans).rstrip(), "    ") in text(solution("98.1"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "1.1"}, "'1.1'"),
        ({"id": "01.0"}, "'01.0'"),
        ({"hints": ()}, "no hints"),
        ({"mistakes": EXAMPLE.mistakes[:2]}, "2 mistakes"),
        ({"mistakes": EXAMPLE.mistakes[:1] * 3}, "share one message"),
    ],
)
def test_an_incomplete_exercise_is_refused(change, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        dataclasses.replace(EXAMPLE, **change)


# --- comparing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (0.1 + 0.2, 0.3),
        (np.float32(0.1), 0.1),
        (np.int64(3), 3),
        (3, 3.0),
        (float("nan"), float("nan")),
        ([Span(0, 1)], ((0, 1),)),
        ({"a": [0.3]}, {"a": (0.1 + 0.2,)}),
        (np.array([0.3, np.nan]), [0.1 + 0.2, float("nan")]),
        (np.bool_(True), True),
        (np.array(["a"]), np.array(["a"])),
        (Passage("d", 0, 1, "a", score=0.1 + 0.2), Passage("d", 0, 1, "a", score=0.3)),
        ({1, 2}, frozenset({2, 1})),
        (None, None),
    ],
)
def test_same(a, b):
    assert same(a, b)
    assert same(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (0, False),
        (None, False),
        (None, 0),
        (0.1, 0.101),
        (10**6, 10**6 + 1),
        ([1, 2], [1, 2, 3]),
        ([[1], 2], [[2], 2]),
        ("12", ["1", "2"]),
        ({"a": 1}, {"b": 1}),
        ({1}, [1]),
        (np.zeros((2, 1)), np.zeros(2)),
        (np.array([1.0, 2.0]), [1.0, 2.1]),
        (Passage("d", 0, 1, "a"), Passage("d", 0, 1, "b")),
        (Span(0, 1), Passage("d", 0, 1, "a")),
        ("a", b"a"),
    ],
)
def test_not_same(a, b):
    assert not same(a, b)
    assert not same(b, a)


@pytest.mark.parametrize(
    ("returned", "expected", "said"),
    [
        ([1, 2, 3], [1, 5, 3], "They part at index 1."),
        ([1], [1, 2], "Yours has 1 item, expected 2 items."),
        (np.zeros((3, 2)), np.zeros(3), "Your array has the shape (3, 2), expected is (3,)."),
        ("x" * 50 + "a", "x" * 50 + "b", "They part at character 50: 'a' is not 'b'."),
        ("x" * 50, "x" * 50 + "b", "They part at character 50: '' is not 'b'."),
        ("a", "b", ""),
        (1, 2, ""),
        ({}, [], "Yours is of type dict, expected is list."),
    ],
)
def test_difference(returned, expected, said):
    assert difference(returned, expected) == said


def test_changed_looks_into_containers_only():
    thing = object()
    assert not changed([1, "a", {"k": np.array([1.0, np.nan])}, thing], [1, "a", {"k": np.array([1.0, np.nan])}, thing])
    assert not changed([thing], [object()])
    for before, after in [
        ([1], [1, 2]),
        ([[1]], [[2]]),
        ({"a": 1}, {"a": 2}),
        ({1}, {2}),
        ((np.ones(2),), (np.zeros(2),)),
    ]:
        assert changed(before, after)


def test_show_cuts_in_the_middle():
    assert show("ab") == "'ab'"
    shown = show("a" * 5_000 + "b" * 5_000, 100)
    assert len(shown) < 140
    assert shown.startswith("'aaa")
    assert "bbb'  (10,002 characters)" in shown


# --- the exercises of the course -------------------------------------------------------------------------------------


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


def stub(lesson: Lesson, exercise: Exercise) -> tuple[ast.FunctionDef, dict[str, object]]:
    """The definition in the cell tagged ``exercise``, and what the imports of the cells before it make available."""
    imports = []
    for cell in lesson.cells():
        if cell.cell_type != "code" or "solution" in tags(cell):
            continue
        tree = ast.parse(cell.source)
        if "exercise" in tags(cell) and lesson.checked_id(cell) == exercise.id:
            (definition,) = [
                node
                for node in tree.body
                if isinstance(node, ast.FunctionDef) and node.name == exercise.solution.__name__
            ]
            names: dict[str, object] = {}
            exec(compile(ast.Module(imports, []), "imports", "exec"), names)
            return definition, names
        imports += [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    raise AssertionError(f"{lesson.source.name} has no cell for exercise {exercise.id}")


def lesson_of(exercise: Exercise) -> Lesson:
    (lesson,) = [lesson for lesson in LESSONS if lesson.number == exercise.id[:2]]
    return lesson


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.source.stem)
def test_a_lesson_and_its_module_have_the_same_exercises(lesson):
    module = [exercise.id for exercise in exercises.of_lesson(lesson.number)]
    assert lesson.exercise_ids() == module == [f"{lesson.number}.{i + 1}" for i in range(len(module))]


def test_each_module_belongs_to_a_lesson():
    assert set(exercises.lessons()) <= {lesson.number for lesson in LESSONS}


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_the_stub_is_not_attempted(exercise):
    definition, names = stub(lesson_of(exercise), exercise)
    wanted = list(inspect.signature(exercise.solution).parameters)
    assert [argument.arg for argument in definition.args.args + definition.args.kwonlyargs] == wanted
    exec(compile(ast.Module([definition], []), "stub", "exec"), names)
    assert judge(exercise, names[definition.name]).status == "not attempted"
    if exercise.start is not None:
        assert body_of(definition) == body(exercise.start), "the code handed out is not Exercise.start"


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_the_solution_is_correct_with_the_notebooks_imports_alone(exercise):
    _, names = stub(lesson_of(exercise), exercise)
    exec(inspect.getsource(exercise.solution), names)
    assert judge(exercise, names[exercise.solution.__name__]).status == "correct"


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_oracle_and_solution_are_independent_and_agree(exercise):
    assert body(exercise.oracle) != body(exercise.solution)
    assert exercise.solution.__name__ not in names_in(exercise.oracle)
    assert exercise.oracle.__name__ not in names_in(exercise.solution)
    for seed in range(20):
        for arguments in exercise.cases(Random(seed)):
            expected, outcome = run(exercise.oracle, arguments, 60), run(exercise.solution, arguments, 60)
            assert outcome.kind == expected.kind
            if expected.kind == "returned":
                assert exercise.equal(outcome.value, expected.value), arguments
            else:
                assert type(outcome.error) is type(expected.error), arguments


@pytest.mark.parametrize(
    ("exercise", "mistake"),
    [(exercise, mistake) for exercise in REGISTERED for mistake in exercise.mistakes],
    ids=lambda value: value.id if isinstance(value, Exercise) else value.function.__name__,
)
def test_each_mistake_is_rejected_with_its_own_message(exercise, mistake):
    reply = judge(exercise, mistake.function)
    assert reply.status == "incorrect"
    assert dict(reply.parts).get("this looks like") == mistake.message
    assert text(reply)


@pytest.mark.parametrize("exercise", REGISTERED, ids=by_id)
def test_checking_is_quick(exercise):
    started = time.monotonic()
    judge(exercise, exercise.mistakes[0].function)
    assert time.monotonic() - started < 10
    assert io.StringIO(repr(solution(exercise.id))).readline().startswith("Solution")
