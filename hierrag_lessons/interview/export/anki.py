"""Cards for Anki: a text file that it imports.

Lesson 26 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable

from hierrag_lessons.interview.choosing import Deck
from hierrag_lessons.interview.export.page import escaped
from hierrag_lessons.interview.items import CodeReview, InterviewItem
from hierrag_lessons.interview.marking import points_of

_HEAD = (
    "#separator:tab",
    "#html:true",
    "#guid column:1",
    "#deck:Hierarchical RAG",
    "#tags column:4",
    "#columns:guid\tFront\tBack\tTags",
)


def anki_text(items: Iterable[InterviewItem]) -> str:
    """The cards as a text file for Anki: File, then Import; fields are set by the lines at its head.

    >>> from hierrag_lessons import InterviewQuestion, RubricPoint
    >>> rubric = (RubricPoint("at < equal > tokens"),)
    >>> ask = InterviewQuestion("q-1", "senior", "evaluation", "Which is better?", rubric, "Count the tokens.")
    >>> anki_text([ask]).splitlines()[-1].split(chr(9))[:2]
    ['hierrag-q-1', 'Which is better?']

    A line is a card: an id, by which a later import updates it and keeps its schedule, the question, the rubric with
    the answer, and tags. All text is escaped; a tab or a line break inside it becomes HTML.

    Raises ``ValueError`` where ``items`` holds no card, or anything else.
    """
    lines = [_line(item) for item in Deck(items).cards]
    return "\n".join([*_HEAD, *lines]) + "\n"


def _line(item: InterviewItem) -> str:
    points = "".join(f"<li>{_html(line.partition('. ')[2])}</li>" for line in points_of(item))
    kind = type(item).__name__
    back = f"<ol>{points}</ol>{_pre(item.expected) if isinstance(item, CodeReview) else _html(item.expected)}"
    front = _pre(item.prompt) if isinstance(item, CodeReview) else _html(item.prompt)
    tags = " ".join(part.replace(" ", "-") for part in ("hierarchical-rag", kind, item.level, item.topic))
    return "\t".join([_html(f"hierrag-{item.id}"), front, back, _html(tags)])


def _html(text: str) -> str:
    """Escaped, with line breaks as HTML; a tab would end the field."""
    return escaped(text).replace("\t", "    ").replace("\n", "<br>")


def _pre(text: str) -> str:
    """Code, with its blanks kept."""
    return f'<pre style="text-align: left">{_html(text)}</pre>'
