"""Reading JSON out of an answer, and checking it against a schema.

Lesson 11 builds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from hierrag_lessons.llm.protocol import Schema
from hierrag_lessons.model import JSON

_THINK, _END_THINK = "<think>", "</think>"
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}
_OBJECTS_TRIED = 50


def read_json(text: str, schema: Schema) -> JSON:
    """The JSON value in ``text`` that fits ``schema``.

    Servers that know no schemas often wrap the object in a Markdown fence or in words, and some models think aloud
    before it; so where the whole text is no JSON, the first object in it that fits is taken.

    Raises
    ------
    ValueError
        Where there is none, with what is wrong. The message quotes nothing of the text.
    """
    problems = []
    for value in _values(_without_thoughts(text)):
        problem = misfit(value, schema)
        if not problem:
            return value
        problems.append(problem)
    raise ValueError(problems[0] if problems else "there is no JSON object in it")


def _without_thoughts(text: str) -> str:
    """``text`` without the thoughts that end in it; each mark is looked at once, however many thoughts begin."""
    kept, start = [], 0
    while (opens := text.find(_THINK, start)) >= 0 and (closes := text.find(_END_THINK, opens)) >= 0:
        kept.append(text[start:opens])
        start = closes + len(_END_THINK)
    return "".join([*kept, text[start:]])


def _values(text: str) -> Iterator[JSON]:
    decoder = json.JSONDecoder()
    for start in [0, *(match.start() for match in islice(re.finditer(r"\{", text), _OBJECTS_TRIED))]:
        try:
            yield decoder.raw_decode(text[start:].lstrip())[0]
        except (ValueError, RecursionError):  # Numbers of thousands of digits and brackets by the thousand, too.
            continue


def misfit(value: JSON, schema: Schema, place: str = "the answer") -> str:
    """How ``value`` differs from ``schema``, or an empty string.

    Checked are ``type``, ``properties``, ``required``, ``items`` and ``enum``, which is what the course's schemas use.
    """
    kind = str(schema["type"])
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"{place} is not of type {kind}"
    if "enum" in schema and isinstance(choices := schema["enum"], list) and value not in choices:
        return f"{place} is none of {choices}"
    if isinstance(value, dict):
        return _object_misfit(value, schema, place)
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        return next((found for i, item in enumerate(value) if (found := misfit(item, items, f"{place}[{i}]"))), "")
    return ""


def _object_misfit(value: Mapping[str, JSON], schema: Schema, place: str) -> str:
    required, properties = schema.get("required"), schema.get("properties")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            return f"{place} has no {name!r}"
    for name, inner in properties.items() if isinstance(properties, dict) else []:
        if name in value and isinstance(inner, dict) and (found := misfit(value[name], inner, f"{place}.{name}")):
            return found
    return ""
