"""From the passages that a retriever returns to the text that a language model reads, and back to their spans."""

from hierrag_lessons.context.ordering import Order, reorder
from hierrag_lessons.context.packing import pack, retrieve_contexts
from hierrag_lessons.context.prompt import Citation, Prompt, free_numbers, pack_prompt, render

__all__ = [
    "Citation",
    "Order",
    "Prompt",
    "free_numbers",
    "pack",
    "pack_prompt",
    "render",
    "reorder",
    "retrieve_contexts",
]
