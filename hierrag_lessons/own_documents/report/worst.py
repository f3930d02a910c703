"""The questions that went worst: what was found, and where the evidence stands.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

import regex

from hierrag_lessons.evaluation import Evidence, Row
from hierrag_lessons.evaluation.metrics import ENOUGH
from hierrag_lessons.model import Document, Span
from hierrag_lessons.own_documents.compare import Comparison
from hierrag_lessons.own_documents.report.elements import escaped, folded, paragraph
from hierrag_lessons.reading import page_at
from hierrag_lessons.showing import PassageView
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.flow import marked_text
from hierrag_lessons.text import snap

SHOWN = 5
"""Questions."""

_NAMED = 5  # methods
_PASSAGES = 3
_LONG = 800  # characters of evidence that are shown without a fold
_AROUND = 200  # characters on each side of the evidence


def worst_questions(comparison: Comparison) -> str:
    """The questions with the lowest recall under the recommended method, at the largest budget, as HTML.

    Among equals the one with the lowest mean over all budgets comes first. A question whose evidence is complete there
    is none of them.
    """
    method, most = comparison.recommendation.method, comparison.budgets[-1]
    result = comparison.results[method]
    means = {
        question.id: fmean(result.scores("recall", budget)[question.id] for budget in comparison.budgets)
        for question in comparison.asked
    }
    rows = [row for row in result.rows if row.budget == most]
    rows.sort(key=lambda row: (row.metrics["recall"], means[row.question.id], row.question.id))
    worst = [row for row in rows if row.metrics["recall"] < ENOUGH]
    texts = {document.doc_id: document for document in comparison.documents}
    if not worst:
        said = f"None: with {most:,} tokens {method!r} finds the evidence of all {len(rows)} questions."
        return f"<h2>Worst questions</h2>{paragraph(said)}"
    said = (
        f"With {method!r} and {most:,} tokens the evidence of {len(worst)} of {len(rows)} questions is not complete. "
        "The lowest, with the evidence in ⟦brackets⟧:"
    )
    cards = (_card(comparison, row, texts) for row in worst[:SHOWN])
    return f"<h2>Worst questions</h2>{paragraph(said)}{''.join(cards)}"


def _card(comparison: Comparison, row: Row, documents: Mapping[str, Document]) -> str:
    found_by = [
        name
        for name, result in comparison.results.items()
        if result.scores("recall", row.budget)[row.question.id] >= ENOUGH
    ]
    if len(found_by) > _NAMED:
        told = f"{len(found_by)} of {len(comparison.results)} methods find it completely"
    else:
        told = f"Found completely by: {'; '.join(found_by)}" if found_by else "No method finds it completely"
    evidence = "".join(_evidence(piece, documents) for piece in row.question.evidence)
    passages = PassageView(row.passages[:_PASSAGES], row.question.evidence).body_html()
    first = f"The first {min(_PASSAGES, len(row.passages))} of {len(row.passages)} passages"
    return (
        f'<div class="card"><strong>{escaped(row.question.question)}</strong>'
        + paragraph(f"{row.question.id}. Recall {_recalls(comparison, row)}. {told}.", "soft")
        + evidence
        + folded(first, passages)
        + "</div>"
    )


def _recalls(comparison: Comparison, row: Row) -> str:
    """``0.00 with 250, 0.50 with 500 tokens``."""
    result, key = comparison.results[comparison.recommendation.method], row.question.id
    found = ((result.scores("recall", budget)[key], budget) for budget in comparison.budgets)
    return ", ".join(f"{recall:.2f} with {budget:,}" for recall, budget in found) + " tokens"


def _evidence(piece: Evidence, documents: Mapping[str, Document]) -> str:
    """The evidence with what stands around it, and its page where there are pages."""
    document = documents.get(piece.doc_id)
    if document is None:  # it is in another language than the question
        return paragraph(f"The evidence stands in {piece.doc_id}, which is in another language than the question.")
    start, end = _around(document.text, piece.span)
    page = f", page {page_at(document, piece.start)}" if document.metadata.get("pages") else ""
    marked = marked_text(document.text[start:end], [Span(piece.start - start, piece.end - start)])
    place, shown = f"{piece.doc_id}:{piece.start}-{piece.end}{page}", markup.card(marked)
    size = piece.end - piece.start
    return folded(f"{place}, {size:,} characters", shown) if size > _LONG else paragraph(place, "soft") + shown


def _around(text: str, span: Span) -> Span:
    """The span with some of the text on both sides, from a whole word to a whole word where there are spaces."""
    start, end = snap(text, max(0, span.start - _AROUND)), snap(text, min(len(text), span.end + _AROUND))
    if start and (gap := regex.search(r"\s+", text, pos=start, endpos=span.start)):
        start = gap.end()
    if end < len(text) and (gap := regex.search(r"\s+", text, regex.REVERSE, pos=span.end, endpos=end)):
        end = gap.start()
    return Span(start, end)
