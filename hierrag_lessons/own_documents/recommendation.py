"""What a comparison recommends, and how sure that is.

Lesson 24 uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierrag_lessons.own_documents.leads import Lead


@dataclass(frozen=True)
class Recommendation:
    """Which method to take, and how sure that is.

    ``decided`` is false where the questions cannot tell; ``method`` is then what to take for the time being, and
    ``more`` says about how many questions to label. ``best`` has the highest recall of all but the yardstick. ``lead``
    is how far the recommended method is before the yardstick, or where that is the yardstick itself, how far ``best``
    is; ``p`` in it is adjusted after Holm where all questions both chose and judged. ``chosen_by`` is the same lead on
    the half that chose, where there are halves; ``lead`` is then that of the other half. ``detectable`` is the smallest
    true difference that the questions of ``lead`` show in 80 % of all experiments.
    """

    method: str
    decided: bool
    best: str
    lead: Lead
    detectable: float
    more: int
    text: str
    chosen_by: Lead | None = None
