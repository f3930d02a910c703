"""Items to ask, for the tests of the room."""

from hierrag_lessons.interview import CodeReview, DesignCase, InterviewQuestion, RubricPoint

POINTS = (RubricPoint("same tokens", 2), RubricPoint("an interval"), RubricPoint("own questions"))
LEVELS = ("junior", "senior", "staff")


def ask(own_id="q", level="senior", topic="evaluation", rubric=POINTS, answer="Because."):
    return InterviewQuestion(own_id, level, topic, f"Why {own_id}?", rubric, answer)


def deck(topics=4, each=6):
    """Questions of all levels in some topics: ``topic 0-0``, ``topic 0-1`` and so on."""
    return [ask(f"topic {t}-{n}", LEVELS[n % 3], f"topic {t}") for t in range(topics) for n in range(each)]


def review(own_id="r", code="n = 1"):
    return CodeReview(
        own_id, "senior", "topic 0", "A number", "It counts.", code, "It is 1.", "n = 2", "assert n == 2", POINTS
    )


def case(own_id="c"):
    return DesignCase(own_id, "senior", "topic 1", "A helpdesk", "40,000 tickets.", POINTS, asks=("Choose.",))
