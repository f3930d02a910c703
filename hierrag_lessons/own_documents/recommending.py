"""From measured methods to one recommendation, or to the number of questions that would allow one.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from statistics import fmean

from hierrag_lessons import checks
from hierrag_lessons.evaluation import Result, verdicts
from hierrag_lessons.own_documents.choosing import ENOUGH_FOR_HALVES, Choosing
from hierrag_lessons.own_documents.leads import question_means
from hierrag_lessons.own_documents.recommendation import Recommendation

EASY, HARD = 0.98, 0.02
"""Where every method finds at least, or at most, as much, the questions tell no method from another."""

_A_THIRD = 3


def recommend(
    results: Mapping[str, Result],
    efforts: Mapping[str, int],
    *,
    silver: bool = False,
    never: Collection[str] = (),
    tokens: int | None = None,
) -> Recommendation:
    """Choose a method by its mean recall over the budgets; the first of ``results`` is the yardstick.

    From 100 questions on, one half of them, by a hash of their ids, chooses the best method, or a simpler one that is
    as good there. The other half judges it: it is recommended where it is ahead of the yardstick there. With fewer
    questions all choose and judge, p-values are adjusted after Holm, and with fewer than 30 nothing is decided. A
    simpler method, the yardstick or one that is ahead of it as well, is preferred where it is by its interval at most
    0.05 behind the best. Where a difference of 0.05 can be ruled out, it is the yardstick. Otherwise it cannot be told,
    and it is estimated from the spread of the differences how many questions would show the one that was found, taken
    as 0.05 at most and half of that at least: four times as many questions show half the difference.

    Nothing is decided where every method finds nearly all or nearly nothing, or where all documents fit into the
    largest budget, which the text then says first.

    Parameters
    ----------
    results:
        By name, the yardstick first, on the same questions and budgets; two methods at least.
    efforts:
        For each name how much it asks of those who run it, 0 for one flat index; ties are settled by recall.
    silver:
        Whether a program has made all questions. Such questions favour methods that return single sentences, so they
        give a first look, and decide nothing.
    never:
        Methods that are compared and not recommended, because the questions cannot judge them.
    tokens:
        Of all documents, where known.

    Raises ``ValueError`` as :func:`~hierrag_lessons.evaluation.verdicts` does, for fewer than two questions, where a
    method has no effort or the first one's is not 0, and where ``never`` leaves none beside it.
    """
    checks.instance("efforts", efforts, Mapping)
    checks.instance("never", never, Collection)
    checks.instance("silver", silver, bool)
    if tokens is not None:
        checks.whole("tokens", tokens, 0)
    rows = verdicts(results).records()
    first = next(iter(results))
    if missing := results.keys() - efforts.keys():
        raise ValueError(f"efforts has none of {sorted(missing)}; give a number for every method")
    if efforts[first]:
        raise ValueError(f"efforts[{first!r}] is {efforts[first]}; give 0, or another method first")
    if results.keys() - set(never) <= {first}:
        raise ValueError(f"never is {sorted(never)}, all beside the first method; leave one or more to recommend")
    scores = {name: question_means(result) for name, result in results.items()}
    p_values = {str(row["method"]): float(row["p"] or 0) for row in rows[1:]}
    judged = {name: own for name, own in scores.items() if name == first or name not in never}
    choosing = Choosing(judged, efforts, p_values, silver)
    means = [fmean(own.values()) for own in scores.values()]
    if min(means) >= EASY or max(means) <= HARD:
        found = choosing.in_vain(easy=min(means) >= EASY)
    elif silver:
        found = choosing.first_look()
    elif len(scores[first]) < ENOUGH_FOR_HALVES:
        found = choosing.on_all()
    else:
        found = choosing.on_halves()
    return found if tokens is None else _with_room(found, tokens, max(results[first].budgets))


def _with_room(found: Recommendation, tokens: int, budget: int) -> Recommendation:
    """The recommendation with a warning where much of the documents, or all, fits into the largest context."""
    if tokens <= budget:
        said = (
            f"Your documents have {tokens:,} tokens, and the largest context {budget:,}: put all of them into the "
            "prompt, you need no retrieval. For the day when they are more:"
        )
        return replace(found, decided=False, text=f"{said} {found.text}")
    if tokens <= _A_THIRD * budget:
        said = (
            f"A context of {budget:,} tokens holds a third or more of your documents, which have {tokens:,}. Try "
            "all of them in the prompt, or compare at a smaller budget."
        )
        return replace(found, text=f"{found.text} {said}")
    return found
