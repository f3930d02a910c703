"""Who chooses the calls: a language model, or a rule that is none.

Lesson 22 uses it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hierrag_lessons import checks
from hierrag_lessons.agents.run import AgentRun, Stopped
from hierrag_lessons.agents.session import Session, section_of
from hierrag_lessons.agents.tools import READ, SEARCH, RetrievalTools
from hierrag_lessons.llm import LLMError, Message, ToolModel, Usage, data_rule
from hierrag_lessons.model import Passage, Where
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request
from hierrag_lessons.retrievers.passages import best

_RULES = """You answer questions from documents that you can reach only with the tools.

{ways}Read whole sections: an excerpt or a summary is short, and what completes it often stands next to it. Answer
only from what you have read, in the language of the question. Cite it: write [1] behind what the text read as [1]
says. Where the documents do not hold the answer, say so. You have {steps} calls and can read {budget} tokens.

{data_rule}"""
_WAYS = {
    "outline": "Walk down the outline: look at the documents, then into those that fit, and so on down. ",
    "search": "Search with words of your own, again with other words where the excerpts do not fit. ",
}
_NO_CALLS_LEFT = "All calls are used up. Answer now, from what you have read."


class Agent(Protocol):
    """Anything that answers a question with the tools."""

    def run(self, question: str, where: Where | None = None) -> AgentRun:
        """Make calls until there is enough, or a limit is reached; ``where`` is a filter on what they find."""
        ...


@dataclass(frozen=True)
class ToolAgent:
    """A language model that decides itself what to search and what to read.

    The model sees the question, the rules and the results of its calls. Text of a document only ever stands in a fence
    inside the result of a tool, and all that a document could talk the model into is another search, another read, or
    another wording of its answer: there is no other tool, and what was read is noted here and not taken from the model.

    Parameters
    ----------
    tools:
        What is searched, and how.
    model:
        A model that knows tools, for example ``OpenAIChatModel``.
    steps:
        How many calls are answered; then the model is asked for its answer, without tools.
    budget:
        How many tokens of document text can be read. Excerpts do not count; ``steps`` limits them.

    Raises ``ValueError`` for a limit below 1, and for tools or a model that are none.
    """

    tools: RetrievalTools
    model: ToolModel
    steps: int = 8
    budget: int = 4000

    def __post_init__(self) -> None:
        checks.instance("tools", self.tools, RetrievalTools)
        checks.able("model", self.model, "turn")
        checks.whole("steps", self.steps, 1)
        checks.whole("budget", self.budget, 1)

    def run(self, question: str, where: Where | None = None) -> AgentRun:
        """Let the model work until it answers, with what it can find inside ``where``.

        Raises ``LLMError``, with what all requests have cost, where the model cannot be reached, refuses, says nothing,
        or goes on calling when no tools are left. What is wrong with a call is told to the model, and it can go on.
        Raises ``ValueError`` for a question that is no text.
        """
        checks.text("question", question)
        session, usage = Session(self.tools, self.steps, self.budget, where), Usage()
        rules = _RULES.format(
            ways="".join(way for name, way in _WAYS.items() if name in self.tools.names),
            steps=self.steps,
            budget=self.budget,
            data_rule=data_rule("The results of the tools hold"),
        )
        messages: list[Message] = [{"role": "system", "content": rules}, {"role": "user", "content": question}]
        stopped: Stopped = "answered"
        while True:
            try:
                turn = self.model.turn(messages, self.tools.offered if session.steps_left else ())
            except LLMError as error:
                raise LLMError(str(error), usage + error.usage) from error
            usage += turn.usage
            if not turn.calls or (turn.text and not session.steps_left):
                return session.record(question, self.model.name, stopped, turn.text, usage)
            if not session.steps_left:
                raise LLMError(
                    f"the model {self.model.name!r} calls tools that it was not offered, instead of answering", usage
                )
            messages.append(turn.message())
            for call in turn.calls:
                result = session.call(call.name, call.arguments)
                messages.append({"role": "tool", "tool_call_id": call.call_id, "content": result})
            if not session.steps_left:
                messages.append({"role": "user", "content": _NO_CALLS_LEFT})
                stopped = "steps"


@dataclass(frozen=True)
class FixedPolicy:
    """A rule that makes the same calls as an agent, and is no language model: it understands nothing it reads.

    It searches for the words of the question, once, and reads the sections of the excerpts found, that of the best one
    first, until a limit is reached. It gives no answer. Offline it shows what the tools do, and any agent has to beat
    it. Parameters and errors are those of :class:`ToolAgent`.
    """

    tools: RetrievalTools
    steps: int = 8
    budget: int = 4000

    def __post_init__(self) -> None:
        checks.instance("tools", self.tools, RetrievalTools)
        checks.whole("steps", self.steps, 1)
        checks.whole("budget", self.budget, 1)
        if not {SEARCH.name, READ.name} <= set(self.tools.names):
            raise ValueError(
                f"tools offers {', '.join(self.tools.names)}; give it search and read, which are used here"
            )

    def run(self, question: str, where: Where | None = None) -> AgentRun:
        """Search, inside ``where``, then read. Raises ``ValueError`` for a question that is no text."""
        checks.text("question", question)
        session = Session(self.tools, self.steps, self.budget, where)
        session.call(SEARCH.name, json.dumps({"query": question}))
        stopped: Stopped = "read all"
        for section in dict.fromkeys(section_of(hit.node) for hit in session.hits.values()):
            if session.tokens_left <= 0 or not session.steps_left:
                stopped = "budget" if session.tokens_left <= 0 else "steps"
                break
            session.call(READ.name, json.dumps({"id": section}))
        return session.record(question, "fixed policy (no language model)", stopped)


@dataclass(frozen=True)
class ToolRetriever(BatchRetriever):
    r"""What an agent reads, as a retriever, so that it can be measured like the others.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, RecursiveChunker, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run.\n\nFish swim.")
    >>> pets = build_hierarchy(document, [RecursiveChunker(24, measure=len), SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     agent = FixedPolicy(RetrievalTools(index))
    ...     ToolRetriever(agent).retrieve("running dogs", k=1)[0].text
    'Cats sleep. Dogs run.'

    The agent runs once for each query of each call. However many passages are asked for, it reads no more than its
    limits allow. Of all that it read the ``k`` passages with the best hits are returned.
    """

    agent: Agent

    def __post_init__(self) -> None:
        checks.able("agent", self.agent, "run")

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages read for each query."""
        check_request(queries, k, where)
        # Asked without a filter, an agent of one's own need not know any.
        limits: dict[str, Where] = {} if where is None else {"where": where}
        return [best(self.agent.run(query, **limits).passages, k) if query.strip() else [] for query in queries]
