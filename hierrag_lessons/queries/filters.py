"""From what a question names to a filter on an index.

Lesson 21 builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Where, both
from hierrag_lessons.queries.contents import contents_of
from hierrag_lessons.queries.places import NamedPlace
from hierrag_lessons.store import Index

_WORD = regex.compile(r"[\p{L}\p{N}]+(?:\.[0-9]+)*")


def to_filter(places: Sequence[NamedPlace], index: Index, where: Where | None = None) -> Where | None:
    """A filter for the years, editions and speakers among the places, beside ``where``; None where none of them fits.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy, find_places
    >>> from hierrag_lessons import temporary_index
    >>> texts = [Document(f"report {year}", "It rained.", metadata={"year": year}) for year in (2023, 2024)]
    >>> trees = [build_hierarchy(text, [SentenceChunker(12)]) for text in texts]
    >>> with temporary_index(trees, embedder=CharNgramEmbedder(), columns={"year": int}) as index:
    ...     [to_filter(find_places(question), index) for question in ("Rain in 2024?", "Rain in 1999?")]
    [{'year': [2024]}, None]

    The values are those of the index, never words of the question: a year, an edition or a speaker that no document has
    is left out, and so is a field that would leave nothing inside together with those before it: first the editions,
    then the years, then the speakers. ``7.4.3`` fits the edition 7.4 where there is no closer one; ``4.2`` does not fit
    "Edition 4", which is another product's count. The columns ``year``, ``edition`` and ``speakers`` or ``speaker`` are
    used where the index declares them. Several values of one field fit as any of them.

    Raises ``ValueError`` for what is no list of places, and a filter on an unknown field.
    """
    named = checks.each("places", places, NamedPlace)
    checks.able("index", index, "snapshot")
    index.check_where(where)
    contents = contents_of(index)
    chosen: dict[str, Any] = {}
    for column, values in _wanted(named, contents.values):
        tried: dict[str, Any] = {**chosen, column: values}
        if index.doc_ids(both(where, tried)):
            chosen = tried
    return chosen or None


def _wanted(
    places: Sequence[NamedPlace], values_of: Callable[[str], Sequence[JSON]]
) -> Iterator[tuple[str, list[JSON]]]:
    """For each column the values of the index that the places mean."""
    for kind, columns, fit in (
        ("edition", ("edition",), _edition_fits),
        ("year", ("year",), _year_fits),
        ("speaker", ("speakers", "speaker"), _speaker_fits),
    ):
        asked = [place.value for place in places if place.kind == kind]
        for column in columns:
            known = values_of(column) if asked else []
            found = dict.fromkeys(value for name in asked for value in fit(name, known))
            if found:
                yield column, list(found)
                break


def _year_fits(name: str, known: Sequence[JSON]) -> list[JSON]:
    return [value for value in known if str(value) == name]


def _edition_fits(name: str, known: Sequence[JSON]) -> list[JSON]:
    """The editions with this number among their words; without any, those with a shorter one, of two parts or more."""
    number = name.lower().removeprefix("v")
    while True:
        found = [value for value in known if number in _words(value)]
        if found or number.count(".") < 2:
            return found
        number = number.rpartition(".")[0]


def _speaker_fits(name: str, known: Sequence[JSON]) -> list[JSON]:
    """The speakers whose names have all these words."""
    asked = set(_words(name))
    return [value for value in known if asked and asked <= set(_words(value))]


def _words(value: JSON) -> list[str]:
    return [word.removeprefix("v") if word[1:2].isdigit() else word for word in _WORD.findall(str(value).lower())]
