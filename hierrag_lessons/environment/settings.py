"""What is set for the course and for an LLM's endpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from hierrag_lessons.environment.finding import Finding

_SHOWN = {"HIERRAG_CACHE", "HIERRAG_ENCODING", "HIERRAG_CHAT_MODEL", "HIERRAG_PROGRESS"}
_PATHS = {"HIERRAG_CACHE", "HIERRAG_PROGRESS"}


def check_settings(environ: Mapping[str, str] = os.environ) -> list[Finding]:
    """The course's and the LLM endpoint's settings; values that may hold a secret are never part of a finding."""
    from hierrag_lessons.embedding.cache import with_tilde

    findings = []
    for name in sorted(name for name in environ if name.startswith(("HIERRAG_", "OPENAI_"))):
        value, problem = "set, not shown", ""
        if not environ[name]:
            value = "empty"
        elif name in _SHOWN:
            value = with_tilde(Path(environ[name])) if name in _PATHS else environ[name]
        elif name == "OPENAI_BASE_URL":
            value, problem = _endpoint(environ[name])
            if not problem and not environ.get("OPENAI_API_KEY"):
                problem = (
                    "OPENAI_BASE_URL is set and OPENAI_API_KEY is not; set it to your key, or to any word for a server "
                    "of your own such as Ollama"
                )
        if name == "HIERRAG_ENCODING" and environ[name]:
            problem = _unknown_encoding(environ[name])
        findings.append(Finding(name, value, problem))
    return findings or [Finding("settings", "no HIERRAG_ or OPENAI_ variable is set")]


def _endpoint(address: str) -> tuple[str, str]:
    """An address without the user name, password and query that it may hold, and what is wrong with it."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return "set, not shown", "OPENAI_BASE_URL is no address; it looks like http://localhost:11434/v1"
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}", ""


def _unknown_encoding(name: str) -> str:
    import tiktoken

    known = ["hierrag_16k", *tiktoken.list_encoding_names()]
    if name in known:
        return ""
    return f"HIERRAG_ENCODING is {name!r}, which nobody knows; unset it, or choose one of {', '.join(known)}"
