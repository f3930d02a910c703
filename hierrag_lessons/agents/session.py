"""A session: calls are checked, counted against the limits, answered, and written down.

Lesson 22 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace

from hierrag_lessons import checks
from hierrag_lessons.agents.outline import Contents, Entry, contents_of
from hierrag_lessons.agents.run import AgentRun, Call, Stopped
from hierrag_lessons.agents.tools import (
    NEIGHBOURS,
    OUTLINE,
    READ,
    SEARCH,
    TOOLS,
    CallError,
    RetrievalTools,
    argument,
)
from hierrag_lessons.context import free_numbers, pack
from hierrag_lessons.llm import Usage
from hierrag_lessons.model import Hit, Node, Passage, Where, both, sort_key
from hierrag_lessons.retrievers import resolve
from hierrag_lessons.retrievers.passages import with_fields
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import Index, Tree
from hierrag_lessons.store.selecting import select
from hierrag_lessons.text import count_tokens, make_ruler

_ENDLESS = 10**9  # tokens
_MOST_ENTRIES = 100  # of an outline that one call shows
# The same words for what is not there and for what may not be read: a difference would tell that it is there.
_UNKNOWN = "there is no section with this id. Copy the id from an outline or from a result of search"


class Session:
    """The calls made for one question. Document text that a call returns is data, and only ever stands in a fence.

    Nothing that a model asks for raises an error: a call that cannot be answered is answered with a sentence that says
    what to do. ``calls`` holds all of them, ``passages`` what was read, in that order, and ``numbers`` what the model
    is told to cite each by: none that stands in brackets in a text read so far.

    Parameters
    ----------
    tools:
        What is searched, and how.
    steps:
        How many calls are answered, failed ones included. All further ones are refused.
    budget:
        How many tokens of document text can be read. The section that does not fit is cut.
    where:
        A filter on what is found, as in ``Index.search_batch``. Then an outline shows only what holds something inside
        it, and only sections can be read that it has shown, or in which something was found. Any other section, and one
        that has left the filter since, is answered like one that does not exist. What a user may read at all is said
        by the tools' index, see ``Index.permitted``.

    Raises ``ValueError`` for a limit below 1, and for an impossible filter.
    """

    def __init__(self, tools: RetrievalTools, steps: int, budget: int, where: Where | None = None) -> None:
        checks.instance("tools", tools, RetrievalTools)
        checks.whole("steps", steps, 1)
        checks.whole("budget", budget, 1)
        tools.index.check_where(where)
        self.tools, self.steps, self.budget, self.where = tools, steps, budget, where
        self.calls: list[Call] = []
        self.passages: list[Passage] = []
        self.numbers: list[int] = []
        self._full = False
        self._version: int | None = None  # of the index at the first read
        self._seen: int | None = None  # the version in which the hits and what was shown are there
        self._shown: set[str] = set()  # node_ids of the entries that an outline has shown
        self.hits: dict[str, Hit] = {}  # by node_id, with the best score of all searches; in the order of finding

    @property
    def steps_left(self) -> int:
        """How many calls will still be answered."""
        return max(0, self.steps - len(self.calls))

    @property
    def tokens_left(self) -> int:
        """How many tokens can still be read."""
        return 0 if self._full else self.budget - sum(count_tokens(passage.text) for passage in self.passages)

    def call(self, name: str, arguments: str) -> str:
        """Answer one call and write it down; ``arguments`` is what the model wrote. Returns the message for it."""
        try:
            call = Call(name, arguments, *self._answer(name, arguments))
        except CallError as error:
            call = Call(name, arguments, f"Error: {error}", failed=True)
        self.calls.append(call)
        return call.result

    def record(
        self, question: str, agent: str, stopped: Stopped, answer: str | None = None, usage: Usage | None = None
    ) -> AgentRun:
        """All that was done, and what came of it."""
        noted = tuple(self.calls), tuple(self.passages), tuple(self.numbers)
        return AgentRun(question, agent, answer, *noted, stopped, usage or Usage())

    def _answer(self, name: str, arguments: str) -> tuple[str, tuple[str, ...]]:
        if not self.steps_left:
            raise CallError(f"all {self.steps} calls are used up. Answer from what you have read")
        if name not in self.tools.names:
            raise CallError(f"there is no tool of this name. The tools are {_listed(self.tools.names)}")
        if name == SEARCH.name:
            return self._search(argument(SEARCH, "query", arguments))
        if name == READ.name:
            return self._read(argument(READ, "id", arguments))
        return self._outline(name, argument(TOOLS[name], "id", arguments).strip() or None)

    def _search(self, query: str) -> tuple[str, tuple[str, ...]]:
        tools = self.tools
        hits = self._now().search(query, tools.results, mode=tools.mode, level=tools.level, where=self.where)
        for hit in hits:
            known = self.hits.get(hit.node.node_id)
            self.hits[hit.node.node_id] = hit if known is None else max(known, hit, key=lambda found: found.score)
        if not hits:
            return "Nothing was found. Try other words.", ()
        lines = [
            json.dumps(
                {
                    "section": section_of(hit.node),
                    "score": round(hit.score, 3),
                    "id": hit.node.node_id,
                    "heading": hit.node.context,
                    "excerpt": _beginning(hit.node.text, tools.excerpt),
                },
                ensure_ascii=False,
            )
            for hit in hits
        ]
        return f"{len(hits)} excerpts, best first.", ("\n".join(lines),)

    def _outline(self, name: str, node_id: str | None) -> tuple[str, tuple[str, ...]]:
        """``outline`` and ``neighbours``: entries below a section, or beside it."""
        tree = self._now().tree()
        contents: Contents = contents_of(tree)
        inside = self._inside(tree)
        if node_id is not None and node_id not in inside:
            raise CallError(_UNKNOWN)
        entries: list[Entry] = contents.beside(str(node_id)) if name == NEIGHBOURS.name else contents.below(node_id)
        entries = [entry for entry in entries if entry.node.node_id in inside]
        if not entries:
            empty = {OUTLINE.name: "This section has no parts. Read it.", NEIGHBOURS.name: "It has no neighbours."}
            return empty[name], ()
        shown = entries[:_MOST_ENTRIES]
        self._shown |= {entry.node.node_id for entry in shown}
        rest = f", the first of {len(entries)}; search for what is not among them" if len(shown) < len(entries) else ""
        return f"{len(shown)} entries, in the order of the text{rest}.", ("\n".join(entry.line for entry in shown),)

    def _read(self, node_id: str) -> tuple[str, tuple[str, ...]]:
        index = self._now()
        try:
            [node] = index.nodes([node_id])
        except KeyError:
            raise CallError(_UNKNOWN) from None
        own = [replace(passage, hits=(), metadata={}) for passage in resolve(index, [Hit(node, 0.0)])]
        found = node_id in self._shown or any(self._with_hits(passage).hits for passage in own)
        if self.where is not None and not found:
            raise CallError(_UNKNOWN)
        if self._changed(index, node.doc_id):
            raise CallError("this document was changed since you read from it. Read another one, or answer")
        unread, new = self._pack(own, _ENDLESS), self._pack(own, self.budget)
        if not unread:
            raise CallError("nothing in this section is new to you. Read another one, or answer")
        self._full |= new != unread
        if not new:
            raise CallError("all tokens are read. Answer from what you have read")
        tokens = sum(count_tokens(passage.text) for passage in new)
        self.passages += [self._with_hits(passage) for passage in new]
        numbers = free_numbers(self.passages, len(new), after=max(self.numbers, default=0))
        self.numbers += numbers
        names = ", ".join(f"[{number}]" for number in numbers)
        cut = " The rest of it does not fit." if self._full else ""
        headline = f"Read as {names}, {tokens} tokens.{cut} {self.tokens_left} tokens are left to read."
        return headline, tuple(_under_headings(node, passage) for passage in new)

    def _now(self) -> Index:
        """The index as it is now; hits, and what was shown, that are not there or not inside any more are forgotten."""
        index = self.tools.index.snapshot()
        if self._seen not in (None, index.version):
            found = select(index, both(self.where, {"node_id": list(self.hits)}))
            there = {node.node_id: node for node in found}
            self.hits = {name: hit for name, hit in self.hits.items() if there.get(name) == hit.node}
            if self._shown:
                self._shown &= set(self._inside(index.tree()))
        self._seen = index.version
        return index

    def _inside(self, tree: Tree) -> Collection[str]:
        """The ids of the nodes that are inside the filter, or that such nodes lie in."""
        inside = tree.inside(self.where)
        return tree.by_id.keys() if inside is None else tree.lineage(inside)

    def _changed(self, index: Index, doc_id: str) -> bool:
        """Whether what was read of a document stands there no longer; offsets of two versions must not be mixed."""
        if self._version in (None, index.version):
            self._version = index.version
            return False
        read = [passage for passage in self.passages if passage.doc_id == doc_id]
        try:
            now = index.slices([(doc_id, passage.span) for passage in read])
        except (KeyError, ValueError):
            return True
        return now != [passage.text for passage in read]

    def _pack(self, passages: Sequence[Passage], budget: int) -> list[Passage]:
        """The passages without what was read before, cut where the budget ends."""
        return pack([*self.passages, *passages], budget)[len(self.passages) :]

    def _with_hits(self, passage: Passage) -> Passage:
        """The passage with what was found in it, best first, and the best score."""
        inside = [
            hit
            for hit in self.hits.values()
            if hit.doc_id == passage.doc_id and any(overlap(span, passage.span) for span in hit.node.spans)
        ]
        hits = tuple(sorted(inside, key=sort_key))
        return with_fields(replace(passage, hits=hits, score=hits[0].score if hits else 0.0))


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def section_of(node: Node) -> str:
    """The id to read a found node with: its parent's, or its own where it lies in nothing but the whole document."""
    return node.parent_id if node.parent_id is not None and node.level > 1 else node.node_id


def _beginning(text: str, tokens: int) -> str:
    reach = make_ruler(text, count_tokens).reach(0, len(text), tokens)
    return text if reach == len(text) else f"{text[:reach]}…"


def _under_headings(node: Node, passage: Passage) -> str:
    head = [f"id: {node.node_id}", f"characters: {passage.start}-{passage.end}"]
    head += [f"heading: {node.context}"] * bool(node.context)
    head += [f"larger: {node.parent_id}"] * (node.parent_id is not None and node.level > 1)
    return "\n".join([*head, "", passage.text])
