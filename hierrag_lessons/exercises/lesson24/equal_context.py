"""Exercise 24.1, five passages each are no comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from random import Random
from statistics import fmean

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Ranking = list[tuple[int, float]]
"""Passages, best first: the tokens of each, and the share of the question's evidence that it adds."""
Log = list[Ranking]
"""One ranking for each question."""


def fair_table(logs: dict[str, list[list[tuple[int, float]]]], budget: int) -> dict[str, tuple[int, float]]:
    """For each method the largest k whose mean context is at most ``budget`` tokens, and its mean recall at that k.

    The context of a question is its first k passages, or all where it has fewer.
    """

    def mean_context(rankings: list[list[tuple[int, float]]], k: int) -> float:
        return sum(tokens for ranking in rankings for tokens, _ in ranking[:k]) / len(rankings)

    found = {}
    for method, rankings in logs.items():
        k, longest = 0, max(map(len, rankings))
        while k < longest and mean_context(rankings, k + 1) <= budget:
            k += 1
        found[method] = (k, sum(share for ranking in rankings for _, share in ranking[:k]) / len(rankings))
    return found


def published(logs: dict[str, list[list[tuple[int, float]]]], budget: int) -> dict[str, tuple[int, float]]:
    """For each method the largest k whose mean context is at most ``budget`` tokens, and its mean recall at that k.

    The context of a question is its first k passages, or all where it has fewer.
    """
    found = {}
    for method, rankings in logs.items():
        k = 5
        found[method] = (k, sum(share for ranking in rankings for _, share in ranking[:k]) / len(rankings))
    return found


def _try_all(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """Oracle: try every k, and keep those whose mean context is small enough."""
    answer = {}
    for method, rankings in logs.items():
        fitting = []
        for k in range(max(len(ranking) for ranking in rankings) + 1):
            contexts = [ranking[:k] for ranking in rankings]
            if fmean(sum(tokens for tokens, _ in context) for context in contexts) <= budget:
                fitting.append((k, fmean(sum(share for _, share in context) for context in contexts)))
        answer[method] = max(fitting)
    return answer


def _cases(rng: Random) -> Iterator[tuple[dict[str, Log], int]]:
    yield {"leaves": [[(200, 0.5), (200, 0.25), (200, 0.25)]], "parents": [[(600, 0.75), (600, 0.25)]]}, 600
    yield {"leaves": [[(100, 0.125)] * 8], "parents": [[(400, 0.5), (400, 0.0), (400, 0.5)]]}, 800
    yield {"leaves": [[(200, 0.5), (200, 0.5)], [(600, 0.25), (600, 0.5)]]}, 400
    yield {"leaves": [[(200, 0.25), (200, 0.25)], [(200, 0.5)]]}, 300
    yield {"leaves": [[(500, 0.5)]]}, 400
    yield {"leaves": [[(600, 0.5), (100, 0.5)]]}, 500
    yield {"leaves": [[(300, 0.25), (100, 0.5), (100, 0.25)], [(300, 0.5), (200, 0.0), (400, 0.5)]]}, 400
    yield {"leaves": [[(200, 0.5)], []]}, 100
    yield {"merged": [[(600, 0.75), (200, 0.25)], [(200, 0.25), (400, 0.5)]]}, 500
    for _ in range(30):
        logs = {}
        for method in rng.sample(["leaves", "windows", "parents", "merged"], rng.randrange(1, 4)):
            size = rng.choice([1, 2, 4])
            logs[method] = [_ranking(rng, size, rng.randrange(1, 9)) for _ in range(rng.randrange(1, 4))]
        yield logs, rng.choice([300, 500, 1000, 1500])


def _ranking(rng: Random, size: int, count: int) -> Ranking:
    shares = [1 / 8 if rng.random() < 0.6 else 0.0 for _ in range(count)]
    return [(100 * rng.randrange(size, 2 * size + 1), share) for share in shares]


def _found(logs: dict[str, Log], choose: Callable[[Log], int]) -> dict[str, tuple[int, float]]:
    """The table when each method's k is chosen so."""
    return {method: _at(log, choose(log)) for method, log in logs.items()}


def _at(log: Log, k: int) -> tuple[int, float]:
    return k, sum(share for ranking in log for _, share in ranking[:k]) / len(log)


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
    return {method: _at(logs[method], min(5, k)) for method, (k, _) in fair_table(logs, budget).items()}


def _below(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    return _found(logs, lambda log: _largest(log, lambda k: fmean(_tokens(each, k) for each in log) < budget))


def _one_too_many(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    longest = {method: max(map(len, log)) for method, log in logs.items()}
    return {
        method: _at(logs[method], min(k + 1, longest[method])) for method, (k, _) in fair_table(logs, budget).items()
    }


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


def _carried_over(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """What the methods before have used is not given back."""
    found, used = {}, 0.0
    for method, log in logs.items():
        k, longest = 0, max(map(len, log))
        while k < longest:
            more = fmean(each[k][0] if k < len(each) else 0 for each in log)
            if used + more > budget:
                break
            used, k = used + more, k + 1
        found[method] = _at(log, k)
    return found


def _nothing_spent(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    """Each passage is compared with the whole budget."""

    def passages(log: Log) -> int:
        k, longest = 0, max(map(len, log))
        while k < longest and fmean(each[k][0] if k < len(each) else 0 for each in log) <= budget:
            k += 1
        return k

    return _found(logs, passages)


def _smallest_first(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    arranged = {method: [sorted(each, key=itemgetter(0)) for each in log] for method, log in logs.items()}
    return fair_table(arranged, budget)


def _shortest_list(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    shortest = {method: min(map(len, log)) for method, log in logs.items()}
    return {method: _at(logs[method], min(k, shortest[method])) for method, (k, _) in fair_table(logs, budget).items()}


def _full_lists_alone(logs: dict[str, Log], budget: int) -> dict[str, tuple[int, float]]:
    def fits(log: Log, k: int) -> bool:
        return fmean(_tokens(each, k) for each in log if len(each) >= k) <= budget

    return _found(logs, lambda log: _largest(log, lambda k: fits(log, k)))


EQUAL_CONTEXT = Exercise(
    id="24.1",
    title="Find the bug: five passages each",
    solution=fair_table,
    oracle=_try_all,
    cases=_cases,
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
        Mistake(
            _one_too_many,
            "The last passage goes over the budget. Before you take it, ask whether it still fits.",
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
            _smallest_first,
            "You sorted the passages by their tokens. Their order is the method's own: sorting uses what it does not "
            "know.",
        ),
        Mistake(
            _shortest_list,
            "You stopped at the shortest list. A question with fewer passages just has no more.",
        ),
        Mistake(
            _full_lists_alone,
            "Questions with fewer than k passages were left out of the mean. Their context is what they have; every "
            "question counts at every k.",
        ),
    ),
)
