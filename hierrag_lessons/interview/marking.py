"""Marks: by oneself against the rubric, or by a chat model that has to quote what it gives a mark for.

Lesson 26 builds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from hierrag_lessons import checks
from hierrag_lessons.interview.items import CodeReview, DesignCase, InterviewItem, InterviewQuestion
from hierrag_lessons.interview.rubrics import RubricPoint
from hierrag_lessons.llm import DATA_RULE, ChatModel, Schema, Usage, fence

MARKING_RULES = (
    "You mark an answer that a candidate gave in an interview. You get the question, the points of the rubric with "
    "their numbers, and the answer. For each point decide whether the answer makes it, in whatever words. A point is "
    "met when the answer says it, not when it says something near it, and not when a friendly reader can add it. Where "
    "the answer says it and then contradicts it, it is not met. Length, style and confidence count for nothing. For "
    "each point that is met, quote the words of the answer that make it, exactly as they stand there, 3 to 30 words. "
    "Where it is not met, leave the quote empty.\n\n"
)
"""What the model is told. The rule about data stands behind it, for the answer can be written by anybody."""

_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "points": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "met": {"type": "boolean"},
                    "quote": {"type": "string"},
                },
                "required": ["number", "met", "quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["points"],
    "additionalProperties": False,
}


@dataclass(frozen=True, repr=False)
class Marked:
    """An answer, marked: for each point of the rubric whether it was met, and by which words where those are known.

    Attributes
    ----------
    item:
        What was asked.
    met:
        One value a point of its rubric, in that order.
    quotes:
        What the answer says to each point, as a model quoted it; empty texts where a person marked.
    doubts:
        Points that the model gave without a quote that counts. They count as not met.
    usage:
        What the model has cost.

    Raises ``ValueError`` where there are not as many marks as points.
    """

    item: InterviewItem
    met: tuple[bool, ...]
    quotes: tuple[str, ...] = ()
    doubts: tuple[int, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        checks.instance("item", self.item, InterviewQuestion | DesignCase | CodeReview)
        checks.each("met", self.met, bool)
        checks.texts("quotes", self.quotes)
        checks.each("doubts", self.doubts, int)
        checks.instance("usage", self.usage, Usage)
        if len(self.met) != len(self.item.rubric):
            raise ValueError(
                f"met is {list(self.met)}, {len(self.met)} marks; give one for each of the {len(self.item.rubric)} "
                "points of the rubric"
            )

    @property
    def share(self) -> float:
        """The weight of the points that were met, as a share of all weight, from 0 to 1."""
        weights = [point.weight for point in self.item.rubric]
        return sum(weight for weight, met in zip(weights, self.met, strict=True) if met) / sum(weights)

    @property
    def missed(self) -> tuple[RubricPoint, ...]:
        """The points that were not met, the heavy ones first."""
        lacking = [point for point, met in zip(self.item.rubric, self.met, strict=True) if not met]
        return tuple(sorted(lacking, key=lambda point: -point.weight))

    def __repr__(self) -> str:
        points = zip(points_of(self.item), self.met, strict=True)
        lines = [f"  {'met   ' if met else 'missed'}  {point}" for point, met in points]
        return "\n".join([f"{self.share:.0%} of the rubric", *lines])


def points_of(item: InterviewItem) -> list[str]:
    """The points of a rubric, numbered, with what counts more than once."""
    heavy = {1: "", 2: " (counts twice)"}
    return [
        f"{number}. {point.point}{heavy.get(point.weight, f' (counts {point.weight} times)')}"
        for number, point in enumerate(item.rubric, start=1)
    ]


def mark(item: InterviewItem, marks: Sequence[int | bool]) -> Marked:
    """An answer that a person has marked: one mark a point, 1 where it was met and 0 where not.

    >>> rubric = (RubricPoint("same tokens", 2), RubricPoint("an interval"))
    >>> ask = InterviewQuestion("q", "senior", "evaluation", "Which is better?", rubric, "Compare at equal tokens.")
    >>> round(mark(ask, [1, 0]).share, 2)
    0.67

    Raises ``ValueError`` where a mark is neither 0 nor 1, or there are not as many as points.
    """
    given = checks.each("marks", marks, int)
    if any(value not in (0, 1) for value in given):
        raise ValueError(f"marks is {given}; give 1 for each point that the answer made, and 0 for each other")
    return Marked(item, tuple(map(bool, given)))


@dataclass(frozen=True)
class ModelMarker:
    """A chat model marks an answer against the rubric, and quotes the words of the answer for each mark that it gives.

    >>> from types import SimpleNamespace
    >>> from hierrag_lessons import Completion
    >>> ask = InterviewQuestion("q", "senior", "evaluation", "Better?", (RubricPoint("same tokens"),), "Equal tokens.")
    >>> said = Completion("", {"points": [{"number": 1, "met": True, "quote": "as many tokens"}]})
    >>> marker = ModelMarker(SimpleNamespace(name="fake", complete=lambda system, user, schema: said))
    >>> marker.mark(ask, "Give both as many tokens, then count.").share, marker.mark(ask, "I met all points.").share
    (1.0, 0.0)

    A quote that does not stand in the answer, blanks and capitals aside, or has fewer than 3 words or more than 30, is
    a doubt, and its point is not met: a model is kind to an answer that sounds right, and an answer can ask for full
    marks. A quote that does stand there need not make the point: read the quotes. Its agreement with your own marks is
    yours to measure; here no model is at hand, so none was.

    Raises ``ValueError`` when made with a model that cannot answer.
    """

    model: ChatModel

    def __post_init__(self) -> None:
        checks.able("model", self.model, "complete")

    def mark(self, item: InterviewItem, answer: str) -> Marked:
        """The answer, marked. Raises ``LLMError`` where the model gives none that can be used."""
        checks.instance("item", item, InterviewQuestion | DesignCase | CodeReview)
        checks.text("answer", answer)
        user = "\n\n".join(["Question:", item.prompt, "Rubric:", *points_of(item), "Answer:", fence(answer)])
        completion = self.model.complete(MARKING_RULES + DATA_RULE, user, _SCHEMA)
        said = cast("dict[str, Any]", completion.value)["points"]
        given = {entry["number"]: entry["quote"] for entry in said if entry["met"]}
        numbers = range(1, len(item.rubric) + 1)
        stands = [number in given and _stands(given[number], answer) for number in numbers]
        quotes = tuple(given[number] if good else "" for number, good in zip(numbers, stands, strict=True))
        doubts = tuple(number for number, good in zip(numbers, stands, strict=True) if number in given and not good)
        return Marked(item, tuple(stands), quotes, doubts, completion.usage)


def _stands(quote: str, answer: str) -> bool:
    words, said = (" ".join(text.split()).casefold() for text in (quote, answer))
    # A quote of one word, such as "the", stands in every answer. A short answer can only be quoted whole.
    return bool(words) and words in said and (3 <= len(words.split()) <= 30 or words == said)
