"""Chat models: any server that speaks OpenAI's protocol, with checked answers, bounded retries and counted tokens."""

from hierrag_lessons.llm.default import default_chat_model
from hierrag_lessons.llm.fencing import DATA_RULE, data_rule, fence
from hierrag_lessons.llm.protocol import ChatModel, Completion, LLMError, Schema, Usage
from hierrag_lessons.llm.server import OpenAIChatModel
from hierrag_lessons.llm.structured import misfit
from hierrag_lessons.llm.tools import Message, Tool, ToolCall, ToolModel, Turn

__all__ = [
    "DATA_RULE",
    "ChatModel",
    "Completion",
    "LLMError",
    "Message",
    "OpenAIChatModel",
    "Schema",
    "Tool",
    "ToolCall",
    "ToolModel",
    "Turn",
    "Usage",
    "data_rule",
    "default_chat_model",
    "fence",
    "misfit",
]
