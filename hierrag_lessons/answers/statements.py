"""Statements that people have labelled, and how far a judge agrees with them.

Lesson 23 builds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Quote
from hierrag_lessons.answers.faithfulness import Support
from hierrag_lessons.evaluation import bootstrap_interval
from hierrag_lessons.evaluation.intervals import Interval
from hierrag_lessons.evaluation.loading import locate
from hierrag_lessons.evaluation.tables import Cell, Table
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading import DATA_DIR, load_corpus
from hierrag_lessons.reading.jsonl import get_field, read_lines

_FILE = DATA_DIR / "answers" / "statements.jsonl"
_RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A statement, what it quotes, and what a person says of the two.

    ``fault`` names what is wrong where the label is not ``"supported"``: wrong number, wrong subject, wrong time,
    negated, condition dropped, invented addition, other place.
    """

    id: str
    statement: str
    quote: Quote
    label: Support
    fault: str = ""
    language: Language = "en"


def load_statements(documents: Iterable[Document] | None = None) -> list[LabelledStatement]:
    """The 60 statements of ``data/answers/statements.jsonl``, each with its quote found in the course's texts.

    >>> statements = load_statements()
    >>> len(statements), statements[1].label, statements[1].fault
    (60, 'not_supported', 'wrong time')

    They were written and labelled one by one, once, with no second reader, so some labels are open to dispute.

    Parameters
    ----------
    documents:
        Where the quotes are looked up; the course's core texts by default.

    Raises ``ValueError`` with file and line where a line is damaged, or its quote is not found exactly once.
    """
    given = (
        [*load_corpus("en"), *load_corpus("zh")] if documents is None else checks.each("documents", documents, Document)
    )
    by_id = {document.doc_id: document for document in given}
    found: list[LabelledStatement] = []
    for number, fields in read_lines(_FILE):
        try:
            place = locate(fields, by_id)
            document = by_id[place.doc_id]
            label = get_field(fields, "label", str)
            checks.one_of("label", label, Support)
            quote = Quote(place.doc_id, place.start, place.end, document.text[place.start : place.end])
            statement, fault = get_field(fields, "statement", str), get_field(fields, "fault", str)
            name = get_field(fields, "id", str)
            found.append(LabelledStatement(name, statement, quote, cast("Support", label), fault, document.language))
        except ValueError as error:
            raise ValueError(f"{_FILE.name}, line {number}: {error}") from None
    return found


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two who judge the same things agree.

    Attributes
    ----------
    n:
        How many things were judged.
    share, share_interval:
        The share on which both say the same, with its 95 % bootstrap interval.
    kappa, kappa_interval:
        Cohen's kappa and its interval: 1 where they always agree, 0 where they agree as often as two who throw dice
        with the same frequencies would.
    table:
        A row for each label, with how often it got which verdict.
    """

    n: int
    share: float
    share_interval: Interval
    kappa: float
    kappa_interval: Interval
    table: Table


def agreement(labels: Sequence[str], verdicts: Sequence[str], seed: int = 0) -> Agreement:
    """How far a judge's verdicts agree with people's labels (Cohen, "A coefficient of agreement", 1960).

    >>> found = agreement(["yes"] * 8 + ["no"] * 2, ["yes"] * 10)
    >>> found.share, found.kappa
    (0.8, 0.0)

    A judge who says yes to everything agrees in 80 % of these cases, and has judged nothing: kappa sees it. The
    intervals are percentile bootstrap intervals over the things judged.

    Parameters
    ----------
    labels, verdicts:
        One word for each thing, in the same order.
    seed:
        Of the bootstrap.

    Raises ``ValueError`` where there are none, or their numbers differ.
    """
    right, said = checks.texts("labels", labels), checks.texts("verdicts", verdicts)
    checks.whole("seed", seed, 0)
    if len(right) != len(said) or not right:
        raise ValueError(f"labels has {len(right)} and verdicts {len(said)}; give one verdict for each label")
    names = _ordered({*right, *said})
    rows = np.array([[names.index(label), names.index(verdict)] for label, verdict in zip(right, said, strict=True)])
    drawn = np.random.default_rng(seed).integers(0, len(rows), (_RESAMPLES, len(rows)))
    kappas = _kappas(rows[drawn], len(names))
    low, high = np.quantile(kappas, [0.025, 0.975])
    same = [float(label == verdict) for label, verdict in zip(right, said, strict=True)]
    counts = Counter(zip(right, said, strict=True))
    lines: list[tuple[Cell, ...]] = [(label, *(counts[label, name] for name in names)) for label in names]
    return Agreement(
        n=len(rows),
        share=sum(same) / len(same),
        share_interval=bootstrap_interval(same, seed=seed),
        kappa=float(_kappas(rows[None], len(names))[0]),
        kappa_interval=Interval(float(low), float(high)),
        table=Table(("label", *names), tuple(lines), "labels in rows, verdicts in columns"),
    )


def _kappas(pairs: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """Cohen's kappa of each sample, shape ``(samples, n, 2)``; 0 where chance alone would always agree."""
    same = (pairs[..., 0] == pairs[..., 1]).mean(axis=1)
    shares = [[(pairs[..., who] == name).mean(axis=1) for name in range(classes)] for who in (0, 1)]
    chance = np.sum([a * b for a, b in zip(*shares, strict=True)], axis=0)
    kappas: NDArray[np.float64] = np.divide(
        same - chance, 1 - chance, out=np.zeros(len(same)), where=chance < 1 - 1e-12
    )
    return np.round(kappas, 9)


def _ordered(names: set[str]) -> list[str]:
    """The words of this room in their own order, others by the alphabet."""
    own = [name for name in get_args(Support) if name in names]
    return own + sorted(names - set(own))
