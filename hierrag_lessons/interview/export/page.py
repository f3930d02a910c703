"""All questions as one HTML page: answers folded on a screen, on pages of their own when printed.

Lesson 26 uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hierrag_lessons import checks
from hierrag_lessons.interview.choosing import Deck
from hierrag_lessons.interview.items import CodeReview, InterviewItem
from hierrag_lessons.interview.marking import points_of
from hierrag_lessons.text.invisible import visible

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; }
article { border-top: 1px solid #8888; padding: 0.8rem 0; break-inside: avoid; }
small { opacity: 0.75; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.85em; }
.said { white-space: pre-line; }
summary { cursor: pointer; }
.answers { display: none; }
@media print {
  body { font-size: 10.5pt; max-width: none; margin: 0; }
  details { display: none; }
  .answers { display: block; break-before: page; columns: 2; font-size: 8.5pt; line-height: 1.35; }
  .answers article { break-inside: auto; }
}
"""


def printable_page(items: Iterable[InterviewItem], title: str = "Interview questions") -> str:
    """One HTML page that needs no network. "Print" makes a PDF of it, with the questions first and the answers behind.

    >>> from hierrag_lessons import InterviewQuestion, RubricPoint
    >>> rubric = (RubricPoint("at equal tokens"),)
    >>> ask = InterviewQuestion("q-1", "senior", "evaluation", "Is <b> better?", rubric, "Count the tokens.")
    >>> page = printable_page([ask])
    >>> page.count("Is &lt;b&gt; better?"), "<b>" in page
    (1, False)

    Parameters
    ----------
    items:
        What is printed, in its order, under its topics.
    title:
        The heading.

    Raises ``ValueError`` where ``items`` holds no card, or anything else.
    """
    checks.text("title", title)
    cards = Deck(items).cards
    topics = list(dict.fromkeys(card.topic for card in cards))
    asked, answered = [], []
    for topic in topics:
        own = [card for card in cards if card.topic == topic]
        asked += [f"<h2>{escaped(topic.capitalize())}</h2>", *map(_question, own)]
        answered += [f"<h2>{escaped(topic.capitalize())}</h2>", *map(_printed, own)]
    name = escaped(title)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{name}</title><style>{_STYLE}</style></head><body>',
            f"<h1>{name}</h1><p>{len(cards)} to ask. Say your answer aloud, then unfold the rubric.</p>",
            *asked,
            f'<section class="answers"><h1>{name}: answers</h1>',
            *answered,
            "</section></body></html>\n",
        ]
    )


def _question(card: InterviewItem) -> str:
    label = f"{card.id} · {card.level}"
    return (
        f"<article><small>{escaped(label)}</small>{_text(card.prompt, card)}"
        f"<details><summary>Rubric and answer</summary>{_answer(card)}</details></article>"
    )


def _printed(card: InterviewItem) -> str:
    return f"<article><small>{escaped(card.id)}</small>{_answer(card)}</article>"


def _answer(card: InterviewItem) -> str:
    points = "".join(f"<li>{escaped(line.partition('. ')[2])}</li>" for line in points_of(card))
    return f"<ol>{points}</ol>{_text(card.expected, card)}"


def _text(text: str, card: InterviewItem) -> str:
    return f"<pre>{escaped(text)}</pre>" if isinstance(card, CodeReview) else f'<div class="said">{escaped(text)}</div>'


def escaped(text: str) -> str:
    """Escape a card's text for HTML, with line feeds for other line ends and a number for what cannot be seen."""
    return escape(visible(text.replace("\r\n", "\n").replace("\r", "\n")))
