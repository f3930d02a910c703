"""One request over HTTP: what is sent, what comes back, and how long to wait after a failure.

Lesson 11 uses it.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from hierrag_lessons.model import JSON

if TYPE_CHECKING:
    from openai import OpenAI

_LARGEST_BODY = 10_000_000  # bytes; an answer of some thousand tokens does not come near it


def post(client: OpenAI, request: Mapping[str, Any], timeout: float) -> JSON:
    """Send a chat request and return the body of the answer.

    The client's own time-out starts anew with each part that arrives, so a server that sends a byte now and then would
    never be too slow for it. Here all parts together have ``timeout`` seconds.

    Raises
    ------
    openai.OpenAIError
        Where the server cannot be reached or refuses.
    OSError
        Where it breaks off or is too slow.
    ValueError
        Where the body is no JSON, or larger than any answer.
    """
    body, deadline = bytearray(), time.monotonic() + timeout
    with client.chat.completions.with_streaming_response.create(**request) as response:
        parts = response.iter_bytes()
        while True:
            try:
                part = next(parts, None)
            except Exception as error:  # openai lets its HTTP client's errors through here, whatever they are.
                raise ConnectionError("the answer broke off") from error
            if part is None:
                return _parse(bytes(body))
            body += part
            if len(body) > _LARGEST_BODY:
                raise ValueError("the answer does not end")
            if time.monotonic() > deadline:
                raise TimeoutError("the answer is too slow")


def in_utf8(messages: Sequence[Mapping[str, JSON]]) -> JSON:
    """The messages with a question mark for each lone surrogate, which has no UTF-8 form and cannot be sent."""
    sendable: JSON = json.loads(json.dumps(messages, ensure_ascii=False).encode("utf-8", "replace"))
    return sendable


def _parse(body: bytes) -> JSON:
    try:
        value: JSON = json.loads(body)
    except RecursionError as error:
        raise ValueError("the answer is nested too deeply") from error
    return value


def is_transient(error: Exception) -> bool:
    """Can the same request succeed a little later?"""
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        return error.status_code in {408, 409, 429} or error.status_code >= 500
    return isinstance(error, APIConnectionError | OSError)


def asked_wait(error: Exception) -> float:
    """Seconds that the server asks to wait (``Retry-After``, seconds or a date); 0 where it does not say."""
    from openai import APIStatusError

    said = error.response.headers.get("retry-after", "") if isinstance(error, APIStatusError) else ""
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, OverflowError):
            return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0
