"""The OpenAI-compatible server that the environment names: a client for it, and what its errors mean.

Lesson 11 uses it.

Embedders and chat models ask the same servers (OpenAI, Ollama, llama.cpp, vLLM) and share this.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai import OpenAI


def key_problem() -> str:
    """What is wrong with ``OPENAI_API_KEY``, in a sentence; an empty string where nothing is."""
    if os.environ.get("OPENAI_API_KEY"):
        return ""
    return (
        "OPENAI_API_KEY is not set. Set it to your key; for a server of your own, such as Ollama, set "
        "OPENAI_BASE_URL to its address and OPENAI_API_KEY to any word"
    )


def open_client(timeout: float, max_retries: int) -> OpenAI:
    """A client for the server in ``OPENAI_BASE_URL``, OpenAI's own where that is not set."""
    from openai import OpenAI

    return OpenAI(timeout=timeout, max_retries=max_retries)


def server_name(client: OpenAI) -> str:
    """How messages call the server: by its host, never by its whole address, which can hold a password."""
    return f"the server at {client.base_url.host}" + (f":{client.base_url.port}" if client.base_url.port else "")


def explain(error: Exception, client: OpenAI, timeout: float) -> str:
    """Say what an error of the client means and what to do, in a sentence that does not show the key.

    The error itself keeps the whole answer, and the request with the key. So raise another one with the sentence, and
    outside of the ``except``: as its cause or context this one would be printed or logged with it.
    """
    from openai import APIConnectionError, APIStatusError, AuthenticationError

    server = server_name(client)
    if isinstance(error, AuthenticationError):
        return f"{server} does not accept the key in OPENAI_API_KEY; set a valid one"
    if isinstance(error, APIConnectionError | OSError):
        return (
            f"{server} cannot be reached or does not answer within {timeout:g} s; check that it is running "
            "and that OPENAI_BASE_URL is its address"
        )
    if isinstance(error, APIStatusError):
        said = error.message.replace(client.api_key, "…") if client.api_key else error.message
        return f"{server} answered with status {error.status_code}: {said[:300]}"
    return f"{server} gave an answer that cannot be read; check OPENAI_BASE_URL, which often ends in /v1"
