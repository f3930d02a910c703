"""What asking a model will cost, and what has happened when it was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from hierrag_lessons.chunkers.agentic.parts import VERDICTS, Verdict
from hierrag_lessons.chunkers.agentic.validator import REPAIRS, Repair
from hierrag_lessons.llm import Usage

METHODS = {
    "structure": "cut at headings, paragraphs and sentences, no model needed",
    "model": "cut where the model said",
    "text_tiling": "cut where the vocabulary changes, no model there",
    "recursive": "cut at paragraphs and sentences, where no other boundary was of use",
}
"""How a chunk came about: ``metadata["method"]``."""


@dataclass(frozen=True)
class Estimate:
    """What the model would be asked, before it is asked; estimates of several documents can be added.

    Attributes
    ----------
    parts:
        How many parts there are of each kind; the difficult ones are ``"long"`` and ``"uneven"``.
    prompts:
        Tokens of each call's prompt, with rules and schema, in the course's vocabulary. Their number is the number of
        calls, if none has to be repeated.
    answers:
        Tokens of an answer of the usual length to each call.
    """

    parts: Mapping[Verdict, int] = field(default_factory=dict)
    prompts: tuple[int, ...] = ()
    answers: tuple[int, ...] = ()

    @property
    def calls(self) -> int:
        """Questions to the model."""
        return len(self.prompts)

    @property
    def prompt_tokens(self) -> int:
        """Tokens that the model would read."""
        return sum(self.prompts)

    @property
    def completion_tokens(self) -> int:
        """Tokens that it would write."""
        return sum(self.answers)

    def cost(self, per_million_in: float, per_million_out: float) -> float:
        """The price, given that of a million tokens read and of a million written, in the same currency."""
        return (self.prompt_tokens * per_million_in + self.completion_tokens * per_million_out) / 1e6

    def __add__(self, other: Estimate) -> Estimate:
        parts = dict(Counter(self.parts) + Counter(other.parts))
        return Estimate(parts, self.prompts + other.prompts, self.answers + other.answers)


@dataclass(frozen=True)
class AgenticReport:
    """How a document was cut; reports of several documents can be added.

    Attributes
    ----------
    parts:
        As in :class:`Estimate`.
    chunks:
        How many chunks each method has made.
    repairs:
        What was repaired in the model's answers, by kind, see :data:`REPAIRS`.
    errors:
        The sentence of each call that gave no usable answer.
    usage:
        What was really read and written.
    """

    parts: Mapping[Verdict, int] = field(default_factory=dict)
    chunks: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[Repair, int] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def __add__(self, other: AgenticReport) -> AgenticReport:
        return AgenticReport(
            dict(Counter(self.parts) + Counter(other.parts)),
            dict(Counter(self.chunks) + Counter(other.chunks)),
            dict(Counter(self.repairs) + Counter(other.repairs)),
            self.errors + other.errors,
            self.usage + other.usage,
        )

    def rows(self) -> list[tuple[str, str, int, str]]:
        """Everything as rows for a table: what is counted, of which kind, how often, and what that means."""
        rows: list[tuple[str, str, int, str]] = []
        rows += [("part", kind, self.parts[kind], why) for kind, why in VERDICTS.items() if kind in self.parts]
        rows += [
            ("chunk by", method, self.chunks[method], why) for method, why in METHODS.items() if method in self.chunks
        ]
        rows += [("repair", kind, self.repairs[kind], why) for kind, why in REPAIRS.items() if kind in self.repairs]
        if self.usage.requests:
            rows.append(("request", "sent", self.usage.requests, "to the model's server"))
            rows.append(("request", "repeated", self.usage.retries, "of those, because one had failed"))
            rows.append(
                ("token", "read", self.usage.prompt_tokens, "counted by the server, or here where it does not count")
            )
            rows.append(("token", "written", self.usage.completion_tokens, "likewise"))
        return rows
