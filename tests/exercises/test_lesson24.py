"""Lesson 24's exercises: unusual right answers pass, and slips that people make get their own message."""

import operator
from bisect import bisect_right
from collections import Counter, defaultdict
from itertools import accumulate, groupby, zip_longest
from random import Random
from statistics import median

import numpy as np
import pytest

from hierrag_lessons.evaluation import bootstrap_interval, paired_difference, paired_test
from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.lesson24.buying import buy
from hierrag_lessons.exercises.lesson24.buying_wrongly import BUYING
from hierrag_lessons.exercises.lesson24.choosing_wrongly import CHOOSING
from hierrag_lessons.exercises.lesson24.equal_context import fair_table
from hierrag_lessons.exercises.lesson24.equal_context_wrongly import EQUAL_CONTEXT
from hierrag_lessons.exercises.lesson24.two_halves_wrongly import TWO_HALVES
from tests.exercises.reading import said

# Right in another way.


def by_sums(logs, budget):
    answer = {}
    for method, log in logs.items():
        sizes = [sum(size for size, _ in column) for column in zip_longest(*log, fillvalue=(0, 0.0))]
        k = bisect_right(list(accumulate(sizes)), budget * len(log))
        answer[method] = [k, float(np.mean([sum(share for _, share in ranking[:k]) for ranking in log]))]
    return answer


def with_numpy(dev, test, present):
    names = np.array(sorted(dev))
    means = np.array([np.mean(dev[name]) for name in names]).round(9)
    best = present if means.max() == means[names == present][0] else str(names[means.argmax()])
    return [best, *(np.subtract(half[best], half[present]).mean() for half in (dev, test))]


def the_other_way_round(offers, gigabytes, margin):
    """The interval of the best minus the row, with the questions sorted."""
    fitting = sorted((size, name) for name, (size, _) in offers.items() if size <= gigabytes)
    if not fitting:
        return None
    best = max(fitting, key=lambda pair: sum(offers[pair[1]][1].values()))[1]
    asked = sorted(offers[best][1])
    top = [offers[best][1][question] for question in asked]
    return next(
        name for _, name in fitting if paired_difference(top, [offers[name][1][q] for q in asked], seed=7).high < margin
    )


def by_groups(questions, least):
    def best(part):
        totals = Counter()
        for _, scores in part:
            totals.update(scores)
        return max(sorted(totals), key=totals.__getitem__)

    ordered = sorted(questions, key=operator.itemgetter(0))
    groups = [(kind, list(part)) for kind, part in groupby(ordered, key=operator.itemgetter(0))]
    return {kind: best(part) if len(part) >= least else best(questions) for kind, part in groups}


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [(EQUAL_CONTEXT, by_sums), (TWO_HALVES, with_numpy), (BUYING, the_other_way_round), (CHOOSING, by_groups)],
    ids=lambda value: getattr(value, "id", getattr(value, "__name__", "")),
)
def test_an_unusual_right_answer_passes(exercise, answer):
    assert assess(exercise, answer).status == "correct"


# Wrong as people write it.


def budget_is_not_reset(logs, budget):
    found, used = {}, 0
    for method, log in logs.items():
        k = 0
        for column in zip_longest(*log, fillvalue=(0, 0.0)):
            mean = sum(size for size, _ in column) / len(log)
            if used + mean > budget:
                break
            used += mean
            k += 1
        found[method] = (k, sum(share for ranking in log for _, share in ranking[:k]) / len(log))
    return found


def nothing_is_subtracted(logs, budget):
    found = {}
    for method, log in logs.items():
        k = 0
        for column in zip_longest(*log, fillvalue=(0, 0.0)):
            if sum(size for size, _ in column) / len(log) > budget:
                break
            k += 1
        found[method] = (k, sum(share for ranking in log for _, share in ranking[:k]) / len(log))
    return found


def stops_at_the_budget(logs, budget):
    found = {}
    for method, log in logs.items():
        k, used = 0, 0
        for column in zip_longest(*log, fillvalue=(0, 0.0)):
            used += sum(size for size, _ in column) / len(log)
            if used >= budget:
                break
            k += 1
        found[method] = (k, sum(share for ranking in log for _, share in ranking[:k]) / len(log))
    return found


def small_ones_first(logs, budget):
    size = operator.itemgetter(0)
    arranged = {method: [sorted(ranking, key=size) for ranking in log] for method, log in logs.items()}
    return by_sums(arranged, budget)


def divided(logs, budget):
    found = {}
    for method, log in logs.items():
        sizes = [size for ranking in log for size, _ in ranking]
        k = min(int(budget / (sum(sizes) / len(sizes))), max(len(ranking) for ranking in log))
        found[method] = (k, sum(share for ranking in log for _, share in ranking[:k]) / len(log))
    return found


def cut_by_question(logs, budget):
    found = {}
    for method, log in logs.items():
        counts, recalls = [], []
        for ranking in log:
            used, count, recall = 0, 0, 0.0
            for size, share in ranking:
                if used + size > budget:
                    break
                used, count, recall = used + size, count + 1, recall + share
            counts.append(count)
            recalls.append(recall)
        found[method] = (max(counts), sum(recalls) / len(recalls))
    return found


def filled(start=1, most=len, divide=len, fits=None):
    """The usual loop, with one part of it wrong."""

    def answer(logs, budget):
        found = {}
        for method, log in logs.items():
            k, longest = start, most(max(log, key=len))
            while k < longest and (fits or mean)([sum(t for t, _ in ranking[: k + 1]) for ranking in log]) <= budget:
                k += 1
            taken = [ranking[:k] for ranking in log]
            found[method] = (k, sum(share for ranking in taken for _, share in ranking) / divide(taken))
        return found

    return answer


def partly(logs, budget):
    found = {}
    for method, log in logs.items():
        counts, recalls = [], []
        for ranking in log:
            ends = list(accumulate((size for size, _ in ranking), initial=0))
            parts = [min(1, max(0, budget - start) / size) for start, (size, _) in zip(ends, ranking, strict=False)]
            counts.append(sum(part > 0 for part in parts))
            recalls.append(sum(part * share for part, (_, share) in zip(parts, ranking, strict=True)))
        found[method] = (max(counts), mean(recalls))
    return found


def leaves_gaps(logs, budget):
    found = {}
    for method, log in logs.items():
        room, taken = budget * len(log), []
        for column in zip_longest(*log, fillvalue=(0, 0.0)):
            if (tokens := sum(size for size, _ in column)) <= room:
                room -= tokens
                taken.append(sum(share for _, share in column) / len(log))
        found[method] = [len(taken), sum(taken)]
    return found


def no_more_than_helps(logs, budget):
    found = {}
    for method, log in logs.items():
        found[method] = (0, 0.0)
        for k in range(1, max(map(len, log)) + 1):
            if mean([sum(size for size, _ in ranking[:k]) for ranking in log]) <= budget:
                recall = mean([sum(share for _, share in ranking[:k]) for ranking in log])
                if recall > found[method][1]:
                    found[method] = (k, recall)
    return found


def context(log, k):
    return np.mean([sum(size for size, _ in ranking[:k]) for ranking in log])


def next_to_the_budget(logs, budget):
    found = {}
    for method, log in logs.items():
        k = np.argmin([abs(context(log, k) - budget) for k in range(len(max(log, key=len)) + 1)])
        found[method] = (k, mean([sum(share for _, share in ranking[:k]) for ranking in log]))
    return found


def trimmed(logs, budget):
    return by_sums(logs, min(context(logs[method], k) for method, (k, _) in by_sums(logs, budget).items()))


def trimmed_to_five(logs, budget):
    return by_sums(logs, min(context(log, 5) for log in logs.values()))


def complete(logs, budget):
    table = by_sums(logs, budget)
    return {
        method: (k, mean([sum(share for _, share in ranking[:k]) >= 1 for ranking in logs[method]]))
        for method, (k, _) in table.items()
    }


def mean(values):
    return sum(values) / len(values)


def something_new(dev, test, present):
    best = min((name for name in dev if name != present), key=lambda name: (-mean(dev[name]), name))
    return best, round(mean(dev[best]) - mean(dev[present]), 6), round(mean(test[best]) - mean(test[present]), 6)


def first_of_the_best(dev, test, present):
    best = max(dev, key=lambda name: mean(dev[name]))
    return best, mean(dev[best]) - mean(dev[present]), mean(test[best]) - mean(test[present])


def only_means(dev, test, present):
    best = min(dev, key=lambda name: (-mean(dev[name]), name != present, name))
    return best, mean(dev[best]), mean(test[best])


def turned_round(dev, test, present):
    best = min(dev, key=lambda name: (-mean(dev[name]), name))
    return best, mean(dev[present]) - mean(dev[best]), mean(test[present]) - mean(test[best])


def looked_at_test(dev, test, present):
    best = min(test, key=lambda name: (-mean(test[name]), name))
    return best, mean(dev[best]) - mean(dev[present]), mean(test[best]) - mean(test[present])


def by_name_alone(dev, test, present):
    best = sorted(dev, key=lambda name: (-mean(dev[name]), name))[0]
    return best, mean(dev[best]) - mean(dev[present]), mean(test[best]) - mean(test[present])


def choosing_by(value, lead=operator.sub):
    """Proposes what has the largest value; of equals the present one, then the first name."""

    def answer(dev, test, present):
        ordered = [present, *sorted(set(dev) - {present})]
        best = max(ordered, key=lambda name: value(dev, test, name, present))
        return best, lead(mean(dev[best]), mean(dev[present])), lead(mean(test[best]), mean(test[present]))

    return answer


def on_dev(dev, test, name, present):
    return mean(dev[name])


def smaller_lead(dev, test, name, present):
    return min(mean(half[name]) - mean(half[present]) for half in (dev, test))


def confirmed_first(dev, test, name, present):
    return (mean(test[name]) > mean(test[present]) or name == present, mean(dev[name]))


def middle(dev, test, name, present):
    return median(dev[name])


def often_ahead(dev, test, name, present):
    return sum(map(operator.gt, dev[name], dev[present]))


def ahead_most_often(dev, test, present):
    wins = {name: sum(map(operator.gt, dev[name], dev[present])) for name in dev}
    best = min(dev, key=lambda name: (-wins[name], name))
    return best, mean(dev[best]) - mean(dev[present]), mean(test[best]) - mean(test[present])


def stays_if_lost(dev, test, present):
    best, before, after = choosing_by(on_dev)(dev, test, present)
    return (best, before, after) if after >= 0 else (present, 0.0, 0.0)


def leaves_only_for_sure(dev, test, present):
    best, before, after = choosing_by(on_dev)(dev, test, present)
    sure = paired_difference(dev[present], dev[best]).high < 0
    return (best, before, after) if sure else (present, 0.0, 0.0)


def reported(change):
    """Chooses right, and then changes the two leads."""

    def answer(dev, test, present):
        best, before, after = choosing_by(on_dev)(dev, test, present)
        return best, *change(before, after)

    return answer


def share_of_present(mine, present):
    return mine / present - 1 if present else 0.0


def purchase(enough, best_of_all=False, ordered=True):
    def answer(offers, gigabytes, margin):
        fitting = {name: offer for name, offer in offers.items() if offer[0] <= gigabytes}
        if not fitting:
            return None
        pool = offers if best_of_all else fitting
        best = min(pool, key=lambda name: (-mean(pool[name][1].values()), pool[name][0], name))
        top = offers[best][1]
        kept = []
        for name, (size, scores) in fitting.items():
            own = [scores[question] for question in top] if ordered else list(scores.values())
            if enough(own, list(top.values()), margin):
                kept.append((size, name))
        return min(kept)[1] if kept else None

    return answer


def paired(own, top, margin):
    return paired_difference(own, top).low > -margin


def zero_inside(own, top, margin):
    low, high = paired_difference(own, top)
    return low <= 0 <= high or low > 0


def within_both_ways(own, top, margin):
    low, high = paired_difference(own, top)
    return -margin < low and high < margin


def reaches_zero_and_near(own, top, margin):
    return paired_difference(own, top).high >= 0 and mean(own) >= mean(top) - margin + 1e-9


def each_is_near(own, top, margin):
    return max(np.subtract(top, own)) < margin


def bought_by(order, first=1):
    """The first of the good ones by another order, or beside another one of the equally good."""

    def answer(offers, gigabytes, margin):
        fitting = [name for name, (size, _) in offers.items() if size <= gigabytes]
        if not fitting:
            return None
        ranked = sorted(fitting, key=lambda name: (first * offers[name][0], name))
        top = offers[max(ranked, key=lambda name: mean(offers[name][1].values()))][1]
        good = [name for name in fitting if paired([offers[name][1][q] for q in top], list(top.values()), margin)]
        return min(good, key=lambda name: order(offers[name][0], name))

    return answer


def intervals_meet(own, top, margin):
    return bootstrap_interval(own)[1] >= bootstrap_interval(top)[0]


def against(first, last=True, stop=False):
    """Goes down from the best or the largest, and compares with it, or with the row that was kept last."""

    def answer(offers, gigabytes, margin):
        fitting = sorted((size, name) for name, (size, _) in offers.items() if size <= gigabytes)
        if not fitting:
            return None
        best = max(fitting, key=lambda offer: mean(offers[offer[1]][1].values()))
        kept = start = {"best": best, "largest": fitting[-1]}[first]
        for offer in reversed(fitting[: fitting.index(start)]):
            other = offers[(kept if last else start)[1]][1]
            if paired([offers[offer[1]][1][q] for q in other], list(other.values()), margin):
                kept = offer
            elif stop:
                break
        return kept[1]

    return answer


def any_disk(offers, gigabytes, margin):
    return purchase(paired)(offers, float("inf"), margin)


def few_lost(own, top, margin):
    return sum(map(operator.lt, own, top)) <= margin * len(top)


def by_standard_error(own, top, margin):
    differences = np.subtract(own, top)
    return differences.mean() - 1.96 * differences.std(ddof=1) / len(top) ** 0.5 > -margin


def wins(questions, least):
    kinds = defaultdict(list)
    for kind, scores in questions:
        kinds[kind].append(scores)

    def most(part):
        counted = Counter(max(scores, key=scores.get) for scores in part)
        return min(counted, key=lambda method: (-counted[method], method))

    everything = [scores for _, scores in questions]
    return {kind: most(part if len(part) >= least else everything) for kind, part in kinds.items()}


def by_mean(part):
    return min(part[0], key=lambda method: (-sum(scores[method] for scores in part), method))


def collect(questions):
    kinds = {}
    for kind, scores in questions:
        kinds.setdefault(kind, []).append(scores)
    return kinds


def mean_place(questions, least):
    def best(part):
        places = defaultdict(int)
        for scores in part:
            for place, method in enumerate(sorted(sorted(scores), key=scores.get, reverse=True)):
                places[method] += place
        return min(sorted(places), key=places.get)

    everything = [scores for _, scores in questions]
    return {kind: best(part if len(part) >= least else everything) for kind, part in collect(questions).items()}


def small_ones_missing(questions, least):
    return {kind: by_mean(part) for kind, part in collect(questions).items() if len(part) >= least}


def large_ones_decide(questions, least):
    kinds = collect(questions)
    large = [scores for part in kinds.values() if len(part) >= least for scores in part]
    everything = [scores for _, scores in questions]
    return {kind: by_mean(part if len(part) >= least else large or everything) for kind, part in kinds.items()}


def small_ones_together(questions, least):
    kinds = collect(questions)
    small = [scores for part in kinds.values() if len(part) < least for scores in part]
    return {kind: by_mean(part if len(part) >= least else small) for kind, part in kinds.items()}


def small_ones_by(small):
    def answer(questions, least):
        kinds = collect(questions)
        return {kind: by_mean(part if len(part) >= least else small(kinds, kind)) for kind, part in kinds.items()}

    return answer


def from_the_largest(kinds, kind):
    return kinds[max(kinds, key=lambda each: len(kinds[each]))]


def from_the_others(kinds, kind):
    return [scores for other, part in kinds.items() if other != kind for scores in part] or kinds[kind]


def by_median(questions, least):
    def best(part):
        return min(sorted(part[0]), key=lambda method: -median(scores[method] for scores in part))

    everything = [scores for _, scores in questions]
    return {kind: best(part if len(part) >= least else everything) for kind, part in collect(questions).items()}


def only_if_sure(questions, least):
    everywhere = by_mean([scores for _, scores in questions])
    found = dict.fromkeys((kind for kind, _ in questions), everywhere)
    for kind, part in collect(questions).items():
        own = by_mean(part)
        if len(part) >= least:
            sure = paired_difference([each[own] for each in part], [each[everywhere] for each in part]).low > 0
            found[kind] = own if sure else everywhere
    return found


def pulled(weight):
    """The means of each kind, drawn towards the means of all questions."""

    def answer(questions, least):
        found, everything = {}, [scores for _, scores in questions]
        for kind, part in collect(questions).items():
            w = weight(len(part), least)
            value = {m: w * mean([s[m] for s in part]) + (1 - w) * mean([s[m] for s in everything]) for m in part[0]}
            found[kind] = min(value, key=lambda method: (-round(value[method], 9), method))
        return found

    return answer


@pytest.mark.parametrize(
    ("exercise", "answer", "told"),
    [
        (EQUAL_CONTEXT, budget_is_not_reset, "Begin with 0 for each"),
        (EQUAL_CONTEXT, nothing_is_subtracted, "Each passage alone"),
        (EQUAL_CONTEXT, stops_at_the_budget, "at most, not less"),
        (EQUAL_CONTEXT, small_ones_first, "sorted the passages"),
        (EQUAL_CONTEXT, divided, "mean size of a passage"),
        (EQUAL_CONTEXT, cut_by_question, "a k of its own"),
        (EQUAL_CONTEXT, filled(), "began with one passage"),
        (EQUAL_CONTEXT, filled(0, lambda ranking: len(ranking) + 1), "one past the longest list"),
        (EQUAL_CONTEXT, filled(0, lambda ranking: 100), "ran on to 100"),
        (EQUAL_CONTEXT, filled(0, divide=lambda taken: max(1, sum(map(len, taken)))), "the number of passages"),
        (EQUAL_CONTEXT, filled(0, fits=median), "median context"),
        (EQUAL_CONTEXT, partly, "a part of its last passage"),
        (EQUAL_CONTEXT, leaves_gaps, "left out a place"),
        (EQUAL_CONTEXT, next_to_the_budget, "from above as well"),
        (EQUAL_CONTEXT, trimmed, "the smallest one uses"),
        (EQUAL_CONTEXT, trimmed_to_five, "the smallest five passages"),
        (EQUAL_CONTEXT, complete, "whose evidence is complete"),
        (EQUAL_CONTEXT, no_more_than_helps, "smallest k"),
        (TWO_HALVES, by_name_alone, "no reason to leave"),
        (TWO_HALVES, stays_if_lost, "Propose what dev chose"),
        (TWO_HALVES, leaves_only_for_sure, "Stricter than asked"),
        (TWO_HALVES, choosing_by(confirmed_first), "with a detour"),
        (TWO_HALVES, choosing_by(smaller_lead), "smaller of both leads"),
        (TWO_HALVES, choosing_by(middle), "by the median"),
        (TWO_HALVES, choosing_by(often_ahead), "Many small wins"),
        (TWO_HALVES, ahead_most_often, "Many small wins"),
        (TWO_HALVES, choosing_by(on_dev, share_of_present), "You divided by the present"),
        (TWO_HALVES, choosing_by(on_dev, lambda mine, now: 100 * (mine - now)), "The page prints points"),
        (TWO_HALVES, reported(lambda before, after: (before, max(after, 0))), "it is news"),
        (TWO_HALVES, reported(lambda before, after: (before, min(before, after))), "report what test shows"),
        (TWO_HALVES, reported(lambda before, after: (min(before, after),) * 2), "smaller of both leads, twice"),
        (TWO_HALVES, reported(lambda before, after: (before, mean([before, after]))), "out of the judgement"),
        (TWO_HALVES, reported(lambda before, after: (mean([before, after]),) * 2), "mean of both leads, twice"),
        (TWO_HALVES, something_new, "propose to keep it"),
        (TWO_HALVES, first_of_the_best, "the one that stands first"),
        (TWO_HALVES, only_means, "You returned means"),
        (TWO_HALVES, turned_round, "The sign"),
        (TWO_HALVES, looked_at_test, "chosen on the test half"),
        (BUYING, purchase(paired, best_of_all=True), "cannot store"),
        (BUYING, purchase(paired, ordered=False), "look each question"),
        (BUYING, purchase(zero_inside), "no difference shown"),
        (BUYING, purchase(intervals_meet), "two intervals overlap"),
        (BUYING, purchase(lambda own, top, margin: mean(own) - mean(top) > -margin), "without an interval"),
        (BUYING, purchase(lambda own, top, margin: paired_difference(own, top).high > -margin), "the best case"),
        (BUYING, purchase(within_both_ways), "A gain is no fault"),
        (BUYING, purchase(lambda own, top, margin: paired_test(own, top) >= 0.05), "the test shows no difference"),
        (BUYING, purchase(reaches_zero_and_near), "that no loss is shown and that the mean"),
        (BUYING, purchase(each_is_near), "every single question"),
        (BUYING, bought_by(lambda size, name: name), "the first by name"),
        (BUYING, bought_by(lambda size, name: (size, name), first=-1), "compared with the larger"),
        (BUYING, any_disk, "does not fit on the disk"),
        (BUYING, purchase(lambda own, top, margin: paired(own, top, margin * mean(top))), "in points"),
        (BUYING, against("largest", last=False), "the largest row that fits"),
        (BUYING, against("largest"), "began with the largest"),
        (BUYING, against("best"), "that you kept last"),
        (BUYING, against("best", stop=True), "up to the first that is too far behind"),
        (BUYING, purchase(lambda own, top, margin: paired(own, top, margin / 100)), "shares of 1"),
        (BUYING, purchase(by_standard_error), "1.96 standard errors"),
        (BUYING, purchase(few_lost), "how many questions the row loses"),
        (CHOOSING, small_ones_by(from_the_largest), "method of the largest kind"),
        (CHOOSING, small_ones_by(from_the_others), "left its own questions out"),
        (CHOOSING, mean_place, "mean ranks"),
        (CHOOSING, by_median, "compared medians"),
        (CHOOSING, only_if_sure, "Stricter than asked"),
        (CHOOSING, lambda questions, least: only_if_sure(questions, 0), "however few"),
        (CHOOSING, pulled(lambda n, least: n / least if n < least else 1), "You mixed a small kind's own means"),
        (CHOOSING, pulled(lambda n, least: n / (n + least) if n < least else 1), "You mixed a small kind's own means"),
        (CHOOSING, pulled(lambda n, least: n / (n + least)), "decide alone"),
        (CHOOSING, wins, "how many questions each method is best"),
        (CHOOSING, small_ones_missing, "few questions are missing"),
        (CHOOSING, large_ones_decide, "large kinds' questions"),
        (CHOOSING, small_ones_together, "put the small kinds together"),
    ],
)
def test_a_slip_gets_its_own_message(exercise, answer, told):
    reply = assess(exercise, answer)
    assert reply.status == "incorrect"
    assert told in said(reply, "this looks like")
    assert len(said(reply, "a failing input")) < 300


def test_equal_context_is_another_k_for_each_method():
    logs = {"leaves": [[(200, 0.125)] * 8], "parents": [[(600, 0.5), (600, 0.25)]]}
    assert fair_table(logs, 1200) == {"leaves": (6, 0.75), "parents": (2, 0.75)}


def test_more_disk_or_a_smaller_margin_buys_a_larger_row():
    asked = "abcdefghijklmnop"
    offers = {
        "flat": (5.0, dict.fromkeys(asked, 0.5)),
        "sections": (9.0, dict.fromkeys(asked, 0.5625)),
        "levels": (21.0, dict.fromkeys(asked, 0.625)),
    }
    bought = {
        (10, 0.05): "sections",
        (10, 0.1): "flat",
        (25, 0.05): "levels",
        (25, 0.1): "sections",
        (25, 0.2): "flat",
        (4, 0.2): None,
    }
    assert {key: buy(offers, *key) for key in bought} == bought


def test_a_tie_is_no_reason_to_leave_the_present_method():
    half = {"a": [0.5], "flat": [0.5], "tree": [0.5]}
    assert [TWO_HALVES.solution(half, half, name)[0] for name in half] == list(half)
    assert TWO_HALVES.solution({**half, "old": [0.25]}, {**half, "old": [0.25]}, "old")[0] == "a"


@pytest.mark.parametrize("seed", range(5))
def test_the_draw_of_the_resamples_decides_nothing(seed):
    for arguments in BUYING.cases(Random(seed)):
        assert the_other_way_round(*arguments) == buy(*arguments)


def test_what_is_expected_has_the_kinds_in_the_order_of_the_questions():
    for questions, least in CHOOSING.cases(Random(0)):
        assert list(CHOOSING.oracle(questions, least)) == list(dict.fromkeys(kind for kind, _ in questions))
