"""Refusing by scores: what they can see, which is a subject far away, and what not, which is a near miss.

Lesson 24 uses it.

A question about a subject far away shares few words with any passage, so its best score is low. One that a text like
these would answer, were it in the index, mostly passes. A near miss asks for what the texts could say and do not: the
price of a product of which there is only a manual. Its scores are as high as those of any question with an answer, so
somebody has to read the passages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hierrag_lessons import checks
from hierrag_lessons.answers.answer import Answer, Answerer
from hierrag_lessons.model import Language, Passage
from hierrag_lessons.text import terms

_NEXT = 5
_REASON = "The texts that were found do not seem to be about this question."


class RefusalFeatures(NamedTuple):
    """What a rule sees of a question and its context.

    Attributes
    ----------
    best:
        The score of the first passage, on the retriever's own scale.
    gap:
        How far it is above the mean of the next five; 0 where there is no other.
    covered:
        The share of the question's words that the context has, headings included.
    """

    best: float
    gap: float
    covered: float


def refusal_features(question: str, passages: Sequence[Passage], language: Language = "en") -> RefusalFeatures:
    """What a rule sees of a question and its context, best passage first.

    >>> context = [Passage("d", 0, 9, "Dogs run.", score=0.9), Passage("d", 9, 20, " Cats sleep", score=0.5)]
    >>> refusal_features("Do dogs sleep in trees?", context)
    RefusalFeatures(best=0.9, gap=0.4, covered=0.6666666666666666)

    An empty context has 0 of all. Raises ``ValueError`` for what is no text and what are no passages.
    """
    checks.text("question", question)
    wanted = set(terms(question, language))
    given = checks.each("passages", passages, Passage)
    if not given:
        return RefusalFeatures(0.0, 0.0, 0.0)
    known = {term for passage in given for term in terms(f"{passage.context}\n{passage.text}", language)}
    scores = sorted((passage.score for passage in given), reverse=True)
    others = scores[1 : 1 + _NEXT]
    gap = scores[0] - sum(others) / len(others) if others else 0.0
    return RefusalFeatures(scores[0], gap, len(wanted & known) / len(wanted) if wanted else 0.0)


@dataclass(frozen=True)
class RefusalRule:
    """A logistic regression on :class:`RefusalFeatures`, made by :func:`fit_refusal`.

    It holds for the retriever, the texts and the budget that it was fitted on: scores of others have another scale.

    Attributes
    ----------
    weights, bias:
        Of the features as they are.
    threshold:
        A :meth:`probability` below this is refused.
    """

    weights: RefusalFeatures
    bias: float
    threshold: float

    def probability(self, features: RefusalFeatures) -> float:
        """How probable it is that the context answers, 0 to 1, as often as not in the sample that was fitted on."""
        total = self.bias + sum(weight * value for weight, value in zip(self.weights, features, strict=True))
        return 0.5 * (1 + math.tanh(total / 2))  # the logistic function, without an overflow

    def refuses(self, features: RefusalFeatures) -> bool:
        """Whether a question with these features is refused."""
        return self.probability(features) < self.threshold


def fit_refusal(features: Sequence[RefusalFeatures], answerable: Sequence[bool], wrongly: float = 0.05) -> RefusalRule:
    """The rule that separates answerable questions from others best, and refuses few of the answerable ones.

    >>> weak, strong = RefusalFeatures(0.2, 0.0, 0.3), RefusalFeatures(0.9, 0.2, 0.9)
    >>> rule = fit_refusal([weak, strong] * 5, [False, True] * 5)
    >>> rule.refuses(weak), rule.refuses(strong)
    (True, False)

    Parameters
    ----------
    features:
        One for each question, ``n`` of them.
    answerable:
        Whether the texts answer it, ``n`` values.
    wrongly:
        The share of the answerable questions of this sample that may be refused; it sets the threshold. On new
        questions it is a little more, see :func:`cross_validated`.

    Both classes weigh the same, however many questions they have. Raises ``ValueError`` for lengths that differ, a
    sample of one class, and a share outside 0 to 1.
    """
    table, wanted = _sample(features, answerable)
    checks.share("wrongly", wrongly)
    from sklearn.linear_model import LogisticRegression

    means, spreads = table.mean(axis=0), table.std(axis=0)
    spreads[spreads == 0] = 1.0
    model = LogisticRegression(class_weight="balanced").fit((table - means) / spreads, wanted)
    weights = model.coef_[0] / spreads
    # Rounded, since a machine may differ from the next one in the last bits.
    rounded = RefusalFeatures(*(round(float(weight), 6) for weight in weights))
    rule = RefusalRule(rounded, round(float(model.intercept_[0] - weights @ means), 6), 0.0)
    good = sorted(rule.probability(RefusalFeatures(*row)) for row in table[wanted])
    return replace(rule, threshold=good[int(wrongly * (len(good) - 1))])


def cross_validated(
    features: Sequence[RefusalFeatures],
    answerable: Sequence[bool],
    wrongly: float = 0.05,
    folds: int = 5,
    seed: int = 0,
) -> list[bool]:
    """Whether each question is refused by a rule that was fitted without it.

    The questions of each class are dealt out to ``folds`` parts in a seeded order; each part is judged by the rule that
    :func:`fit_refusal` makes of the others. Raises ``ValueError`` as it does, and for more folds than a class has
    questions.
    """
    table, wanted = _sample(features, answerable)
    checks.whole("folds", folds, 2)
    checks.whole("seed", seed, 0)
    fewest = min(int(wanted.sum()), int((~wanted).sum()))
    if fewest < folds:
        raise ValueError(f"folds is {folds} and one class has {fewest} questions; give at most as many folds")
    rng = np.random.default_rng(seed)
    part = np.zeros(len(wanted), dtype=int)
    for own in (np.flatnonzero(wanted), np.flatnonzero(~wanted)):
        part[rng.permutation(own)] = np.arange(len(own)) % folds
    rows = [RefusalFeatures(*map(float, row)) for row in table]
    rules = []
    for fold in range(folds):
        kept = [place for place in range(len(rows)) if part[place] != fold]
        rules.append(fit_refusal([rows[place] for place in kept], [bool(wanted[place]) for place in kept], wrongly))
    return [rules[fold].refuses(row) for fold, row in zip(part, rows, strict=True)]


@dataclass(frozen=True)
class RefusingAnswerer:
    """An answerer that a rule can keep from answering.

    Parameters
    ----------
    answerer:
        Asked where the rule does not refuse.
    rule:
        Fitted on contexts of the same retriever, texts and budget.
    language:
        That of the questions.

    Raises ``ValueError`` when made with what cannot answer, and what is no rule.
    """

    answerer: Answerer
    rule: RefusalRule
    language: Language = "en"

    def __post_init__(self) -> None:
        checks.able("answerer", self.answerer, "answer")
        checks.instance("rule", self.rule, RefusalRule)
        checks.one_of("language", self.language, Language)

    def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """See :class:`~hierrag_lessons.answers.Answerer`."""
        if self.rule.refuses(refusal_features(question, passages, self.language)):
            return Answer(question, refused=True, reason=_REASON, by="rule")
        return self.answerer.answer(question, passages)


def _sample(
    features: Sequence[RefusalFeatures], answerable: Sequence[bool]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The sample as arrays, shapes ``(n, 3)`` and ``(n,)``."""
    rows = checks.each("features", features, RefusalFeatures)
    wanted = np.array(checks.each("answerable", answerable, bool), dtype=bool)
    if len(rows) != len(wanted):
        raise ValueError(f"features has {len(rows)} and answerable {len(wanted)}; give one for each question")
    if wanted.all() or not wanted.any():
        raise ValueError("answerable has one value for all questions; give questions of both kinds")
    return np.array(rows, dtype=np.float64), wanted
