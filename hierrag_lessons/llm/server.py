"""Chat models behind a server that speaks OpenAI's protocol: OpenAI itself, Ollama, llama.cpp, vLLM.

Lesson 11 uses it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from hierrag_lessons import checks
from hierrag_lessons.llm.dialect import Dialect
from hierrag_lessons.llm.endpoint import explain, key_problem, open_client, server_name
from hierrag_lessons.llm.protocol import Completion, LLMError, Schema, Usage
from hierrag_lessons.llm.structured import read_json
from hierrag_lessons.llm.tools import Message, Tool, ToolCall, Turn, read_calls
from hierrag_lessons.llm.wire import asked_wait, in_utf8, is_transient, post
from hierrag_lessons.model import JSON
from hierrag_lessons.text import count_tokens

if TYPE_CHECKING:
    from openai import OpenAI

T = TypeVar("T")


class OpenAIChatModel:
    """A chat model behind an OpenAI-compatible endpoint (Chat Completions), asked at temperature 0.

    The address and the key are read from ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``. Asked for JSON, it sends the
    schema as ``response_format``; a server that does not know ``json_schema`` is asked for ``json_object``, and one
    that does not know that either only in words. What a server turned out to know is remembered. The answer is checked
    against the schema in any case.

    A busy or failing server, and one whose answer does not fit the schema, is asked again, at most ``max_retries``
    times a question, after pauses of ``first_wait``, twice that, and so on. A server that says how long to wait
    (``Retry-After``) is obeyed up to ``longest_wait``; one that asks for more is given up at once.

    Parameters
    ----------
    model:
        The model's name as the server knows it.
    timeout:
        Seconds to wait for an answer to one request to begin, and again for all of it to arrive.
    max_retries:
        How often a failed request is repeated.
    max_tokens:
        How long an answer can be, in the server's tokens.
    first_wait, longest_wait:
        Seconds.

    Raises
    ------
    LLMError
        Without a key; from ``complete`` and ``turn`` where there is no usable answer.
    ValueError
        For numbers that cannot work.
    """

    def __init__(
        self,
        model: str,
        *,
        timeout: float = 60.0,
        max_retries: int = 2,
        max_tokens: int = 4096,
        first_wait: float = 0.5,
        longest_wait: float = 20.0,
    ) -> None:
        checks.text("model", model)
        if not model.strip():
            raise ValueError("model is blank; give the name of a model as the server knows it")
        checks.number("timeout", timeout, above=0)
        checks.whole("max_retries", max_retries, 0)
        checks.whole("max_tokens", max_tokens, 1)
        checks.number("first_wait", first_wait, 0)
        checks.number("longest_wait", longest_wait, 0)
        if problem := key_problem():
            raise LLMError(f"{problem}. Without HIERRAG_CHAT_MODEL no lesson needs either")
        self.model, self.timeout, self.max_retries, self.max_tokens = model, timeout, max_retries, max_tokens
        self.first_wait, self.longest_wait = first_wait, longest_wait
        self._dialect = Dialect()

    def __repr__(self) -> str:
        return f"OpenAIChatModel({self.model!r})"

    @property
    def name(self) -> str:
        """``openai:`` and the model's name."""
        return f"openai:{self.model}"

    def complete(self, system: str, user: str, schema: Schema | None = None) -> Completion:
        """See :class:`~hierrag_lessons.llm.protocol.ChatModel`."""
        checks.text("system", system)
        checks.text("user", user)
        checks.instance("schema", schema, Mapping, none="an answer in words")

        def attempt(problem: str, spent: list[Usage]) -> tuple[str, JSON]:
            complaint = f"\n\nYour last answer could not be used: {problem}. Give one JSON object that fits."
            messages = [_message("system", system), _message("user", user + complaint * bool(problem))]
            text, _ = self._ask(messages, spent, schema=schema)
            return text, None if schema is None else read_json(text, schema)

        (text, value), usage = self._insist(attempt)
        return Completion(text, value, usage)

    def turn(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Turn:
        """See :class:`~hierrag_lessons.llm.tools.ToolModel`.

        Raises ``LLMError`` as :meth:`complete` does, and ``ValueError`` where there are no messages.
        """
        messages, tools = checks.each("messages", messages, Mapping), checks.each("tools", tools, Tool)
        if not messages:
            raise ValueError("messages is empty; begin a conversation with a system or a user message")
        (text, calls), usage = self._insist(lambda _, spent: self._ask(messages, spent, tools=tools))
        return Turn(text, calls, usage)

    @cached_property
    def _client(self) -> OpenAI:
        return open_client(self.timeout, max_retries=0)

    def _insist(self, attempt: Callable[[str, list[Usage]], T]) -> tuple[T, Usage]:
        """What ``attempt`` returns at last, and what all attempts have cost.

        It is called with what was wrong with the last answer, and a list to write its costs to.
        """
        spent: list[Usage] = []
        problem, wait = "", 0.0
        for number in range(self.max_retries + 1):
            if number:
                time.sleep(wait)
                spent.append(Usage(retries=1))
            try:
                return attempt(problem, spent), _total(spent)
            except _AttemptError as error:
                failure = error
            except ValueError as error:
                problem = str(error)
                failure = _AttemptError(
                    f"{server_name(self._client)} gave an answer that does not fit: {error}", retry=True
                )
            if not failure.retry:
                break
            wait = max(failure.wait, min(self.first_wait * 2**number, self.longest_wait))
            if wait > self.longest_wait:
                failure = _AttemptError(
                    f"{failure}; it asks to wait {wait:.0f} s, but longest_wait is {self.longest_wait:g}"
                )
                break
        usage = _total(spent)
        asked = f" (asked {usage.requests} times)" if usage.requests > 1 else ""
        raise LLMError(f"{failure}{asked}", usage)

    def _ask(
        self,
        messages: Sequence[Message],
        spent: list[Usage],
        *,
        schema: Schema | None = None,
        tools: Sequence[Tool] | None = None,
    ) -> tuple[str, tuple[ToolCall, ...]]:
        """One answer: its text and calls; what it has cost is appended to ``spent``. Raises ``_AttemptError``.

        Calls are read unless ``tools`` is ``None``, also where none is offered: whoever asked learns why there is no
        text.
        """
        body = self._post(messages, schema, tools or (), spent)
        try:
            choice = body["choices"][0]
            message, reason = choice["message"], choice.get("finish_reason")
            text, refusal = message.get("content"), message.get("refusal")
            calls = () if tools is None else read_calls(message)
        except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            raise _AttemptError(explain(error, self._client, self.timeout)) from None
        spent.append(_tokens(body.get("usage"), messages, text, calls))
        server = server_name(self._client)
        if refusal or reason == "content_filter":
            raise _AttemptError(f"{server} refused to answer; the text may be what its rules do not allow")
        if reason == "length":
            raise _AttemptError(
                f"{server} stopped at the limit of max_tokens={self.max_tokens}; raise it, or ask for less"
            )
        said = isinstance(text, str) and text.strip()
        if not said and not calls:
            raise _AttemptError(f"{server} gave an empty answer", retry=True)
        return text if said else "", calls

    def _post(
        self, messages: Sequence[Message], schema: Schema | None, tools: Sequence[Tool], spent: list[Usage]
    ) -> Any:
        """The body of one answer, asked for in ever simpler dialects while the server does not understand."""
        from openai import APIStatusError, OpenAIError

        dialect = self._dialect
        declared: dict[str, JSON] = {"tools": [tool.declaration() for tool in tools]} if tools else {}
        while True:
            first, *others = messages
            said = [{**first, "content": f"{first['content']}{dialect.words(schema)}"}, *others]
            options = {**dialect.options(schema, self.max_tokens), **declared}
            spent.append(Usage(requests=1))
            try:
                body = post(self._client, {"model": self.model, "messages": in_utf8(said), **options}, self.timeout)
                self._dialect = dialect
                return body
            except (OpenAIError, OSError, ValueError) as error:
                refused = isinstance(error, APIStatusError) and error.status_code in {400, 422}
                simpler = dialect.simpler(str(error), schema is not None) if refused else None
                if simpler is None:
                    sentence = explain(error, self._client, self.timeout)
                    failure = _AttemptError(sentence, retry=is_transient(error), wait=asked_wait(error))
                    break
                dialect = simpler
        raise failure


class _AttemptError(Exception):
    """One attempt failed: why, whether another one makes sense, and how long the server wants it to wait."""

    def __init__(self, message: str, *, retry: bool = False, wait: float = 0.0) -> None:
        super().__init__(message)
        self.retry, self.wait = retry, wait


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _tokens(usage: object, messages: Sequence[Message], text: object, calls: Sequence[ToolCall]) -> Usage:
    """The server's count of tokens, or the course's own where it gives none."""
    if isinstance(usage, dict):
        read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(read, int) and isinstance(written, int) and read >= 0 and written >= 0:
            return Usage(prompt_tokens=read, completion_tokens=written)
    prompt = "".join(content for message in messages if isinstance(content := message["content"], str))
    answer = (text if isinstance(text, str) else "") + "".join(call.name + call.arguments for call in calls)
    return Usage(prompt_tokens=count_tokens(prompt), completion_tokens=count_tokens(answer), uncounted=1)


def _total(spent: list[Usage]) -> Usage:
    return sum(spent, Usage())
