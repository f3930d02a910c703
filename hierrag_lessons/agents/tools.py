"""The tools that a language model is offered, what is searched with them, and the arguments of a call.

Lesson 22 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
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


OUTLINE = Tool(
    "outline",
    "Show what a document or a section consists of: id, title, span, size in tokens, number of sections in it, and a "
    "summary of one sentence for each part. Without an id, or with an empty one, it shows the documents.",
    {"type": "object", "properties": {"id": {"type": "string"}}, "required": [], "additionalProperties": False},
)
NEIGHBOURS = Tool(
    "neighbours",
    "Show the section before and the section behind the one with this id, as `outline` does.",
    _one_text("id"),
)
TOOLS = {tool.name: tool for tool in (OUTLINE, SEARCH, READ, NEIGHBOURS)}


@dataclass(frozen=True)
class RetrievalTools:
    """An index as tools: ``search`` finds small nodes, ``read`` returns the text of large ones.

    ``outline`` and ``neighbours`` show what there is to read: titles, sizes and summaries, and no vectors.

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
    names:
        The tools that are on offer. With ``("outline", "read")`` a model walks the outline and nothing is searched.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    level: int | None = None
    mode: Mode = "vector"
    results: int = 8
    excerpt: int = 60
    names: Sequence[str] = ("outline", "search", "read", "neighbours")

    def __post_init__(self) -> None:
        checks.instance("index", self.index, Index)
        checks.one_of("mode", self.mode, Mode)
        checks.whole("results", self.results, 1)
        checks.whole("excerpt", self.excerpt, 1)
        self.index.check_level(self.level)
        for name in checks.texts("names", self.names):
            checks.one_of("names", name, TOOLS)

    @property
    def offered(self) -> tuple[Tool, ...]:
        """The tools, as a model gets to know them."""
        return tuple(TOOLS[name] for name in self.names)


class CallError(Exception):
    """A call that cannot be answered, and what to do instead."""


def argument(tool: Tool, name: str, arguments: str) -> str:
    """The one argument of a tool. Raises ``CallError`` where it is not there, no text, or blank; "" if it may be so."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        raise CallError(f'the arguments are no JSON. Give {{"{name}": "…"}}') from None
    if problem := misfit(given, tool.parameters, "the arguments object"):
        raise CallError(f'{problem}. Give {{"{name}": "…"}}')
    value = str(given.get(name, ""))
    if tool is not OUTLINE and not value.strip():
        raise CallError(f"{name} is blank. Give a text")
    return value
