"""Exercise 11.4, find the bugs: a loop that asks again."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Reply = tuple[int, float]
Outcome = tuple[str, int, list[float]]


def ask_again(replies: list[tuple[int, float]], retries: int, longest: float) -> tuple[str, int, list[float]]:
    """How it ends ("answer" or "gave up"), how many requests were sent, and the waits between them, in seconds."""
    waits: list[float] = []
    for attempt in range(retries + 1):
        status, retry_after = replies[attempt]
        if status == 200:
            return "answer", attempt + 1, waits
        wait = max(retry_after, 2.0**attempt)
        if attempt == retries or (status != 429 and status < 500) or wait > longest:
            return "gave up", attempt + 1, waits
        waits.append(wait)
    raise AssertionError("the last attempt returns")


def ask_as_published(replies: list[tuple[int, float]], retries: int, longest: float) -> tuple[str, int, list[float]]:
    """How it ends ("answer" or "gave up"), how many requests were sent, and the waits between them, in seconds."""
    waits: list[float] = []
    for attempt in range(retries):
        status, _ = replies[attempt]
        if status == 200:
            return "answer", attempt + 1, waits
        waits.append(2.0**attempt)
    return "gave up", retries, waits


def _step_by_step(replies: list[Reply], retries: int, longest: float) -> Outcome:
    """Oracle: a small machine that sends one request at a time."""
    sent, waits = 1, list[float]()
    status, asked = replies[0]
    while status != 200:
        pause = float(2 ** len(waits))
        pause = asked if asked > pause else pause
        temporary = status == 429 or status in range(500, 600)
        if not temporary or sent > retries or pause > longest:
            return "gave up", sent, waits
        waits.append(pause)
        status, asked = replies[sent]
        sent += 1
    return "answer", sent, waits


def _servers(rng: Random) -> Iterator[tuple[list[Reply], int, float]]:
    yield ([(200, 0.0)], 0, 20.0)
    yield ([(200, 0.0)] * 3, 2, 20.0)
    yield ([(500, 0.0), (200, 0.0), (200, 0.0)], 2, 20.0)
    yield ([(500, 0.0), (503, 0.0), (200, 0.0)], 2, 20.0)
    yield ([(500, 0.0)] * 3, 2, 20.0)
    yield ([(500, 0.0)], 0, 20.0)
    yield ([(401, 0.0)] * 3, 2, 20.0)
    yield ([(400, 0.0), (200, 0.0)], 1, 20.0)
    yield ([(429, 5.0), (200, 0.0)], 1, 20.0)
    yield ([(429, 0.5), (200, 0.0)], 1, 20.0)
    yield ([(429, 3600.0), (200, 0.0)], 1, 20.0)
    yield ([(429, 20.0), (200, 0.0)], 1, 20.0)
    yield ([(500, 0.0)] * 6 + [(200, 0.0)], 6, 10.0)
    for _ in range(40):
        retries = rng.randrange(5)
        statuses = [rng.choice((200, 401, 429, 429, 429, 500, 503)) for _ in range(retries + 1)]
        yield ([(s, rng.choice((0.0, 0.5, 3.0, 30.0)) if s == 429 else 0.0) for s in statuses], retries, 20.0)


def _loop(
    replies: list[Reply],
    retries: int,
    longest: float,
    *,
    every_status: bool = False,
    ignores_header: bool = False,
    header_only: bool = False,
    waits_at_the_end: bool = False,
    shortens: bool = False,
) -> Outcome:
    waits: list[float] = []
    for attempt in range(retries + 1):
        status, asked = replies[attempt]
        if status == 200:
            return "answer", attempt + 1, waits
        wait = 2.0**attempt if ignores_header else max(asked, 2.0**attempt)
        wait = asked if header_only and asked else wait
        hopeless = status != 429 and status < 500 and not every_status
        if hopeless or (wait > longest and not shortens) or (attempt == retries and not waits_at_the_end):
            return "gave up", attempt + 1, waits
        waits.append(min(wait, longest))
    return "gave up", retries + 1, waits


def _retries_everything(replies: list[Reply], retries: int, longest: float) -> Outcome:
    return _loop(replies, retries, longest, every_status=True)


def _ignores_header(replies: list[Reply], retries: int, longest: float) -> Outcome:
    return _loop(replies, retries, longest, ignores_header=True)


def _header_only(replies: list[Reply], retries: int, longest: float) -> Outcome:
    return _loop(replies, retries, longest, header_only=True)


def _waits_at_the_end(replies: list[Reply], retries: int, longest: float) -> Outcome:
    return _loop(replies, retries, longest, waits_at_the_end=True)


def _shortens_the_wait(replies: list[Reply], retries: int, longest: float) -> Outcome:
    return _loop(replies, retries, longest, shortens=True)


def _one_too_few(replies: list[Reply], retries: int, longest: float) -> Outcome:
    return _loop(replies, max(0, retries - 1), longest)


RETRIES = Exercise(
    id="11.4",
    title="Find the bugs: a loop that asks again",
    solution=ask_again,
    oracle=_step_by_step,
    cases=_servers,
    hints=(
        "How many requests can be sent at most with retries=2? And with retries=0?",
        "A status of 401 will be 401 again. Only 429 and 500 to 599 are worth another request.",
        "Compare the wait with longest before waiting, and never wait after the last request.",
    ),
    mistakes=(
        Mistake(
            _retries_everything,
            "A refused key (401) or a bad request (400) is refused again each time. Only 429 and 500 to 599 pass.",
        ),
        Mistake(
            _ignores_header,
            "The server says how long to wait (Retry-After), and whoever comes back earlier is sent away again.",
        ),
        Mistake(
            _header_only,
            "A server that asks for half a second each time would be asked again and again at that pace. Wait at least "
            "the growing pause: take the larger of the two.",
        ),
        Mistake(
            _waits_at_the_end,
            "There is a wait after the last request. Nothing follows it; the caller only gets the bad news later.",
        ),
        Mistake(
            _shortens_the_wait,
            "A wait that is longer than allowed was shortened. The server will not be ready, and the request only adds "
            "to its load: give up.",
        ),
        Mistake(
            _one_too_few,
            "retries counts the repetitions: with retries=2 there are up to three requests, with retries=0 one.",
        ),
    ),
    start=ask_as_published,
)
