"""Exercise 24.1, five passages each are no comparison: what is added up wrongly, and what is said to it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile, zip_longest
from statistics import fmean, median

from hierrag_lessons.exercises.exercise import Mistake
from hierrag_lessons.exercises.lesson24.equal_context import Log, Ranking, fair_table


def table(logs: dict[str, Log], choose: Callable[[Log], int]) -> dict[str, tuple[int, float]]:
    """The table when each method's k is chosen so."""
    return {method: at(log, choose(log)) for method, log in logs.items()}


def at(log: Log, k: int) -> tuple[int, float]:
    """The method's line in the table: k, and the mean recall at it."""
    return k, sum(share for ranking in log for _, share in ranking[:k]) / len(log)


def changed(logs: dict[str, Log], budget: int, change: Callable[[int, Log], int]) -> dict[str, tuple[int, float]]:
    """The right table, and then each k is changed."""
    return {method: at(logs[method], change(k, logs[method])) for method, (k, _) in fair_table(logs, budget).items()}


def tokens_of(ranking: Ranking, k: int) -> int:
    """The tokens of a question's context."""
    return sum(tokens for tokens, _ in ranking[:k])


def largest(log: Log, fits: Callable[[int], bool]) -> int:
    """The largest k that fits; 0 where none does."""
    return max((k for k in range(max(map(len, log)) + 1) if fits(k)), default=0)


def _places(log: Log) -> list[tuple[int, float]]:
    """The tokens and the share at each place of the rankings, all questions together."""
    columns = zip_longest(*log, fillvalue=(0, 0.0))
    return [(sum(tokens for tokens, _ in column), sum(share for _, share in column)) for column in columns]


def _sum_of_questions(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return table(logs, lambda log: largest(log, lambda k: sum(tokens_of(each, k) for each in log) <= budget))


def _median_context(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return table(logs, lambda log: largest(log, lambda k: median(tokens_of(each, k) for each in log) <= budget))


def _mean_over_passages(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    found = {}
    for method, (k, _) in fair_table(logs, budget).items():
        shares = [share for ranking in logs[method] for _, share in ranking[:k]]
        found[method] = (k, sum(shares) / max(1, len(shares)))
    return found


def _sum_of_recall(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return {method: (k, recall * len(logs[method])) for method, (k, recall) in fair_table(logs, budget).items()}


def _cuts_the_last(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """Each question is filled up to the budget; of the last passage a part is taken, and that part of its share."""
    found = {}
    for method, log in logs.items():
        counts, recall = [], 0.0
        for ranking in log:
            left, count = budget, 0
            for tokens, share in ranking:
                if left <= 0:
                    break
                recall += share * min(1, left / tokens)
                left, count = left - tokens, count + 1
            counts.append(count)
        found[method] = (max(counts), recall / len(log))
    return found


def _each_its_own_k(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    found = {}
    for method, log in logs.items():
        own = [max(k for k in range(len(each) + 1) if tokens_of(each, k) <= budget) for each in log]
        recall = fmean(sum(share for _, share in each[:k]) for each, k in zip(log, own, strict=True))
        found[method] = (max(own), recall)
    return found


def _carried_over(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """What the methods before have used is not given back."""
    found, used = {}, 0.0
    for method, log in logs.items():
        k = 0
        for tokens, _ in _places(log):
            if used + tokens / len(log) > budget:
                break
            used, k = used + tokens / len(log), k + 1
        found[method] = at(log, k)
    return found


def _nothing_spent(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """Each passage is compared with the whole budget."""
    return table(logs, lambda log: len(list(takewhile(lambda place: place[0] <= budget * len(log), _places(log)))))


def _skips_what_does_not_fit(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    found = {}
    for method, log in logs.items():
        used, taken = 0, []
        for tokens, share in _places(log):
            if used + tokens <= budget * len(log):
                used += tokens
                taken.append(share)
        found[method] = (len(taken), sum(taken) / len(log))
    return found


def _full_lists_alone(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def fits(log: Log, k: int) -> bool:
        return fmean(tokens_of(each, k) for each in log if len(each) >= k) <= budget

    return table(logs, lambda log: largest(log, lambda k: fits(log, k)))


def _share_complete(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    found = {}
    for method, (k, _) in fair_table(logs, budget).items():
        held = [sum(share for _, share in ranking[:k]) > 1 - 1e-9 for ranking in logs[method]]
        found[method] = (k, fmean(held))
    return found


WRONGLY_SUMMED = (
    Mistake(_sum_of_questions, "You compared the tokens of all questions together with the budget of one."),
    Mistake(
        _median_context,
        "You asked that the median context fits. The bill is paid for the mean: a few long contexts count in full.",
    ),
    Mistake(
        _mean_over_passages,
        "You divided the recall by the number of passages. A question's shares are added up; divide by the number "
        "of questions.",
    ),
    Mistake(_sum_of_recall, "You added the recall of the questions up. Divide by their number."),
    Mistake(
        _cuts_the_last,
        "You filled each question up to the budget, with a part of its last passage. Passages are handed over "
        "whole, and each method has one k.",
    ),
    Mistake(
        _each_its_own_k,
        "Each question got a k of its own. That is fair as well, and another rule: you set one k for a method, and "
        "its mean context has to fit.",
    ),
    Mistake(
        _carried_over,
        "What one method has used was missing for the next: the tokens are counted on. Begin with 0 for each.",
    ),
    Mistake(
        _nothing_spent,
        "Each passage alone was compared with the budget. Add up the tokens of all passages before it.",
    ),
    Mistake(
        _skips_what_does_not_fit,
        "You left out a place that does not fit and took later ones. Then it is no longer the first k passages: "
        "stop at the first that does not fit.",
    ),
    Mistake(
        _full_lists_alone,
        "Questions with fewer than k passages were left out of the mean. Their context is what they have; every "
        "question counts at every k.",
    ),
    Mistake(
        _share_complete,
        "You returned the share of questions whose evidence is complete. Asked is the recall: add up the shares of "
        "each question, and take the mean.",
    ),
)
