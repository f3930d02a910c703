"""Lesson 25's exercises: unusual right answers pass, and the examples by hand come out."""

import re
from itertools import takewhile

import pytest

from hierrag_lessons.exercises.assessing import assess
from hierrag_lessons.exercises.lesson25.caching import from_cache
from hierrag_lessons.exercises.lesson25.caching_wrongly import CACHING
from hierrag_lessons.exercises.lesson25.canaries import choose_canaries
from hierrag_lessons.exercises.lesson25.canaries_wrongly import CANARIES
from hierrag_lessons.exercises.lesson25.margins import MARGINS, cheapest_safe
from hierrag_lessons.exercises.lesson25.updating import UPDATING, update, upsert


def shared(prompt: list[int], earlier: list[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, earlier, strict=False)))


def by_pairs(prompts: list[list[int]], least: int) -> int:
    sizes = [max([0, *(shared(prompt, earlier) for earlier in prompts[:n])]) for n, prompt in enumerate(prompts)]
    return sum(size for size in sizes if size >= least)


def by_sorting(ways: dict[str, tuple[int, float, float]], margin: float) -> str | None:
    names = sorted(ways, key=lambda name: (ways[name][0], -ways[name][1], name))
    return next((name for name in names if ways[name][1] > -margin), None)


def one_by_one(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    made = dict(stored)
    for name in stored:
        if name[: name.rindex(":")] == doc_id:
            del made[name]
    for number, text in enumerate(chunks):
        made[f"{doc_id}:{number}"] = text
    return made


def by_next(documents: list[str], questions: dict[str, tuple[bool, list[str]]]) -> tuple[list[str], list[str]]:
    working = {name: places for name, (works, places) in questions.items() if works}
    chosen: list[str] = []
    for document in documents:
        if not any(document in working[name] for name in chosen):
            chosen += [name for name, places in working.items() if document in places][:1]
    return chosen, [document for document in documents if not any(document in working[name] for name in chosen)]


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [(CACHING, by_pairs), (MARGINS, by_sorting), (UPDATING, one_by_one), (CANARIES, by_next)],
    ids=lambda value: getattr(value, "id", getattr(value, "__name__", "")),
)
def test_an_unusual_right_answer_passes(exercise, answer):
    assert assess(exercise, answer).status == "correct"


def test_the_same_passages_behind_another_beginning_come_from_no_cache():
    assert from_cache([[1, 7, 7, 7], [2, 7, 7, 7]], 1) == 0
    assert from_cache([[1, 7, 7, 7], [1, 7, 7, 8]], 3) == 3


def test_no_difference_shown_is_not_safe():
    ways = {"wide": (500, -0.2, 0.2), "narrow": (900, -0.01, 0.01), "behind by little": (800, -0.02, -0.01)}
    assert cheapest_safe(ways, 0.05) == "behind by little"
    assert cheapest_safe(ways, 0.005) is None


def test_a_shorter_document_leaves_no_ghost():
    stored = {"act:0": "a", "act:1": "b", "en:act:0": "c"}
    assert upsert(stored, "act", ["x"]) == {"act:0": "x", "act:1": "b", "en:act:0": "c"}
    assert update(stored, "act", ["x"]) == {"act:0": "x", "en:act:0": "c"}


def text_numbers(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    kept = {
        name: text
        for name, text in stored.items()
        if name.rpartition(":")[0] != doc_id or name.rpartition(":")[2] < str(len(chunks))
    }
    return kept | {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}


def known_texts(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    kept = {name: text for name, text in stored.items() if name.rpartition(":")[0] != doc_id or text in chunks}
    return kept | {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}


@pytest.mark.parametrize(("answer", "said"), [(text_numbers, "numbers as texts"), (known_texts, "found twice")])
def test_a_ghost_with_a_high_number_or_a_known_text_is_found(answer, said):
    given = assess(UPDATING, answer)
    assert given.status != "correct"
    assert said in str(given)


def by_pattern(pattern):
    def answer(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
        kept = {name: text for name, text in stored.items() if not re.compile(pattern(doc_id)).match(name)}
        return kept | {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}

    return answer


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (lambda name: name + r":\d+", "Your pattern fits other documents"),
        (lambda name: name + r":\d", "Your pattern fits other documents"),
        (lambda name: re.escape(name) + r":\d+", "beginning of an id"),
        (lambda name: name + r":\d+$", "re.escape"),
    ],
)
def test_a_pattern_that_removes_another_document_is_found(pattern, said):
    given = assess(UPDATING, by_pattern(pattern))
    assert given.status != "correct"
    assert said in str(given)


def test_a_pattern_for_the_whole_id_is_right():
    assert assess(UPDATING, by_pattern(lambda name: re.escape(name) + r":\d+$")).status == "correct"


def by_cover(documents: list[str], questions: dict[str, tuple[bool, list[str]]]) -> tuple[list[str], list[str]]:
    left, chosen = list(documents), []
    while True:
        gain = {n: len(set(p) & set(left)) for n, (works, p) in questions.items() if works}
        best = max(gain, key=gain.get, default=None)
        if best is None or not gain[best]:
            return chosen, left
        chosen.append(best)
        left = [document for document in left if document not in questions[best][1]]


def test_a_greedy_cover_hears_that_the_order_is_asked_for():
    given = assess(CANARIES, by_cover)
    assert given.status != "correct"
    assert "order of the documents" in str(given)


def test_a_canary_guards_every_document_of_its_evidence():
    questions = {"q1": (True, ["act", "rent"]), "q2": (True, ["rent"]), "q3": (False, ["map"])}
    assert choose_canaries(["act", "rent", "map"], questions) == (["q1"], ["map"])


def last_ones_only(number):
    def answer(prompts: list[list[int]], least: int) -> int:
        sizes = [
            max([0, *(shared(prompt, earlier) for earlier in prompts[max(0, n - number) : n])])
            for n, prompt in enumerate(prompts)
        ]
        return sum(size for size in sizes if size >= least)

    return answer


@pytest.mark.parametrize("number", [5, 35])
def test_a_cache_that_forgets_early_prompts_is_found(number):
    given = assess(CACHING, last_ones_only(number))
    assert given.status != "correct"
    assert "You forgot prompts" in str(given)


def hundred_numbers(stored: dict[str, str], doc_id: str, chunks: list[str]) -> dict[str, str]:
    made = dict(stored)
    for number in range(100):
        made.pop(f"{doc_id}:{number}", None)
    return made | {f"{doc_id}:{number}": text for number, text in enumerate(chunks)}


def test_a_ghost_beyond_a_limit_is_found():
    given = assess(UPDATING, hundred_numbers)
    assert given.status != "correct"
    assert "limit of yours" in str(given)
