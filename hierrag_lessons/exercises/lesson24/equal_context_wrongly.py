"""Exercise 24.1, five passages each are no comparison: the wrong answers, and what is said to each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile, zip_longest
from operator import itemgetter
from statistics import fmean, median

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson24.equal_context import Log, Ranking, cases, fair_table, published, try_all


def _found(logs: dict[str, Log], choose: Callable[[Log], int]) -> dict[str, tuple[int, float]]:
    """The table when each method's k is chosen so."""
    return {method: _at(log, choose(log)) for method, log in logs.items()}


def _at(log: Log, k: int) -> tuple[int, float]:
    return k, sum(share for ranking in log for _, share in ranking[:k]) / len(log)


def _changed(logs: dict[str, Log], budget: int, change: Callable[[int, Log], int]) -> dict[str, tuple[int, float]]:
    """The right table, and then each k is changed."""
    return {method: _at(logs[method], change(k, logs[method])) for method, (k, _) in fair_table(logs, budget).items()}


def _tokens(ranking: Ranking, k: int) -> int:
    return sum(tokens for tokens, _ in ranking[:k])


def _largest(log: Log, fits: Callable[[int], bool]) -> int:
    return max((k for k in range(max(map(len, log)) + 1) if fits(k)), default=0)


def _one_k_for_all(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    k = min(k for k, _ in fair_table(logs, budget).values())
    return _found(logs, lambda log: k)


def _every_question(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _found(logs, lambda log: _largest(log, lambda k: max(_tokens(each, k) for each in log) <= budget))


def _sum_of_questions(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _found(logs, lambda log: _largest(log, lambda k: sum(_tokens(each, k) for each in log) <= budget))


def _five_at_most(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _changed(logs, budget, lambda k, log: min(5, k))


def _below(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _found(logs, lambda log: _largest(log, lambda k: fmean(_tokens(each, k) for each in log) < budget))


def _one_too_many(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _changed(logs, budget, lambda k, log: min(k + 1, max(map(len, log))))


def _sum_of_recall(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return {method: (k, recall * len(logs[method])) for method, (k, recall) in fair_table(logs, budget).items()}


def _by_mean_size(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def passages(log: Log) -> int:
        mean = fmean(tokens for ranking in log for tokens, _ in ranking)
        return min(max(map(len, log)), int(budget // mean))

    return _found(logs, passages)


def _each_its_own_k(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    found = {}
    for method, log in logs.items():
        own = [max(k for k in range(len(each) + 1) if _tokens(each, k) <= budget) for each in log]
        recall = fmean(sum(share for _, share in each[:k]) for each, k in zip(log, own, strict=True))
        found[method] = (max(own), recall)
    return found


def _places(log: Log) -> list[tuple[int, float]]:
    """The tokens and the share at each place of the rankings, all questions together."""
    columns = zip_longest(*log, fillvalue=(0, 0.0))
    return [(sum(tokens for tokens, _ in column), sum(share for _, share in column)) for column in columns]


def _carried_over(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """What the methods before have used is not given back."""
    found, used = {}, 0.0
    for method, log in logs.items():
        k = 0
        for tokens, _ in _places(log):
            if used + tokens / len(log) > budget:
                break
            used, k = used + tokens / len(log), k + 1
        found[method] = _at(log, k)
    return found


def _nothing_spent(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """Each passage is compared with the whole budget."""
    return _found(logs, lambda log: len(list(takewhile(lambda place: place[0] <= budget * len(log), _places(log)))))


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


def _smallest_first(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    arranged = {method: [sorted(each, key=itemgetter(0)) for each in log] for method, log in logs.items()}
    return fair_table(arranged, budget)


def _shortest_list(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _changed(logs, budget, lambda k, log: min(k, *map(len, log)))


def _full_lists_alone(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def fits(log: Log, k: int) -> bool:
        return fmean(_tokens(each, k) for each in log if len(each) >= k) <= budget

    return _found(logs, lambda log: _largest(log, lambda k: fits(log, k)))


def _begins_at_one(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _changed(logs, budget, lambda k, log: max(1, k))


def _one_past_the_end(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _changed(logs, budget, lambda k, log: k + 1 if k == max(map(len, log)) else k)


def _up_to_a_hundred(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _changed(logs, budget, lambda k, log: 100 if k == max(map(len, log)) else k)


def _mean_over_passages(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    found = {}
    for method, (k, _) in fair_table(logs, budget).items():
        shares = [share for ranking in logs[method] for _, share in ranking[:k]]
        found[method] = (k, sum(shares) / max(1, len(shares)))
    return found


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


def _median_context(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _found(logs, lambda log: _largest(log, lambda k: median(_tokens(each, k) for each in log) <= budget))


def _smallest_as_good(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def first(most: int, log: Log) -> int:
        return next(k for k in range(most + 1) if _at(log, k)[1] >= _at(log, most)[1] - 1e-9)

    return _changed(logs, budget, first)


EQUAL_CONTEXT = Exercise(
    id="24.1",
    title="Find the bug: five passages each",
    solution=fair_table,
    oracle=try_all,
    cases=cases,
    start=published,
    hints=(
        "The budget is a parameter. Where is it used?",
        "Five passages are 1,000 tokens for one method and 3,000 for another. So k is not the same for all: each "
        "method gets its own.",
        "Begin with k = 0. While there is a next passage, and the mean context with it is at most the budget, add 1.",
    ),
    mistakes=(
        Mistake(_five_at_most, "You still stop at five passages. Only the tokens count: small passages may be many."),
        Mistake(
            _one_k_for_all,
            "All methods got the same k, the smallest. That is the published error again: equal k is unequal context. "
            "Each method gets its own.",
        ),
        Mistake(
            _every_question,
            "You asked that the longest context fits. Asked is the mean over the questions: some may be longer, some "
            "shorter.",
        ),
        Mistake(_sum_of_questions, "You compared the tokens of all questions together with the budget of one."),
        Mistake(_below, "A mean context of exactly the budget is allowed: at most, not less."),
        Mistake(_one_too_many, "The last passage goes over the budget. Before you take it, ask whether it fits."),
        Mistake(
            _begins_at_one,
            "You began with one passage, whatever it costs. Where not even the first fits, k is 0 and the recall 0.",
        ),
        Mistake(
            _one_past_the_end,
            "k went one past the longest list: where everything fits, you counted a passage that is not there. Go on "
            "only while k is smaller than the longest list.",
        ),
        Mistake(
            _up_to_a_hundred,
            "k ran on to 100 where no list had passages left: nothing more is added, so everything fits. Stop at the "
            "longest list.",
        ),
        Mistake(
            _mean_over_passages,
            "You divided the recall by the number of passages. A question's shares are added up; divide by the number "
            "of questions.",
        ),
        Mistake(
            _cuts_the_last,
            "You filled each question up to the budget, with a part of its last passage. Passages are handed over "
            "whole, and each method has one k.",
        ),
        Mistake(
            _median_context,
            "You asked that the median context fits. The bill is paid for the mean: a few long contexts count in full.",
        ),
        Mistake(
            _smallest_as_good,
            "You took the smallest k with the best recall. Nobody knows that on Monday, and the budget pays for more: "
            "asked is the largest k that fits.",
        ),
        Mistake(_sum_of_recall, "You added the recall of the questions up. Divide by their number."),
        Mistake(
            _by_mean_size,
            "You divided the budget by the mean size of a passage. The best passages can be larger than the mean, and "
            "short lists have no more: add up what is really handed over.",
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
            _smallest_first,
            "You sorted the passages by their tokens. Their order is the method's own: sorting uses what it does not "
            "know.",
        ),
        Mistake(_shortest_list, "You stopped at the shortest list. A question with fewer passages just has no more."),
        Mistake(
            _full_lists_alone,
            "Questions with fewer than k passages were left out of the mean. Their context is what they have; every "
            "question counts at every k.",
        ),
    ),
)
