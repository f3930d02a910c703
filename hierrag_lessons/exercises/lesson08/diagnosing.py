"""Exercise 08.3, read the trace: why is the answer missing?"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.model import Span


def diagnose(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    """Why the answer is not in the context, in one or two words; "answered" where it is."""
    with_answer = {i for i, chunk in enumerate(chunks) if chunk.start <= says.start and says.end <= chunk.end}
    with_question = {i for i, chunk in enumerate(chunks) if chunk.start <= asks.start and asks.end <= chunk.end}
    context = set(ranking[:room])
    if with_answer & context:
        return "answered"
    if not with_answer:
        return "cut"
    if with_question & context:
        return "question only"
    return "too low" if with_answer & set(ranking) else "not found"


def _by_character(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    """Oracle: chunks as sets of characters, and all five lines written down with their truth, in order."""
    letters = [set(range(*chunk)) for chunk in chunks]
    question, answer = set(range(*asks)), set(range(*says))
    read = [letters[number] for place, number in enumerate(ranking) if place < room]
    lines = [
        ("answered", any(answer <= chunk for chunk in read)),
        ("cut", not any(answer <= chunk for chunk in letters)),
        ("question only", any(question <= chunk for chunk in read)),
        ("too low", any(answer <= letters[number] for number in ranking)),
        ("not found", True),
    ]
    return next(name for name, holds in lines if holds)


def _cases(rng: Random) -> Iterator[tuple[Span, Span, list[Span], list[int], int]]:
    asks, says = Span(10, 20), Span(20, 40)
    apart = [Span(0, 20), Span(20, 60), Span(60, 80)]
    yield asks, says, apart, [1, 0], 1
    yield asks, says, apart, [0, 2, 1], 2
    yield asks, says, apart, [2, 1, 0], 1
    yield asks, says, apart, [2], 2
    yield asks, says, [Span(0, 30), Span(30, 60)], [0, 1], 2
    yield asks, says, [Span(0, 40), Span(40, 60)], [1, 0], 1
    yield asks, says, [Span(0, 15), Span(15, 60), Span(60, 80)], [0, 2, 1], 1
    yield asks, says, apart, [], 3
    yield asks, says, apart, [0], 1
    yield asks, says, apart, [2, 0], 2
    yield asks, says, apart, [2, 0, 1], 1
    yield asks, says, [Span(0, 20), Span(20, 40), Span(40, 60)], [1], 1
    for _ in range(40):
        ends = sorted(rng.sample(range(1, 80), k=rng.randrange(1, 6)))
        chunks = [Span(max(0, a - rng.choice((0, 0, 12))), b) for a, b in zip([0, *ends], [*ends, 80], strict=True)]
        start = rng.randrange(50)
        middle = start + rng.randrange(2, 12)
        ranking = rng.sample(range(len(chunks)), k=rng.randrange(len(chunks) + 1))
        yield Span(start, middle), Span(middle, middle + rng.randrange(2, 16)), chunks, ranking, rng.randrange(1, 4)


def _holds(chunk: Span, span: Span) -> bool:
    return chunk.start <= span.start and span.end <= chunk.end


def _touching(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    def shares(number: int, span: Span) -> bool:
        return chunks[number].start < span.end and span.start < chunks[number].end

    if any(shares(number, says) for number in ranking[:room]):
        return "answered"
    if any(shares(number, asks) for number in ranking[:room]):
        return "question only"
    return "too low" if any(shares(number, says) for number in ranking) else "not found"


def _no_limit(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    return diagnose(asks, says, chunks, ranking, len(ranking))


def _first_only(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    return diagnose(asks, says, chunks, ranking, 1)


def _blames_boundaries(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    context = [chunks[number] for number in ranking[:room]]
    if not any(_holds(chunk, says) for chunk in context) and any(_holds(chunk, asks) for chunk in context):
        return "question only"
    return diagnose(asks, says, chunks, ranking, room)


def _found_is_cut(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    found = [chunks[number] for number in ranking]
    if not any(_holds(chunk, says) for chunk in found):
        return "cut"
    return diagnose(asks, says, chunks, ranking, room)


def _named(
    asks: Span,
    says: Span,
    chunks: list[Span],
    ranking: list[int],
    context: list[int],
    order: tuple[str, ...] = ("answered", "cut", "question only", "too low"),
) -> str:
    """The solution with another context, or with its questions in another order."""
    answer = {i for i, chunk in enumerate(chunks) if _holds(chunk, says)}
    question = {i for i, chunk in enumerate(chunks) if _holds(chunk, asks)}
    truth = {
        "answered": bool(answer & set(context)),
        "cut": not answer,
        "question only": bool(question & set(context)),
        "too low": bool(answer & set(ranking)),
        "not found": not answer & set(ranking),
    }
    return next((name for name in order if truth[name]), "not found")


def _too_low_first(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    order = ("answered", "cut", "too low", "question only")
    return _named(asks, says, chunks, ranking, ranking[:room], order)


def _not_found_first(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    order = ("answered", "cut", "not found", "question only", "too low")
    return _named(asks, says, chunks, ranking, ranking[:room], order)


def _question_anywhere(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    reply = diagnose(asks, says, chunks, ranking, room)
    if reply in ("too low", "not found") and any(_holds(chunks[number], asks) for number in ranking):
        return "question only"
    return reply


def _first_of_the_dialogue(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    return _named(asks, says, chunks, ranking, list(range(min(room, len(chunks)))))


def _both_in_one(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    pairs = {i for i, chunk in enumerate(chunks) if _holds(chunk, asks) and _holds(chunk, says)}
    if pairs & set(ranking[:room]):
        return "answered"
    if not pairs:
        return "cut"
    if any(_holds(chunks[number], asks) for number in ranking[:room]):
        return "question only"
    return "too low" if pairs & set(ranking) else "not found"


def _strictly_inside(asks: Span, says: Span, chunks: list[Span], ranking: list[int], room: int) -> str:
    wider_asks, wider_says = Span(asks.start - 1, asks.end + 1), Span(says.start - 1, says.end + 1)
    return diagnose(wider_asks, wider_says, chunks, ranking, room)


DIAGNOSING = Exercise(
    id="08.3",
    title="Read the trace: why is the answer missing?",
    solution=diagnose,
    oracle=_by_character,
    cases=_cases,
    hints=(
        "Make two sets of numbers first: the chunks that hold the answer, and the chunks that hold the question.",
        "The context is `ranking[:room]`. Ask the five questions in the order in which they are listed.",
        '"cut" is about all chunks, found or not. "too low" is about the whole ranking.',
    ),
    mistakes=(
        Mistake(
            _touching,
            "A chunk that shares some characters with a span is taken for one that holds it. Half an answer is no "
            "answer: all of the span has to be inside.",
        ),
        Mistake(
            _no_limit,
            "All that was found is taken for the context. Only the first `room` chunks were read by the model.",
        ),
        Mistake(_first_only, "Only the first hit is looked at. The context has room for `room` chunks."),
        Mistake(
            _blames_boundaries,
            '"question only" comes before "cut" here. If no chunk holds the whole answer, better boundaries do not '
            "help: the answer is larger than a chunk, or cut through.",
        ),
        Mistake(
            _found_is_cut,
            'An answer that the search did not find is called "cut". Look through all chunks: if one of them holds '
            "the answer, the chunker did its work, and the search failed.",
        ),
        Mistake(
            _too_low_first,
            'Your code says "too low" where "question only" comes first in the list. If the model reads the question '
            "without its answer, more room would only hide that a boundary runs between them.",
        ),
        Mistake(
            _not_found_first,
            'Your code says "not found" where the context holds the question. Look at the context first: "question '
            "only\" is true even if the answer's chunk is nowhere in the ranking.",
        ),
        Mistake(
            _question_anywhere,
            'Your code looks for the question in the whole ranking. "question only" is about the context, so about '
            "`ranking[:room]`.",
        ),
        Mistake(
            _first_of_the_dialogue,
            "The first chunks of the dialogue are taken for the context. `ranking` has the numbers of the chunks that "
            "were found: the context is `[chunks[number] for number in ranking[:room]]`.",
        ),
        Mistake(
            _both_in_one,
            "Your code wants question and answer in one chunk. Here the answer alone is enough: the user has asked the "
            "question already.",
        ),
        Mistake(
            _strictly_inside,
            "A span that begins or ends with its chunk is inside as well: compare with `<=`.",
        ),
    ),
)
