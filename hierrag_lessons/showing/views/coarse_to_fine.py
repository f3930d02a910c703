"""A coarse-to-fine search, level by level.

Lesson 18 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Evidence, recall
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Hit
from hierrag_lessons.retrievers import LevelTrace, Trace
from hierrag_lessons.showing.views.outline import Line, OutlineView, node_line
from hierrag_lessons.showing.views.view import count
from hierrag_lessons.text import count_tokens


@dataclass(frozen=True, repr=False)
class CoarseToFineView(OutlineView):
    """What each level of a coarse-to-fine search found and kept.

    Of each level the first ``most`` nodes are shown, and with ``gold``, a question's evidence, all that hold some of
    it, marked. Then every level says how much of the gold its kept nodes hold: what one level loses, no level below it
    can find.

    Raises ``ValueError`` for a negative ``most``, and for what is no trace.
    """

    trace: Trace
    gold: Sequence[Located] = ()
    most: int = 5

    def __post_init__(self) -> None:
        checks.instance("trace", self.trace, Trace)
        checks.whole("most", self.most, 0)

    @property
    def caption(self) -> str:
        """The number of levels, the share of the gold that each one keeps, and the number of passages."""
        shares = [f"{_share(step.kept, self.gold):.0%}" for step in self.trace.levels if step.state == "searched"]
        kept = f"gold kept: {' → '.join(shares)}; " if self.gold else ""
        passages = f"{count(len(self.trace.passages), 'passage')} of level {self.trace.output_level}"
        return f"{count(len(self.trace.levels), 'level')}; {kept}{passages}"

    def lines(self) -> Iterator[Line]:
        """One line a level, and below it one line a node."""
        for number, step in enumerate(self.trace.levels, start=1):
            share = f"; {_share(step.kept, self.gold):.0%} of the gold" if self.gold and step.kept else ""
            yield Line(f"{number}. {step}{share}", below=tuple(self._nodes(step)))

    def _nodes(self, step: LevelTrace) -> Iterator[Line]:
        """A line for each node that is shown, and one for each run that is not."""
        held = [_share([hit], self.gold) for hit in step.found]
        shown = [rank < self.most or share > 0 for rank, share in enumerate(held)]
        for is_shown, run in groupby(range(len(held)), shown.__getitem__):
            ranks = list(run)
            if is_shown:
                yield from (self._node(step, rank, held[rank]) for rank in ranks)
            else:
                yield Line(f"… {count(len(ranks), 'more node')}")

    def _node(self, step: LevelTrace, rank: int, share: float) -> Line:
        hit = step.found[rank]
        node = hit.node
        state = "kept" if rank < len(step.kept) else "below the threshold"
        place = f"{rank + 1}. {node.doc_id}:{node.start}-{node.end}: {state}"
        notes = [place, f"score {hit.score:.3f}", count(count_tokens(node.text), "token")]
        if share:
            notes.append(f"{share:.0%} OF THE GOLD")
        text = f"{node.context}: {node.text}" if node.context else node.text
        return Line(node_line(notes, text), marked=share > 0)


def _share(hits: Sequence[Hit], gold: Sequence[Located]) -> float:
    """The share of the gold in the spans that the nodes stand for; 0 where there is no gold."""
    spans = [Evidence(hit.doc_id, start, end) for hit in hits for start, end in hit.node.spans]
    return recall(spans, gold) if gold else 0.0
