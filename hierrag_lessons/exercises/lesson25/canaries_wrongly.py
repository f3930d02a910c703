"""Exercise 25.4, canaries for every document: the wrong answers, and what is said to each."""

from __future__ import annotations

from hierrag_lessons.exercises.exercise import Exercise, Mistake
from hierrag_lessons.exercises.lesson25.canaries import Chosen, Questions, cases, choose_canaries, look_again


def _whatever_works(documents: list[str], questions: Questions) -> Chosen:
    return choose_canaries(documents, {name: (True, places) for name, (_, places) in questions.items()})


def _one_each(documents: list[str], questions: Questions) -> Chosen:
    chosen: list[str] = []
    unguarded = []
    for document in documents:
        names = [name for name, (works, places) in questions.items() if works and document in places]
        if not names:
            unguarded.append(document)
        elif names[0] not in chosen:
            chosen.append(names[0])
    return chosen, unguarded


def _again(documents: list[str], questions: Questions) -> Chosen:
    first = [
        next((name for name, (works, places) in questions.items() if works and document in places), None)
        for document in documents
    ]
    unguarded = [document for document, name in zip(documents, first, strict=True) if name is None]
    return [name for name in first if name is not None], unguarded


def _first_place(documents: list[str], questions: Questions) -> Chosen:
    return choose_canaries(documents, {name: (works, places[:1]) for name, (works, places) in questions.items()})


def _all_that_work(documents: list[str], questions: Questions) -> Chosen:
    _, unguarded = choose_canaries(documents, questions)
    return [name for name, (works, places) in questions.items() if works and set(places) & set(documents)], unguarded


def _by_questions(documents: list[str], questions: Questions) -> Chosen:
    chosen, guarded = [], set[str]()
    for name, (works, places) in questions.items():
        if works and set(places) & set(documents) - guarded:
            chosen.append(name)
            guarded.update(places)
    return chosen, [document for document in documents if document not in guarded]


def _nobody_unguarded(documents: list[str], questions: Questions) -> Chosen:
    return choose_canaries(documents, questions)[0], []


def _asked_about(documents: list[str], questions: Questions) -> Chosen:
    asked = {place for _, places in questions.values() for place in places}
    return choose_canaries(documents, questions)[0], [document for document in documents if document not in asked]


def _stop_at_the_first(documents: list[str], questions: Questions) -> Chosen:
    chosen, unguarded = choose_canaries(documents, questions)
    if not unguarded:
        return chosen, unguarded
    return choose_canaries(documents[: documents.index(unguarded[0])], questions)[0], unguarded[:1]


def _greedy(documents: list[str], questions: Questions) -> Chosen:
    """Cover: always the question that guards most of what is left. Fewer canaries, in an order of its own."""
    left, chosen = set(documents), list[str]()
    working = {name: set(places) for name, (works, places) in questions.items() if works}
    while any(left & places for places in working.values()):
        name = max(working, key=lambda name: len(working[name] & left))
        chosen.append(name)
        left -= working[name]
    return chosen, [document for document in documents if document in left]


def _without_break(documents: list[str], questions: Questions) -> Chosen:
    """Every question on an unguarded document is taken, not the first alone."""
    chosen, unguarded, guarded = list[str](), list[str](), set[str]()
    for document in documents:
        if document in guarded:
            continue
        for name, (works, places) in questions.items():
            if works and document in places:
                chosen.append(name)
                guarded.update(places)
        if document not in guarded:
            unguarded.append(document)
    return chosen, unguarded


def _gives_up(documents: list[str], questions: Questions) -> Chosen:
    """Where the first question on a document does not work, no other is tried."""
    chosen, unguarded, guarded = list[str](), list[str](), set[str]()
    for document in documents:
        if document in guarded:
            continue
        name = next((name for name, (_, places) in questions.items() if document in places), None)
        if name is None or not questions[name][0]:
            unguarded.append(document)
        else:
            chosen.append(name)
            guarded.update(questions[name][1])
    return chosen, unguarded


def _most_of_its_questions(documents: list[str], questions: Questions) -> Chosen:
    """Of a document's questions the one that guards most documents without a guard."""
    chosen, unguarded, guarded = list[str](), list[str](), set[str]()
    for document in documents:
        if document in guarded:
            continue
        names = [name for name, (works, places) in questions.items() if works and document in places]
        if names:
            chosen.append(max(names, key=lambda name: len(set(questions[name][1]) - guarded)))
            guarded.update(questions[chosen[-1]][1])
        else:
            unguarded.append(document)
    return chosen, unguarded


def _last_question(documents: list[str], questions: Questions) -> Chosen:
    return choose_canaries(documents, dict(reversed(questions.items())))


def _swapped(documents: list[str], questions: Questions) -> Chosen:
    chosen, unguarded = choose_canaries(documents, questions)
    return unguarded, chosen


def _sorted(documents: list[str], questions: Questions) -> Chosen:
    chosen, unguarded = choose_canaries(documents, questions)
    return sorted(chosen), sorted(unguarded)


def _sets(documents: list[str], questions: Questions) -> tuple[set[str], set[str]]:
    chosen, unguarded = choose_canaries(documents, questions)
    return set(chosen), set(unguarded)


CANARIES = Exercise(
    id="25.4",
    title="Canaries for every document",
    solution=choose_canaries,
    oracle=look_again,
    cases=cases,
    hints=(
        "Keep a set of the documents that are guarded. A chosen question puts all of its documents into it.",
        "For each document in turn: skip it where it is guarded; else look for the first question that works and has "
        "evidence in it; where there is none, nobody guards it.",
        "A `for` over the questions with `break` where one is found has an `else` that runs where none was.",
    ),
    mistakes=(
        Mistake(
            _greedy,
            "You took the question that guards most first. That is a good way, often with fewer canaries. Asked here "
            "is the order of the documents: a new question at the end then changes nothing that was chosen before it.",
        ),
        Mistake(
            _without_break,
            "You took every question on a document that works. One is enough: stop at the first (`break`).",
        ),
        Mistake(
            _gives_up,
            "You gave a document up because the first question on it is not answered today. Look at the next ones.",
        ),
        Mistake(
            _most_of_its_questions,
            "Of a document's questions you took the one that guards most. Asked is the first: then a question that is "
            "added at the end changes nothing that was chosen before it.",
        ),
        Mistake(_last_question, "You took the last of the questions that guard a document. Take the first."),
        Mistake(_swapped, "The two lists are swapped: first the canaries, then the documents without a guard."),
        Mistake(_sorted, "You sorted the lists. Both are in the order in which they came about."),
        Mistake(_sets, "You returned sets. Two lists are asked for, in the order in which they came about."),
        Mistake(
            _whatever_works,
            "You chose a question that is not answered today. It rings every night, and after a week nobody looks.",
        ),
        Mistake(
            _one_each,
            "You took the first question for each document, even where an earlier canary guards it: a question guards "
            "every document that its evidence is in.",
        ),
        Mistake(_again, "One question is in the list twice. A document that is guarded already needs nothing."),
        Mistake(
            _first_place,
            "You looked at the first document of each question alone. Its evidence can be in several, and it guards "
            "all of them.",
        ),
        Mistake(_all_that_work, "You took every question that works. Wanted is one for each document without a guard."),
        Mistake(
            _by_questions,
            "You went through the questions. Go through the documents: for each one without a guard take the first "
            "question that guards it.",
        ),
        Mistake(
            _nobody_unguarded,
            "The second list is missing. A document that no canary guards can vanish without a sound: that is what you "
            "want to know.",
        ),
        Mistake(
            _asked_about,
            "A document is unguarded as well where there are questions about it and none of them is answered today.",
        ),
        Mistake(
            _stop_at_the_first,
            "You stopped at the first document without a guard. The ones behind it need canaries as well.",
        ),
    ),
)
