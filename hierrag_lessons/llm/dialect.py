"""What a server knows of the protocol: not every one that calls itself compatible takes every option.

Lesson 11 uses it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Literal

from hierrag_lessons.llm.protocol import Schema
from hierrag_lessons.model import JSON


@dataclass(frozen=True, slots=True)
class Dialect:
    """The options that a server takes. The first guess is everything; a complaint leads to a simpler one."""

    answers: Literal["json_schema", "json_object", "text"] = "json_schema"
    temperature: bool = True
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def options(self, schema: Schema | None, max_tokens: int) -> dict[str, JSON]:
        """The request's options: the most probable answer, its length, and its form where a schema is given."""
        options: dict[str, JSON] = {self.length: max_tokens}
        if self.temperature:
            options["temperature"] = 0
        if schema is not None and self.answers == "json_schema":
            wanted: dict[str, JSON] = {"name": "answer", "strict": True, "schema": dict(schema)}
            options["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif schema is not None and self.answers == "json_object":
            options["response_format"] = {"type": "json_object"}
        return options

    def words(self, schema: Schema | None) -> str:
        """What the system message has to say because the options cannot."""
        if schema is None or self.answers == "json_schema":
            return ""
        return f"\n\nAnswer with one JSON object that fits this JSON schema:\n{json.dumps(dict(schema))}"

    def simpler(self, complaint: str, structured: bool) -> Dialect | None:
        """The dialect to try after a server refused a request with ``complaint``; ``None`` where nothing is left."""
        if "temperature" in complaint and self.temperature:
            return replace(self, temperature=False)
        if "max_completion_tokens" in complaint and self.length == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if structured and self.answers == "json_schema":
            return replace(self, answers="json_object")
        if structured and self.answers == "json_object":
            return replace(self, answers="text")
        return None
