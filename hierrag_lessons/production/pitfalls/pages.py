"""Pitfall 5: the end of a page divides a section; and the pages joined to one text.

Lesson 25 builds it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import JSON, Document, Span
from hierrag_lessons.production.pitfalls.finding import Finding
from hierrag_lessons.production.pitfalls.tables import spans_of
from hierrag_lessons.reading import page_at
from hierrag_lessons.text.blocks.numbering import numbered_heading

_NUMBERED = re.compile(r"\d+(\.\d+)* [A-Z](?!.*   )[^.!?]{0,80}")  # "3 The meter"; an item of a list looks the same
_SENTENCE_END = re.compile(r"[.!?:。！？：]\s*$")


def detect_page_cuts(document: Document, chunks: Iterable[Located]) -> Finding | None:
    r"""Pitfall 5: the end of a page divides a section, because each page was cut for itself.

    >>> from hierrag_lessons import Node
    >>> text = "1 Rent\nAnn pays the rent on the first\nof each month."
    >>> lease = Document("lease", text, metadata={"pages": [0, 38]})
    >>> pages = [Node(f"{a}", "lease", 1, a, b, text[a:b]) for a, b in ((0, 37), (38, 52))]
    >>> detect_page_cuts(lease, pages).said
    'at 1 of 1 page breaks inside a section no chunk holds both sides'

    A break counts where the next page does not begin with a numbered heading; running heads and feet are looked over.
    It is found where no chunk holds text from both sides. Some of them are always found: a section that is larger than
    a chunk is cut somewhere. So compare with what the same chunker makes of :func:`join_pages`.

    ``figure`` is the share of those breaks; ``where`` the pages, as "page 3 to 4".

    Raises ``ValueError`` for a document without pages (read it with ``read_pdf``), and chunks of another document.
    """
    spans = spans_of(document, chunks)
    bodies = _bodies(document)
    inside = [(a.end, b.start) for a, b in pairwise(bodies) if not _begins_with_heading(document.text, b)]
    cut = [breaks for breaks in inside if not any(a < breaks[0] and breaks[1] < b for a, b in spans)]
    if not cut:
        return None
    said = f"at {len(cut)} of {len(inside)} page breaks inside a section no chunk holds both sides"
    repair = "cut the whole text, not each page: join_pages(document) takes the running heads out; page_at names pages"
    pages = [page_at(document, start) for _, start in cut]
    return Finding(5, said, len(cut) / len(inside), repair, tuple(f"page {page - 1} to {page}" for page in pages))


def join_pages(document: Document) -> Document:
    r"""The document as one text: without running heads and feet, and with no gap where a sentence goes over the page.

    >>> pages = ["Lease\nAnn pays on the first\nPage 1", "Lease\nof each month.\nPage 2"]
    >>> joined = join_pages(Document("lease", "\n\n".join(pages), metadata={"pages": [0, 36]}))
    >>> joined.text, page_at(joined, 25)
    ('Ann pays on the first\nof each month.', 2)

    A first or last line is a running one where more than half of the pages have it, digits aside; of a line in columns
    the first one counts. Offsets change with the text, so do this once, before anything is cut or marked.

    Raises ``ValueError`` for a document without pages; read it with ``read_pdf``.
    """
    checks.instance("document", document, Document)
    texts = [document.text[slice(*body)] for body in _bodies(document)]
    gaps = ["\n\n" if _SENTENCE_END.search(text) else "\n" for text in texts[:-1]]
    starts = list(accumulate((len(text) + len(gap) for text, gap in zip(texts, gaps, strict=False)), initial=0))
    joined = "".join(text + gap for text, gap in zip(texts, [*gaps, ""], strict=True))
    return replace(document, text=joined, metadata={**document.metadata, "pages": list[JSON](starts)})


def _bodies(document: Document) -> list[Span]:
    """What each page holds between its running head and foot."""
    page_at(document, 0)  # refuses a document without pages
    starts: Any = document.metadata["pages"]
    pages = []
    for start, end in pairwise([*starts, len(document.text)]):
        pages.append(Span(start, start + len(document.text[start:end].rstrip())))
    heads = Counter(_key(_first(document.text, page)) for page in pages)
    feet = Counter(_key(_last(document.text, page)) for page in pages)
    bodies = []
    for page in pages:
        head, foot = _first(document.text, page), _last(document.text, page)
        start = page.start + len(head) + 1 if 2 * heads[_key(head)] > len(pages) > 1 else page.start
        end = page.end - len(foot) - 1 if 2 * feet[_key(foot)] > len(pages) > 1 else page.end
        bodies.append(Span(start, end) if start < end else page)
    return bodies


def _first(text: str, span: Span) -> str:
    return text[slice(*span)].partition("\n")[0]


def _last(text: str, span: Span) -> str:
    return text[slice(*span)].rpartition("\n")[2]


def _key(line: str) -> str:
    return re.sub(r"\d+", "#", line.strip().partition("   ")[0])


def _begins_with_heading(text: str, body: Span) -> bool:
    line = _first(text, body).strip()
    return numbered_heading(line) is not None or _NUMBERED.fullmatch(line) is not None
