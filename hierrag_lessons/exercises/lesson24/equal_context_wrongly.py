"""Exercise 24.1, five passages each are no comparison: wrong answers to which k, and the exercise."""

from __future__ import annotations

from operator import itemgetter
from statistics import fmean

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson24.equal_context import Log, cases, fair_table, published, try_all
from hierrag_lessons.exercises.lesson24.equal_context_summed import (
    WRONGLY_SUMMED,
    at,
    changed,
    largest,
    table,
    tokens_of,
)


def _one_k_for_all(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    k = min(k for k, _ in fair_table(logs, budget).values())
    return table(logs, lambda log: k)


def _every_question(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return table(logs, lambda log: largest(log, lambda k: max(tokens_of(each, k) for each in log) <= budget))


def _five_at_most(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return changed(logs, budget, lambda k, log: min(5, k))


def _below(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return table(logs, lambda log: largest(log, lambda k: fmean(tokens_of(each, k) for each in log) < budget))


def _one_too_many(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return changed(logs, budget, lambda k, log: min(k + 1, max(map(len, log))))


def _by_mean_size(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def passages(log: Log) -> int:
        mean = fmean(tokens for ranking in log for tokens, _ in ranking)
        return min(max(map(len, log)), int(budget // mean))

    return table(logs, passages)


def _smallest_first(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    arranged = {method: [sorted(each, key=itemgetter(0)) for each in log] for method, log in logs.items()}
    return fair_table(arranged, budget)


def _shortest_list(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return changed(logs, budget, lambda k, log: min(k, *map(len, log)))


def _begins_at_one(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return changed(logs, budget, lambda k, log: max(1, k))


def _one_past_the_end(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return changed(logs, budget, lambda k, log: k + 1 if k == max(map(len, log)) else k)


def _up_to_a_hundred(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return changed(logs, budget, lambda k, log: 100 if k == max(map(len, log)) else k)


def _smallest_as_good(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def first(most: int, log: Log) -> int:
        return next(k for k in range(most + 1) if at(log, k)[1] >= at(log, most)[1] - 1e-9)

    return changed(logs, budget, first)


def _context(log: Log, k: int) -> float:
    return fmean(tokens_of(each, k) for each in log)


def _nearest(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return table(logs, lambda log: min(range(max(map(len, log)) + 1), key=lambda k: abs(_context(log, k) - budget)))


def _as_the_smallest(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """What the method with the smallest context spends is the budget of all."""
    spent = min(_context(logs[method], k) for method, (k, _) in fair_table(logs, budget).items())
    return table(logs, lambda log: largest(log, lambda k: _context(log, k) <= spent))


def _as_the_smallest_at_five(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    spent = min(_context(log, 5) for log in logs.values())
    return table(logs, lambda log: largest(log, lambda k: _context(log, k) <= spent))


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
            _smallest_as_good,
            "You took the smallest k with the best recall. Nobody knows that on Monday, and the budget pays for more: "
            "asked is the largest k that fits.",
        ),
        Mistake(
            _by_mean_size,
            "You divided the budget by the mean size of a passage. The best passages can be larger than the mean, and "
            "short lists have no more: add up what is really handed over.",
        ),
        Mistake(
            _smallest_first,
            "You sorted the passages by their tokens. Their order is the method's own: sorting uses what it does not "
            "know.",
        ),
        Mistake(_shortest_list, "You stopped at the shortest list. A question with fewer passages just has no more."),
        Mistake(
            _nearest,
            "You took the k whose context is nearest to the budget, from above as well. What is over the budget cannot "
            "be paid: at most.",
        ),
        Mistake(
            _as_the_smallest,
            "You cut all methods to the tokens that the smallest one uses. Equal is the budget: each method may fill "
            "it as far as its passages go.",
        ),
        Mistake(
            _as_the_smallest_at_five,
            "You cut all methods to the tokens of the smallest five passages. The budget is given: each method may "
            "fill it.",
        ),
        *WRONGLY_SUMMED,
    ),
)
