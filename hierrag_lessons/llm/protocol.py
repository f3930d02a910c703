"""What a chat model is: a system message and a user message in, a text or a checked JSON value out.

Lesson 11 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hierrag_lessons.model import JSON

Schema = Mapping[str, JSON]
"""A JSON schema, in the subset that ``hierrag_lessons.llm.structured`` checks."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What answers have cost, failed attempts included; usages can be added.

    Attributes
    ----------
    requests, retries:
        HTTP requests sent, and how many of them repeated one that had failed.
    prompt_tokens, completion_tokens:
        Tokens read and written, as the server counted them.
    uncounted:
        Answers without a count from the server: their tokens were counted with the course's own vocabulary.
    """

    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.retries + other.retries,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.uncounted + other.uncounted,
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer: its ``text``, the ``value`` read from it where a schema was given, and what it has cost."""

    text: str
    value: JSON = None
    usage: Usage = Usage()


class LLMError(RuntimeError):
    """A chat model gave no usable answer; ``usage`` is what the attempts have cost all the same."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class ChatModel(Protocol):
    """Anything that answers a question in words."""

    @property
    def name(self) -> str:
        """Written into what the model helped to make."""
        ...

    def complete(self, system: str, user: str, schema: Schema | None = None) -> Completion:
        """Answer ``user`` under the rules of ``system``.

        With a ``schema`` the answer's ``value`` is JSON that fits it. Raises :class:`LLMError` where there is no usable
        answer.
        """
        ...
