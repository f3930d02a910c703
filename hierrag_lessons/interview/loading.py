"""The course's questions, cases and reviews, read from ``data/interview``.

Lesson 26 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from hierrag_lessons import checks
from hierrag_lessons.interview.items import Calculation, CodeReview, DesignCase, InterviewQuestion
from hierrag_lessons.interview.rubrics import RubricPoint
from hierrag_lessons.reading import DATA_DIR
from hierrag_lessons.reading.jsonl import get_field, read_lines

INTERVIEW_DIR = DATA_DIR / "interview"
"""The course's own questions, cases and reviews, beside the package in the repository."""

_Item = TypeVar("_Item", InterviewQuestion, DesignCase, CodeReview)


def load_interview_questions(path: Path | str | None = None) -> tuple[InterviewQuestion, ...]:
    """All questions of a file, or of all ``.jsonl`` files of a folder; without ``path`` the course's.

    >>> questions = load_interview_questions()
    >>> len(questions) >= 150
    True

    A line is a JSON object with ``id``, ``level``, ``topic``, ``question``, ``rubric`` (a list of objects with
    ``point`` and ``weight``), ``answer``, ``follow_ups``, ``wrong`` (with ``says`` and ``because``), ``lesson``,
    ``figure`` and ``source``. They come in the order of the files' names and lines.

    Raises
    ------
    FileNotFoundError
        Where there is no such file or folder.
    ValueError
        With file and line, where a line is damaged, an id comes twice, or a field is missing or of a wrong type.
    """
    return _load(path, INTERVIEW_DIR / "questions", _question)


def load_design_cases(path: Path | str | None = None) -> tuple[DesignCase, ...]:
    """All design cases of a file, or of all files of a folder; without ``path`` the course's twelve.

    >>> len(load_design_cases())
    12

    Raises as :func:`load_interview_questions` does.
    """
    return _load(path, INTERVIEW_DIR / "cases.jsonl", _case)


def load_code_reviews(path: Path | str | None = None) -> tuple[CodeReview, ...]:
    """All code reviews of a file, or of all files of a folder; without ``path`` the course's thirty.

    >>> len(load_code_reviews())
    30

    Raises as :func:`load_interview_questions` does.
    """
    return _load(path, INTERVIEW_DIR / "reviews.jsonl", _review)


def _load(path: Path | str | None, default: Path, make: Callable[[Mapping[str, Any]], _Item]) -> tuple[_Item, ...]:
    place = default if path is None else checks.path("path", path)
    if not place.exists():
        raise FileNotFoundError(
            f"{place.name} is missing; the questions are part of the course's repository: clone it and install from "
            "there with `make setup`, or give the path of a file of your own"
        )
    items: dict[str, _Item] = {}
    for file in sorted(place.glob("*.jsonl")) if place.is_dir() else [place]:
        for number, fields in read_lines(file):
            try:
                item = make(fields)
                if items.setdefault(item.id, item) is not item:
                    raise ValueError(f"id {item.id!r} comes twice; give each its own")
            except ValueError as error:
                raise ValueError(f"{file}, line {number}: {error}") from None
    return tuple(items.values())


def _question(fields: Mapping[str, Any]) -> InterviewQuestion:
    wrong = get_field(fields, "wrong", dict)
    return InterviewQuestion(
        **_common(fields),
        question=get_field(fields, "question", str),
        answer=get_field(fields, "answer", str),
        follow_ups=_texts(fields, "follow_ups"),
        wrong=get_field(wrong, "says", str),
        because=get_field(wrong, "because", str),
        lesson=get_field(fields, "lesson", int),
        figure=get_field(fields, "figure", str, type(None)) or "",
        source=get_field(fields, "source", str, type(None)) or "",
    )


def _case(fields: Mapping[str, Any]) -> DesignCase:
    steps = _objects(fields, "arithmetic")
    return DesignCase(
        **_common(fields),
        title=get_field(fields, "title", str),
        situation=get_field(fields, "situation", str),
        constraints=_texts(fields, "constraints"),
        asks=_texts(fields, "asks"),
        arithmetic=tuple(
            Calculation(
                get_field(step, "what", str),
                get_field(step, "expression", str),
                get_field(step, "value", int, float),
                get_field(step, "unit", str),
            )
            for step in steps
        ),
        solution=_texts(fields, "solution"),
        strong=_texts(fields, "strong"),
        trap=get_field(fields, "trap", str),
        lessons=tuple(get_field(fields, "lessons", list)),
    )


def _review(fields: Mapping[str, Any]) -> CodeReview:
    names = ("title", "context", "code", "fault", "fix", "check")
    return CodeReview(
        **_common(fields),
        **{name: get_field(fields, name, str) for name in names},
        lesson=get_field(fields, "lesson", int),
        source=get_field(fields, "source", str, type(None)) or "",
    )


def _common(fields: Mapping[str, Any]) -> dict[str, Any]:
    points = _objects(fields, "rubric")
    rubric = tuple(RubricPoint(get_field(p, "point", str), get_field(p, "weight", int, default=1)) for p in points)
    return {**{name: get_field(fields, name, str) for name in ("id", "level", "topic")}, "rubric": rubric}


def _objects(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = get_field(fields, name, list)
    if not all(isinstance(value, dict) for value in values):
        raise ValueError(f"field {name!r} must be a list of JSON objects")
    return values


def _texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = get_field(fields, name, list)
    if not all(isinstance(value, str) for value in values):
        raise ValueError(f"field {name!r} must be a list of texts")
    return tuple(values)
