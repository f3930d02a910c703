"""Tools: functions that a chat model may ask to have called, and the turns of a conversation in which it asks.

Lesson 22 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hierrag_lessons import checks
from hierrag_lessons.llm.protocol import Schema, Usage
from hierrag_lessons.model import JSON

Message = Mapping[str, JSON]
"""One message of a conversation, as Chat Completions writes it: ``role``, ``content``, and more for calls."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function as a model is told of it. ``parameters`` is the JSON schema of an object with its arguments.

    Raises ``ValueError`` when made with a value of another type.
    """

    name: str
    description: str
    parameters: Schema

    def __post_init__(self) -> None:
        checks.text("name", self.name)
        checks.text("description", self.description)
        checks.instance("parameters", self.parameters, Mapping)

    def declaration(self) -> dict[str, JSON]:
        """The entry in a request's list of tools."""
        parameters = dict(self.parameters)
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": parameters},
        }


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks for: ``arguments`` is what it wrote, which should be a JSON object and can be anything."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What a model says in answer to a conversation: a text, calls of tools, or both; and what that has cost."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)

    def message(self) -> dict[str, JSON]:
        """The turn as a message, for the conversation to go on after it."""
        calls: list[JSON] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": _sendable(call)}}
            for call in self.calls
        ]
        message: dict[str, JSON] = {"role": "assistant", "content": self.text or None}
        return message | {"tool_calls": calls} if calls else message


class ToolModel(Protocol):
    """A chat model that can ask for tools."""

    @property
    def name(self) -> str:
        """Written into what the model helped to make."""
        ...

    def turn(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Turn:
        """What the model says next. Raises ``LLMError`` where there is nothing usable.

        Without tools it should be a text. A model can go on calling all the same, and then the turn has these calls.
        """
        ...


def read_calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The calls in a server's message.

    Raises ``KeyError``, ``TypeError`` or ``AttributeError`` for another form, ``RecursionError`` for arguments that are
    nested too deeply.

    Servers differ: some leave out the id, or the arguments of a call that has none, or send them parsed.
    """
    calls = []
    for number, call in enumerate(message.get("tool_calls") or ()):
        name, arguments = call["function"]["name"], call["function"].get("arguments") or "{}"
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        calls.append(ToolCall(str(call.get("id") or f"call_{number}"), str(name), written))
    return tuple(calls)


def _sendable(call: ToolCall) -> str:
    """The arguments, or ``{}`` where they are no object: many servers parse what they are sent, and fail at it."""
    try:
        return call.arguments if isinstance(json.loads(call.arguments), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"
