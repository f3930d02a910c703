"""Exercise 25.1, what a prompt cache really had: the wrong answers, and what is said to each."""

from __future__ import annotations

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson25.caching import Prompts, all_beginnings, cases, from_cache


def _shared(prompt: list[int], earlier: list[int]) -> int:
    size = 0
    while size < min(len(prompt), len(earlier)) and prompt[size] == earlier[size]:
        size += 1
    return size


def _any_known_token(prompts: Prompts, least: int) -> int:
    known: set[int] = set()
    total = 0
    for prompt in prompts:
        again = sum(token in known for token in prompt)
        total += again if again >= least else 0
        known.update(prompt)
    return total


def _directly_before(prompts: Prompts, least: int) -> int:
    sizes = [_shared(prompts[i], prompts[i - 1]) for i in range(1, len(prompts))]
    return sum(size for size in sizes if size >= least)


def _first_prompt(prompts: Prompts, least: int) -> int:
    sizes = [_shared(prompt, prompts[0]) for prompt in prompts[1:]]
    return sum(size for size in sizes if size >= least)


def _no_minimum(prompts: Prompts, least: int) -> int:
    return from_cache(prompts, 1)


def _more_than_least(prompts: Prompts, least: int) -> int:
    return from_cache(prompts, least + 1)


def _common_to_all(prompts: Prompts, least: int) -> int:
    if len(prompts) < 2:
        return 0
    size = min(_shared(prompt, prompts[0]) for prompt in prompts)
    return size * (len(prompts) - 1) if size >= least else 0


def _at_the_same_place(prompts: Prompts, least: int) -> int:
    total = 0
    for number, prompt in enumerate(prompts):
        same = [sum(a == b for a, b in zip(prompt, earlier, strict=False)) for earlier in prompts[:number]]
        longest = max(same, default=0)
        total += longest if longest >= least else 0
    return total


def _what_is_over(prompts: Prompts, least: int) -> int:
    return sum(max(0, _longest(prompts, 1, number) - least) for number in range(len(prompts)))


def _longest(prompts: Prompts, least: int, number: int) -> int:
    longest = max((_shared(prompts[number], earlier) for earlier in prompts[:number]), default=0)
    return longest if longest >= least else 0


def _all_added_up(prompts: Prompts, least: int) -> int:
    """The sum over all earlier prompts, where the longest beginning is meant."""
    sizes = [_shared(prompts[n], earlier) for n in range(len(prompts)) for earlier in prompts[:n]]
    return sum(size for size in sizes if size >= least)


def _later_as_well(prompts: Prompts, least: int) -> int:
    sizes = [
        max((_shared(prompt, other) for other in prompts[:number] + prompts[number + 1 :]), default=0)
        for number, prompt in enumerate(prompts)
    ]
    return sum(size for size in sizes if size >= least)


def _whole_prompt(prompts: Prompts, least: int) -> int:
    return sum(len(prompt) for number, prompt in enumerate(prompts) if _longest(prompts, least, number))


def _how_many_prompts(prompts: Prompts, least: int) -> int:
    return sum(_longest(prompts, least, number) > 0 for number in range(len(prompts)))


def _in_steps(prompts: Prompts, least: int) -> int:
    return sum(_longest(prompts, least, number) // least * least for number in range(len(prompts)))


def _earlier_is_whole(prompts: Prompts, least: int) -> int:
    """Only an earlier prompt that is the beginning of this one, whole, counts."""
    sizes = [
        max((len(earlier) for earlier in prompts[:number] if prompt[: len(earlier)] == earlier), default=0)
        for number, prompt in enumerate(prompts)
    ]
    return sum(size for size in sizes if size >= least)


def _only_the_minimum(prompts: Prompts, least: int) -> int:
    return sum(least for number in range(len(prompts)) if _longest(prompts, least, number))


def _price_saved(prompts: Prompts, least: int) -> float:
    return 0.9 * from_cache(prompts, least)


def _share(prompts: Prompts, least: int) -> float:
    return from_cache(prompts, least) / max(1, sum(map(len, prompts)))


def _one_each(prompts: Prompts, least: int) -> list[int]:
    return [_longest(prompts, least, number) for number in range(len(prompts))]


def _first_that_is_enough(prompts: Prompts, least: int) -> int:
    sizes = (
        [size for earlier in prompts[:n] if (size := _shared(prompts[n], earlier)) >= least]
        for n in range(len(prompts))
    )
    return sum(own[0] for own in sizes if own)


def _never_the_last_token(prompts: Prompts, least: int) -> int:
    sizes = [min(_longest(prompts, 1, number), max(0, len(prompts[number]) - 1)) for number in range(len(prompts))]
    return sum(size for size in sizes if size >= least)


def _forgets(prompts: Prompts, least: int) -> int:
    """Only the last prompts are looked at, as many as five minutes have in the lesson."""
    return sum(_longest(prompts[max(0, number - 35) : number + 1], least, -1) for number in range(len(prompts)))


def _not_from_cache(prompts: Prompts, least: int) -> int:
    return sum(map(len, prompts)) - from_cache(prompts, least)


CACHING = Exercise(
    id="25.1",
    title="What the cache really had",
    solution=from_cache,
    oracle=all_beginnings,
    cases=cases,
    hints=(
        "A cache of prompts compares from the first token on. At the first token that differs it is over.",
        "For each prompt: with which of all the earlier ones does it share the longest beginning?",
        "Count with a loop up to the shorter of the two lengths, keep the largest count, and add it where it is at "
        "least `least`.",
    ),
    mistakes=(
        Mistake(
            _any_known_token,
            "You counted every token that was seen before. A cache keeps beginnings: behind the first token that "
            "differs nothing is found again, whatever it says.",
        ),
        Mistake(
            _directly_before,
            "You compared with the prompt directly before. The cache still has the others: take the best of all "
            "earlier prompts.",
        ),
        Mistake(
            _forgets,
            "You forgot prompts: of many, only the last ones were compared. This cache keeps all prompts of the day.",
        ),
        Mistake(
            _not_from_cache, "You counted the tokens that were read anew. Asked are those that came out of the cache."
        ),
        Mistake(_first_prompt, "You compared with the first prompt alone. Take the best of all earlier prompts."),
        Mistake(_no_minimum, "A beginning of fewer than `least` tokens is not kept at all: it counts 0."),
        Mistake(_more_than_least, "A beginning of exactly `least` tokens is kept."),
        Mistake(
            _common_to_all,
            "You counted what all prompts have in common. Two prompts may share more than that, and one other prompt "
            "takes nothing away from them.",
        ),
        Mistake(
            _at_the_same_place,
            "You went on behind the first token that differs. From there on nothing comes out of the cache, even where "
            "the tokens are the same again.",
        ),
        Mistake(
            _all_added_up,
            "You added up what a prompt shares with every earlier one. It is read once: take the longest beginning "
            "alone.",
        ),
        Mistake(_later_as_well, "You looked at later prompts as well. The cache has only what was sent before."),
        Mistake(
            _whole_prompt,
            "You counted the whole prompt where its beginning was found. Behind the beginning it is read at the full "
            "price.",
        ),
        Mistake(_how_many_prompts, "You counted prompts. Asked are the tokens that came out of the cache."),
        Mistake(_in_steps, "You rounded down to a multiple of `least`. From `least` on every single token counts."),
        Mistake(
            _earlier_is_whole,
            "You asked for an earlier prompt that is whole in this one. A beginning that both share is enough.",
        ),
        Mistake(
            _what_is_over,
            "You took `least` off. Once a beginning is long enough, all of it is read from the cache.",
        ),
        Mistake(
            _only_the_minimum,
            "You added `least` for each hit. `least` decides whether a beginning counts; what counts is its length.",
        ),
        Mistake(_price_saved, "You multiplied by 0.9, what is saved. Asked are the tokens that came out of the cache."),
        Mistake(_share, "You divided by all tokens of the day. Asked is the number of tokens, not their share."),
        Mistake(_one_each, "You returned one number for each prompt. Asked is the sum of the day."),
        Mistake(
            _first_that_is_enough,
            "You stopped at the first earlier prompt that shares enough, or kept none whose beginning was found. A "
            "later one may share more: keep all, and take the longest.",
        ),
        Mistake(
            _never_the_last_token,
            "You left out the last token of a prompt that was sent before. The same prompt again is found to its end.",
        ),
    ),
)
