"""What a detector of a pitfall says.

Lesson 25 builds it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A pitfall that was found, with what was measured and what helps.

    Attributes
    ----------
    pitfall:
        Its number, 1 to 8, in the list of the "Hierarchical RAG study note" of 2026.
    said:
        What was measured, in a sentence.
    figure:
        The number behind it; the detector says which.
    repair:
        What to do.
    where:
        What is concerned: ids of chunks, places in a document, or questions. All of them, in order.
    """

    pitfall: int
    said: str
    figure: float
    repair: str
    where: tuple[str, ...] = ()
