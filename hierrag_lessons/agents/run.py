"""What an agent did: every call, what it read, and what it said in the end.

Lesson 22 uses it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from hierrag_lessons.context import Citation, Prompt
from hierrag_lessons.llm import Usage, fence
from hierrag_lessons.model import Passage
from hierrag_lessons.text import count_tokens

Stopped = Literal["answered", "read all", "steps", "budget"]
_STOPPED: dict[Stopped, str] = {
    "answered": "it had what it needed",
    "read all": "nothing was left to read",
    "steps": "no calls were left",
    "budget": "the budget was used up",
}
_SHOWN = 100  # characters of a call's arguments


@dataclass(frozen=True)
class Call:
    """One call of a tool and its result.

    Attributes
    ----------
    name, arguments:
        As the model wrote them; ``arguments`` should be a JSON object and can be anything.
    headline:
        What came of it, in words of this package; the words of no document are in it.
    data:
        What the documents say. In ``result`` each piece stands in a fence of its own.
    failed:
        Whether ``headline`` is an error message.
    """

    name: str
    arguments: str
    headline: str
    data: tuple[str, ...] = ()
    failed: bool = False

    @property
    def result(self) -> str:
        """The message that the model gets."""
        return "\n".join([self.headline, *map(fence, self.data)])

    @property
    def tokens(self) -> int:
        """The size of ``result`` in tokens of the course's vocabulary."""
        return count_tokens(self.result)

    def __str__(self) -> str:
        return _printable(f"{_short(self.name)}({self._arguments()}) → {self.headline}")

    def _arguments(self) -> str:
        try:
            read = json.loads(self.arguments)
            written = {name: json.dumps(value, ensure_ascii=False) for name, value in read.items()}
        except (ValueError, RecursionError, AttributeError):  # no JSON, nested too deeply, no object
            return _short(self.arguments)
        return ", ".join(f"{name}={_short(value)}" for name, value in written.items())


@dataclass(frozen=True, repr=False)
class AgentRun:
    """A question, the calls that were made for it, and the passages that were read, in the order of reading.

    Attributes
    ----------
    agent:
        The name of the language model, or of the rule that chose the calls.
    answer:
        What the language model said in the end; ``None`` where none was asked. It cites passages by their numbers.
    passages:
        Exact spans, no character of a document twice.
    numbers:
        The number that the model was told for each passage.
    stopped:
        Why no further call was made.
    usage:
        What the language model has cost.
    """

    question: str
    agent: str
    answer: str | None
    calls: tuple[Call, ...]
    passages: tuple[Passage, ...]
    numbers: tuple[int, ...]
    stopped: Stopped
    usage: Usage

    def citations(self) -> list[Citation]:
        """The numbers that the answer cites, with their places in it and the passages that they name.

        Raises ``ValueError`` naming the numbers that the model invented.
        """
        return Prompt("", self.passages, self.numbers).citations(self.answer or "")

    def __repr__(self) -> str:
        lines = [f"{self.agent}: {_short(self.question)}"]
        lines += [f"{number:3d} {call.tokens:6,d} tokens  {call}" for number, call in enumerate(self.calls, start=1)]
        read = sum(count_tokens(passage.text) for passage in self.passages)
        lines.append(
            f"Stopped because {_STOPPED[self.stopped]}. Calls: {len(self.calls)}, with results of "
            f"{sum(call.tokens for call in self.calls):,} tokens. Passages: {len(self.passages)}, of {read:,} tokens."
        )
        if self.answer is not None:
            lines.append(f"Answer: {self.answer}")
        return _printable("\n".join(lines))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _printable(text: str) -> str:
    """Lone surrogates, which a terminal cannot show, in words."""
    return text.encode("utf-8", "backslashreplace").decode()
