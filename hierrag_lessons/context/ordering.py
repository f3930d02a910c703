"""The order in which packed passages are shown to a language model.

Lesson 19 builds it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from hierrag_lessons import checks
from hierrag_lessons.model import Passage, sort_key

Order = Literal["score", "document", "ends_first"]


def reorder(passages: Iterable[Passage], order: Order = "score") -> list[Passage]:
    """The same passages in another order. What is packed, and its size, do not change.

    - ``"score"``: best first.
    - ``"document"``: as an author wrote them; the document of the best passage first, each from its start to its end.
    - ``"ends_first"``: the best first, the second last, the third second …, so that the worst stand in the middle,
      where language models have been seen to use a text least (Liu et al., "Lost in the Middle", 2023).

    Equal scores are settled by ``sort_key``, so the order of the input does not matter.

    Raises ``ValueError`` for another order.
    """
    checks.one_of("order", order, Order)
    ranked = sorted(checks.each("passages", passages, Passage), key=sort_key)
    if order == "score":
        return ranked
    if order == "ends_first":
        return ranked[::2] + ranked[1::2][::-1]
    place: dict[str, int] = {}
    for passage in ranked:
        place.setdefault(passage.doc_id, len(place))
    return sorted(ranked, key=lambda passage: (place[passage.doc_id], passage.start, passage.end))
