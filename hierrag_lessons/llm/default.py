"""Chat models: any server that speaks OpenAI's protocol, with checked answers, bounded retries and counted tokens.

Lesson 11 uses it.
"""

from __future__ import annotations

import os

from hierrag_lessons.llm.protocol import ChatModel
from hierrag_lessons.llm.server import OpenAIChatModel


def default_chat_model() -> ChatModel | None:
    """The chat model that ``HIERRAG_CHAT_MODEL`` names, or ``None`` where it is not set.

    A key that is there for other programs is not spent without being asked to: the model must be named. Raises
    :class:`LLMError` where it is named and ``OPENAI_API_KEY`` is missing.
    """
    model = os.environ.get("HIERRAG_CHAT_MODEL", "").strip()
    return OpenAIChatModel(model) if model else None
