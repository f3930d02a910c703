"""Summaries that are written once: the same children have the same summary.

Lesson 16 builds it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Node, Span
from hierrag_lessons.spans import merge
from hierrag_lessons.summaries.protocol import Summariser, Summary, check_children


@dataclass(frozen=True)
class CachedSummariser:
    """Any summariser, with its answers kept; only children whose texts are new to it are summed up.

    A summary is found again by the summariser and its settings (its ``repr``), ``max_tokens``, the children's texts and
    contexts and the texts of their spans. What it cites is kept relative to these spans, so that it holds where the
    same text stands elsewhere in a changed document, or in another document.

    Parameters
    ----------
    summariser:
        What is asked for the summaries that are not there yet.
    kept:
        Where they are kept, key to JSON; a dictionary where not given. ``shelve.open(path)`` keeps them on disk.

    Raises
    ------
    ValueError
        When made with what cannot summarise, or with no place to keep the answers.
    """

    summariser: Summariser
    kept: MutableMapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        checks.able("summariser", self.summariser, "summarise")
        checks.instance("kept", self.kept, MutableMapping)

    @property
    def name(self) -> str:
        """The name of the summariser inside: a kept summary is the same summary."""
        return self.summariser.name

    def summarise(self, document: Document, nodes: Sequence[Node], max_tokens: int) -> Summary:
        """See :class:`~hierrag_lessons.summaries.Summariser`; raises what the summariser inside raises."""
        check_children(document, nodes, max_tokens)
        spans = merge(span for node in nodes for span in node.spans)
        read = [document.text[start:end] for start, end in spans]
        told = [[node.context, node.text] for node in nodes]
        parts = [repr(self.summariser), max_tokens, document.language, document.kind, told, read]
        key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        if key in self.kept:
            found = json.loads(self.kept[key])
            return Summary(found["text"], tuple(_absolute(spans, *cite) for cite in found["cites"]))
        summary = self.summariser.summarise(document, nodes, max_tokens)
        cites = [_relative(spans, cite) for cite in summary.cites]
        if None not in cites:  # What is cited outside the children cannot be found again.
            self.kept[key] = json.dumps({"text": summary.text, "cites": cites})
        return summary


def _relative(spans: Sequence[Span], cite: Span) -> tuple[int, int] | None:
    """A span as offsets in all the spans put together; ``None`` where it lies in none of them."""
    befores = accumulate((end - start for start, end in spans), initial=0)
    for span, before in zip(spans, befores, strict=False):
        if span.start <= cite.start and cite.end <= span.end:
            return before + cite.start - span.start, before + cite.end - span.start
    return None


def _absolute(spans: Sequence[Span], first: int, last: int) -> Span:
    """The span with these offsets in all the spans put together."""
    befores = accumulate((end - start for start, end in spans), initial=0)
    for span, before in zip(spans, befores, strict=False):
        if before <= first and last <= before + span.end - span.start:
            return Span(span.start + first - before, span.start + last - before)
    raise ValueError(f"{first}-{last} is no part of a child; the kept summaries belong to another version")
