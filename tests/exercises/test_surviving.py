"""Nothing that a learner's function does gets out."""

import _thread
import contextlib
import itertools
import re
import signal
import sys
import threading
import time
from contextvars import ContextVar
from functools import partial
from random import Random

import pytest

from hierrag_lessons.exercises import check
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.running import attempt, run, show
from hierrag_lessons.model import Span
from tests.example_exercise import EXAMPLE, merge_spans
from tests.exercises.reading import text


@pytest.fixture(params=["alarm", "no alarm"])
def platform(request, monkeypatch):
    """A platform that has an alarm signal, and one such as Windows that has none."""
    if request.param == "no alarm":
        monkeypatch.delattr(signal, "SIGALRM", raising=False)
    elif not hasattr(signal, "SIGALRM"):
        pytest.skip("this platform has no alarm signal")
    return request.param


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


def stop_iteration(spans):
    return next(iter([]))


def divide(spans):
    return len(spans) / 0


def surrogates(spans):
    print("half a pair: \ud83d")
    raise ValueError("\udc00")


def no_parameters():
    return []


def forever(spans):
    yield from itertools.count()


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (raise_evil, "EvilError"),
        (recurse, "RecursionError"),
        (leave, "SystemExit: 3"),
        (interrupt, "was interrupted"),
        (stop_iteration, "StopIteration\n    in the line: return next(iter([]))"),
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
    reply = assess(EXAMPLE, function)
    assert reply.status == "incorrect"
    assert said in text(reply)
    assert capfd.readouterr() == ("", "")


def test_html_is_escaped():
    html = assess(EXAMPLE, lambda spans: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_function_cannot_spoil_the_cases():
    def right_but_destructive(spans):
        answer = merge_spans(spans)
        spans.clear()
        return answer

    before = list(EXAMPLE.cases(Random(0)))
    reply = assess(EXAMPLE, right_but_destructive)
    assert reply.status == "incorrect"
    assert "Work on a copy" in text(reply)
    assert assess(EXAMPLE, destroy).status == "incorrect"
    assert list(EXAMPLE.cases(Random(0))) == before
    assert assess(EXAMPLE, merge_spans).status == "correct"


def loop(spans):
    while True:
        pass


def loop_that_catches_errors(spans):
    while True:
        try:
            time.sleep(0.001)
            [].missing  # noqa: B018
        except Exception:
            pass


def loop_that_catches_everything(spans):
    while True:
        try:  # noqa: SIM105
            time.sleep(0.001)
        except:  # noqa: E722
            pass


def loop_that_suppresses_everything(spans):
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.001)


def loop_that_tidies_up(spans):
    while True:
        try:
            time.sleep(0.001)
        finally:
            spans = spans[:]


def long_sleep(spans):
    time.sleep(8)


def endless_expression(spans):
    return sum(1 for _ in iter(int, 1))


def endless_generator(spans):
    while not spans:
        pass
    yield spans


def checked_functions():
    """The threads in which a function that is checked still runs."""
    return {thread for thread in threading.enumerate() if thread.name == "checked function"}


ENDLESS = [
    loop,
    loop_that_catches_errors,
    loop_that_catches_everything,
    loop_that_suppresses_everything,
    loop_that_tidies_up,
    long_sleep,
    endless_expression,
    endless_generator,
]


@pytest.mark.usefixtures("platform")
@pytest.mark.parametrize("function", ENDLESS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("in_main_thread", [True, False], ids=["main thread", "other thread"])
def test_an_endless_function_ends_with_a_message(function, in_main_thread):
    handler = signal.getsignal(signal.SIGALRM) if hasattr(signal, "SIGALRM") else None
    trace, threads, replies = sys.gettrace(), checked_functions(), []
    started = time.monotonic()
    if in_main_thread:
        replies.append(assess(EXAMPLE, function, seconds=0.2))
    else:
        thread = threading.Thread(target=lambda: replies.append(assess(EXAMPLE, function, seconds=0.2)))
        thread.start()
        thread.join()
    assert time.monotonic() - started < 6
    assert replies[0].status == "incorrect"
    assert "did not finish in time" in text(replies[0])
    assert "The check stopped at an input" in replies[0].footer
    assert sys.gettrace() is trace
    assert sys.exc_info() == (None, None, None)
    assert len(checked_functions() - threads) <= (function is long_sleep)
    if hasattr(signal, "SIGALRM"):
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="only an alarm interrupts a regular expression")
def test_an_endless_regular_expression_ends_with_a_message():
    reply = assess(EXAMPLE, lambda spans: re.match(r"(a+)+$", "a" * 50 + "b"), seconds=0.2)
    assert "did not finish in time" in text(reply)


@pytest.mark.usefixtures("platform")
def test_the_user_can_interrupt(request):
    # A notebook that was executed in this process may have left another handler.
    request.addfinalizer(partial(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT)))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threads, started = checked_functions(), time.monotonic()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    reply = assess(EXAMPLE, loop)
    timer.join()
    assert time.monotonic() - started < 6
    assert "was interrupted" in text(reply)
    assert checked_functions() <= threads


@pytest.mark.usefixtures("platform")
def test_a_check_inside_the_function_that_it_checks_says_so():
    def windows(n, size, overlap):
        return check("04.1", windows)

    assert "move it below, to the left margin" in text(check("04.1", windows))


@pytest.mark.usefixtures("platform")
def test_a_function_sees_the_context_of_its_caller():
    setting = ContextVar("setting", default="other")
    setting.set("ours")
    assert attempt(setting.get, seconds=5).value == "ours"


def test_arguments_that_cannot_be_copied_are_shared():
    lock = threading.Lock()
    outcome = run(lambda given: given is lock, (lock,), 1)
    assert (outcome.kind, outcome.value) == ("returned", True)


def test_show_cuts_in_the_middle():
    assert show("ab") == "'ab'"
    shown = show("a" * 5_000 + "b" * 5_000, 100)
    assert len(shown) < 140
    assert shown.startswith("'aaa")
    assert "bbb'  (10,002 characters)" in shown
