"""The two tools that a language model is offered, what is searched with them, and the arguments of a call.

Lesson 14 uses it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.llm import Schema, Tool, misfit
from hierrag_lessons.store import Index, Mode


def _one_text(name: str) -> Schema:
    return {
        "type": "object",
        "properties": {name: {"type": "string"}},
        "required": [name],
        "additionalProperties": False,
    }


SEARCH = Tool(
    "search",
    "Find the excerpts of the documents that are nearest to a query. An excerpt is short and often cut; its `section` "
    "is the id to read it with, together with what stands around it.",
    _one_text("query"),
)
READ = Tool(
    "read",
    "Read the section with this id, under its headings. Where it has a `larger` section, that can be read as well.",
    _one_text("id"),
)


@dataclass(frozen=True)
class RetrievalTools:
    """An index as two tools: ``search`` finds small nodes, ``read`` returns the text of large ones.

    Parameters
    ----------
    index:
        The index. What is read need not be searchable.
    level:
        The level to search, ``None`` for all searchable ones.
    mode:
        As in ``Index.search_batch``.
    results:
        How many excerpts a search returns.
    excerpt:
        Tokens that are shown of each.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    level: int | None = None
    mode: Mode = "vector"
    results: int = 8
    excerpt: int = 60

    def __post_init__(self) -> None:
        checks.instance("index", self.index, Index)
        checks.one_of("mode", self.mode, Mode)
        checks.whole("results", self.results, 1)
        checks.whole("excerpt", self.excerpt, 1)
        self.index.check_level(self.level)


class CallError(Exception):
    """A call that cannot be answered, and what to do instead."""


def argument(tool: Tool, name: str, arguments: str) -> str:
    """The one argument of a tool. Raises ``CallError`` where it is not there, no text, or blank."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        raise CallError(f'the arguments are no JSON. Give {{"{name}": "…"}}') from None
    if problem := misfit(given, tool.parameters, "the arguments object"):
        raise CallError(f'{problem}. Give {{"{name}": "…"}}')
    value = str(given[name])
    if not value.strip():
        raise CallError(f"{name} is blank. Give a text")
    return value
