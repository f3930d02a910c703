"""Practice in a terminal: ``python -m hierrag_lessons drill``.

Lesson 26 uses it.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from pathlib import Path
from typing import TextIO, get_args

from hierrag_lessons import checks
from hierrag_lessons.interview.choosing import Deck, RuleName
from hierrag_lessons.interview.export import anki_text, printable_page
from hierrag_lessons.interview.items import InterviewItem
from hierrag_lessons.interview.keeping import add_attempt, read_attempts
from hierrag_lessons.interview.loading import load_code_reviews, load_design_cases, load_interview_questions
from hierrag_lessons.interview.marking import Marked, ModelMarker, mark, points_of
from hierrag_lessons.interview.mock import MockInterview, MockMinutes, minutes_for, plan_mock
from hierrag_lessons.interview.practice import drill, select, wrapped
from hierrag_lessons.interview.rubrics import InterviewLevel
from hierrag_lessons.interview.scheduling import Attempt, kept_overnight, memories
from hierrag_lessons.llm import LLMError, default_chat_model

_ENOUGH = 10  # cards from which on the interval of a share is narrower than "anything"
_KINDS = ("questions", "reviews", "cases")


class _StopError(Exception):
    """The learner has had enough."""


def _drill(parser: argparse.ArgumentParser) -> None:
    parser.description = "One question after the other: answer aloud, look at the rubric, say which points you made."
    parser.add_argument("--kind", choices=_KINDS, default="questions", help="what is asked; without it, questions")
    parser.add_argument("--topic", help="only this topic, such as chunking; without it, all")
    parser.add_argument(
        "--level", choices=get_args(InterviewLevel), help="only this level; of a mock interview, its level"
    )
    parser.add_argument(
        "--rule",
        choices=get_args(RuleName),
        default="due, half new",
        metavar="RULE",
        help=f"how the next one is chosen: {' or '.join(map(repr, get_args(RuleName)))}",
    )
    parser.add_argument(
        "--cards", type=int, default=10, metavar="N", help="how many (10); the time of a mock decides itself"
    )
    parser.add_argument(
        "--minutes", type=int, choices=get_args(MockMinutes), help="a mock interview of so many minutes"
    )
    parser.add_argument(
        "--model", action="store_true", help="type your answer; the model of HIERRAG_CHAT_MODEL marks it"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="for what is drawn by lot; without it the day")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write all to FILE: .txt for Anki, .html to print")
    parser.set_defaults(run=run_drill)


def run_drill(
    arguments: argparse.Namespace,
    *,
    reader: TextIO | None = None,
    writer: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
    day: int | None = None,
) -> int:
    """Run the command and return its exit status, 0. Raises ``ValueError`` for arguments that can't be served.

    ``reader`` and ``writer`` are the terminal where they are None. The end of the input and ``q`` end the practice, and
    Ctrl-C the program; what was marked until then is kept.
    """
    talk = _Talk(reader, writer)
    today = date.today().toordinal() if day is None else day
    try:
        if arguments.export is not None:
            return _export(arguments, talk)
        marker = _marker() if arguments.model else None
        if arguments.minutes is not None:
            return _mock(arguments, talk, today, clock, marker)
        return _practise(arguments, talk, today, clock, marker)
    except (_StopError, EOFError):
        talk.say("\nUntil next time; what you marked is kept.")
        return 0
    except LLMError as error:
        raise ValueError(str(error)) from None


class _Talk:
    """The two streams."""

    def __init__(self, reader: TextIO | None, writer: TextIO | None) -> None:
        self.say = print if writer is None else partial(print, file=writer, flush=True)
        self._reader = reader

    def ask(self, words: str) -> str:
        """A line from the learner. Raises ``EOFError`` at the end, and :class:`_StopError` for ``q``."""
        if self._reader is None:
            line = input(words)
        else:
            self.say(words)
            line = self._reader.readline()
            if not line:
                raise EOFError
        if line.strip().lower() in ("q", "quit"):
            raise _StopError
        return line.strip()


def _items(kind: str) -> Sequence[InterviewItem]:
    if kind == "questions":
        return load_interview_questions()
    return load_code_reviews() if kind == "reviews" else load_design_cases()


def _export(arguments: argparse.Namespace, talk: _Talk) -> int:
    items = select([item for kind in _KINDS for item in _items(kind)], arguments.topic, arguments.level)
    makers = {".txt": anki_text, ".html": printable_page}
    suffix = arguments.export.suffix.lower()
    if suffix not in makers:
        raise ValueError(
            f"export is {str(arguments.export)!r}; give a name that ends in .txt for Anki, or .html to print"
        )
    arguments.export.write_text(makers[suffix](items), encoding="utf-8")
    kinds = {item.id: kind for kind in _KINDS for item in _items(kind)}
    counted = ", ".join(f"{number} {kind}" for kind, number in Counter(kinds[item.id] for item in items).items())
    talk.say(f"{len(items)} cards in {arguments.export}: {counted}. The drill asks one --kind at a time.")
    return 0


def _practise(
    arguments: argparse.Namespace, talk: _Talk, today: int, clock: Callable[[], float], marker: ModelMarker | None
) -> int:
    checks.whole("cards", arguments.cards, 1)
    items, shares = _items(arguments.kind), []
    for number in range(1, arguments.cards + 1):
        seed = today if arguments.seed is None else arguments.seed
        card = drill(arguments.topic, arguments.level, arguments.rule, items=items, day=today, seed=seed)
        talk.say(f"\n{number} of {arguments.cards} · {card!r}\n")
        began = clock()
        marked, ended = _answered(card.item, talk, marker, clock)
        attempts = add_attempt(Attempt(card.item.id, today, marked.share))
        days = memories(attempts)[card.item.id].due - today
        talk.say(
            f"{marked.share:.0%} of the rubric, {(ended - began) / 60:.1f} of {minutes_for(card.item)} minutes. "
            f"It is due {'tomorrow' if days == 1 else f'in {days} days'}."
        )
        shares.append(marked.share)
    talk.say(f"\n{len(shares)} cards, in the mean {sum(shares) / len(shares):.0%} of the rubric.")
    attempts = read_attempts()
    met = Deck(items, attempts).memory
    own = [met[item.id] for item in items if item.id in met]
    due = sum(memory.due <= today + 1 for memory in own)
    talk.say(f"You have met {len(own)} of {len(items)} {arguments.kind}; by tomorrow {due} are due.")
    kept = kept_overnight(attempts)
    low, high = kept.interval
    share = kept.known / kept.of if kept.of else 0.0
    interval = f", {share:.0%} ({low:.0%} to {high:.0%}, with 95 % confidence). Lesson 26 says what that means"
    talk.say(
        f"Of {kept.of} cards that were new to you and came again the next day, you then knew {kept.known}"
        f"{interval if kept.of >= _ENOUGH else f' (from {_ENOUGH} on that says something)'}."
    )
    return 0


def _mock(
    arguments: argparse.Namespace, talk: _Talk, today: int, clock: Callable[[], float], marker: ModelMarker | None
) -> int:
    if arguments.topic is not None:
        raise ValueError(f"topic is {arguments.topic!r}; give none with --minutes: an interview asks of all topics")
    slots = plan_mock(
        load_interview_questions(),
        load_code_reviews(),
        load_design_cases(),
        arguments.minutes,
        arguments.level or "senior",
        read_attempts(),
        today if arguments.seed is None else arguments.seed,
    )
    mock = MockInterview(slots, clock)
    asked = sum(slot.minutes for slot in slots)
    talk.say(f"{len(slots)} to ask, {asked} minutes; the other {arguments.minutes - asked} are for questions of yours.")
    with suppress(_StopError, EOFError):
        while mock.left:
            slot = mock.left[0]
            began, item = clock(), mock.ask()
            talk.say(f"\n{slot.minutes} minutes · {item.level} · {item.topic}\n\n{wrapped(item.prompt)}\n")
            marked, ended = _answered(item, talk, marker, clock)
            mock.grade(marked, ended - began)
            add_attempt(Attempt(item.id, today, marked.share))
    talk.say(f"\n{mock.report()!r}" if mock.marked else "\nNothing was marked.")
    return 0


def _answered(
    item: InterviewItem, talk: _Talk, marker: ModelMarker | None, clock: Callable[[], float]
) -> tuple[Marked, float]:
    """The learner answers, looks and marks; with a model, types the answer and is marked. And when the answer ended."""
    if marker is not None:
        answer = talk.ask("Your answer, in one line, then Enter: ")
        ended = clock()
        marked = marker.mark(item, answer)
        talk.say(wrapped(f"{marked!r}\n\n{item.expected}"))
        return marked, ended
    talk.ask("Answer aloud, then press Enter (q ends): ")
    ended = clock()
    points = points_of(item)
    talk.say(wrapped("\n".join(["A good answer", *points, "", item.expected, ""])))
    while True:
        line = talk.ask("Which points did you make? Their numbers, such as 1 3; Enter for none: ")
        numbers = line.replace(",", " ").split()
        made = {int(number) for number in numbers if number.isascii() and number.isdigit()}
        # "1 1 1 1" is meant as ones and noughts, which a notebook takes; here it would be point 1 alone.
        if len(made) == len(numbers) and made <= {*range(1, len(points) + 1)}:
            return mark(item, [number in made for number in range(1, len(points) + 1)]), ended
        talk.say(f"Give the numbers of the points, from 1 to {len(points)}, each once; not ones and noughts.")


def _marker() -> ModelMarker:
    model = default_chat_model()
    if model is None:
        raise ValueError("model is asked for, and HIERRAG_CHAT_MODEL names none; set it, or leave --model away")
    return ModelMarker(model)


COMMANDS: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {"drill": _drill}
"""Each command's name, and what puts its arguments and its ``run`` into a parser."""
