"""What each level gave to each unit of a multi-level search.

No lesson uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.model import Passage
from hierrag_lessons.retrievers import MultiLevelTrace, UnitTrace
from hierrag_lessons.showing.views.outline import Line, OutlineView, node_line
from hierrag_lessons.showing.views.view import count

BAR = 20
"""The length of a bar for the largest value."""


@dataclass(frozen=True, repr=False)
class MultiLevelView(OutlineView):
    """Each passage, its units, and for each unit what every level said of it: BM25 and cosine, and a bar of both.

    The first ``most`` passages are shown.

    Raises ``ValueError`` for a negative ``most``, and for what is no trace.
    """

    trace: MultiLevelTrace
    most: int = 5

    def __post_init__(self) -> None:
        checks.instance("trace", self.trace, MultiLevelTrace)
        checks.whole("most", self.most, 0)

    @property
    def caption(self) -> str:
        """The query, and the number of passages and of units in them."""
        passages, units = count(len(self.trace.passages), "passage"), count(len(self.trace.units), "unit")
        return f"{self.trace.query}: {passages} of {units}"

    def lines(self) -> Iterator[Line]:
        """A line for each passage, below it one for each unit, below that one for each level."""
        for number, passage in enumerate(self.trace.passages[: self.most], start=1):
            place = f"{number}. {passage.doc_id}:{passage.start}-{passage.end}"
            yield Line(
                node_line([place, f"score {passage.score:.3f}"], passage.context), below=tuple(self._units(passage))
            )
        if more := len(self.trace.passages[self.most :]):
            yield Line(f"… {count(more, 'more passage')}")

    def _units(self, passage: Passage) -> Iterator[Line]:
        own = {hit.node.node_id for hit in passage.hits}
        for unit in self.trace.units:
            if unit.node.node_id in own:
                notes = [f"score {unit.score:.3f}", f"lifted {unit.lifted:.3f}", f"taken with {unit.taken_with:.3f}"]
                yield Line(node_line(notes, unit.node.text), below=tuple(_levels(unit)))


def _levels(unit: UnitTrace) -> Iterator[Line]:
    width = max(len(name) for name in unit.levels)
    for name, said in unit.levels.items():
        bar = "█" * round(BAR * max(0.0, said.words)) + "░" * round(BAR * max(0.0, said.meaning) / 2)
        yield Line(f"{name:<{width}}  words {said.words:.3f}, meaning {said.meaning:.3f}  {bar}")
