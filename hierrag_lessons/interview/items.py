"""What an interviewer asks: questions, design cases and code reviews, each with the rubric that it is marked by.

Lesson 26 uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.interview.rubrics import InterviewLevel, RubricPoint, check_filled, check_item


@dataclass(frozen=True, slots=True, repr=False)
class InterviewQuestion:
    """A question with its rubric, a model answer, and the answer that sounds right and is wrong.

    >>> rubric = (RubricPoint("same tokens", 2), RubricPoint("an interval"), RubricPoint("own questions"))
    >>> ask = InterviewQuestion("q", "senior", "evaluation", "Which is better?", rubric, "Compare at equal tokens.")
    >>> [point.point for point in ask.rubric]
    ['same tokens', 'an interval', 'own questions']

    Attributes
    ----------
    id, level, topic, question, rubric, answer:
        What is asked, of whom, and what is wanted.
    follow_ups:
        What an interviewer asks next.
    wrong, because:
        The common wrong answer, and why it is wrong.
    lesson, figure:
        The number of the lesson that carries the answer, and its figure, table or image where there is one.
    source:
        Where the question comes from; empty where the course asks it.

    Raises ``ValueError`` for an unknown level, an empty rubric, or a value of another type.
    """

    id: str
    level: InterviewLevel
    topic: str
    question: str
    rubric: tuple[RubricPoint, ...]
    answer: str
    follow_ups: tuple[str, ...] = ()
    wrong: str = ""
    because: str = ""
    lesson: int = 0
    figure: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        check_item(self.id, self.level, self.topic, self.rubric)
        check_filled("question", self.question)
        check_filled("answer", self.answer)
        checks.texts("follow_ups", self.follow_ups)
        for name in ("wrong", "because", "figure", "source"):
            checks.text(name, getattr(self, name))
        checks.whole("lesson", self.lesson, 0)

    def __repr__(self) -> str:
        return _shown(self)

    @property
    def prompt(self) -> str:
        """What the candidate is shown."""
        return self.question

    @property
    def expected(self) -> str:
        """What is shown after the answer: the model answer, the wrong one, what comes next, and where to read on."""
        more = [self.answer]
        if self.wrong:
            more.append(f'Often said, and wrong: "{self.wrong}" {self.because}')
        if self.follow_ups:
            more.append("Then you are asked: " + " / ".join(self.follow_ups))
        lesson = f"lesson {self.lesson:02}"
        place = self.figure if lesson in self.figure else "; ".join(filter(None, [lesson, self.figure]))
        more.append(f"Read on in {place}.")
        return "\n\n".join(more)


@dataclass(frozen=True, slots=True)
class Calculation:
    """One step of a case's arithmetic: what is computed, how, the value, and its unit.

    >>> Calculation("vectors", "1000 * 384 * 4 / 1e6", 1.536, "MB").value
    1.536

    Raises ``ValueError`` for a value that is no number, or a text that is none.
    """

    what: str
    expression: str
    value: float
    unit: str

    def __post_init__(self) -> None:
        for name in ("what", "expression", "unit"):
            checks.text(name, getattr(self, name))
        checks.number("value", self.value, least=None)


@dataclass(frozen=True, slots=True, repr=False)
class DesignCase:
    """A system to be designed under constraints, with a worked solution, its arithmetic and its rubric.

    >>> rubric = (RubricPoint("asks who may read"),)
    >>> case = DesignCase("c", "staff", "production", "A helpdesk", "40,000 tickets.", rubric)
    >>> case.prompt.splitlines()[0]
    'A helpdesk. 40,000 tickets.'

    Attributes
    ----------
    id, level, topic, title, situation, rubric:
        What the system is for, and what a good design says.
    constraints, asks:
        The numbers that are given, and what the candidate is asked for.
    arithmetic:
        The sums of the solution, which anybody can do again.
    solution:
        Paragraphs.
    strong, trap:
        Where a strong candidate differs, and what a junior answer does.
    lessons:
        The numbers of the lessons that carry it.

    Raises ``ValueError`` for an unknown level, an empty rubric, or a value of another type.
    """

    id: str
    level: InterviewLevel
    topic: str
    title: str
    situation: str
    rubric: tuple[RubricPoint, ...]
    constraints: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    arithmetic: tuple[Calculation, ...] = ()
    solution: tuple[str, ...] = ()
    strong: tuple[str, ...] = ()
    trap: str = ""
    lessons: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_item(self.id, self.level, self.topic, self.rubric)
        check_filled("title", self.title)
        check_filled("situation", self.situation)
        for name in ("constraints", "asks", "solution", "strong"):
            checks.texts(name, getattr(self, name))
        checks.each("arithmetic", self.arithmetic, Calculation)
        checks.text("trap", self.trap)
        checks.each("lessons", self.lessons, int)

    def __repr__(self) -> str:
        return _shown(self)

    @property
    def prompt(self) -> str:
        """What the candidate is shown."""
        lines = [f"{self.title}. {self.situation}", *(f"- {line}" for line in self.constraints)]
        return "\n".join([*lines, *(f"{number}. {line}" for number, line in enumerate(self.asks, start=1))])

    @property
    def expected(self) -> str:
        """What is shown after the answer: the solution, its arithmetic, the trap, and what the strong ones add."""
        sums = [f"- {step.what}: {step.expression} = {step.value:g} {step.unit}" for step in self.arithmetic]
        parts = [*self.solution, *(["\n".join(sums)] if sums else [])]
        parts += [f"A junior answer: {self.trap}"] if self.trap else []
        parts += ["A strong candidate:\n" + "\n".join(f"- {line}" for line in self.strong)] if self.strong else []
        return "\n\n".join(parts)


@dataclass(frozen=True, slots=True, repr=False)
class CodeReview:
    """Code with a mistake, the repair, and a check that fails on one and passes on the other.

    >>> rubric = (RubricPoint("the border is lost"),)
    >>> review = CodeReview("r", "junior", "chunking", "A splitter", "Cuts a text.", "n = 1", "n is 1", "n = 2",
    ...                     "assert n == 2", rubric)
    >>> review.prompt.splitlines()[-1]
    'n = 1'

    Attributes
    ----------
    id, level, topic, title, context, rubric:
        What the code is for, and what a good review says.
    code, fault, fix, check:
        The broken code, what is wrong with it, code to put in its place, and asserts to run after either.
    lesson, source:
        The number of the lesson that carries it, and where the mistake was found.

    The code is the course's own and is run by its tests; run no other set of reviews that you have not read.
    Raises ``ValueError`` for an unknown level, an empty rubric, or a value of another type.
    """

    id: str
    level: InterviewLevel
    topic: str
    title: str
    context: str
    code: str
    fault: str
    fix: str
    check: str
    rubric: tuple[RubricPoint, ...]
    lesson: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        check_item(self.id, self.level, self.topic, self.rubric)
        for name in ("title", "context", "code", "fault", "fix", "check"):
            check_filled(name, getattr(self, name))
        checks.text("source", self.source)
        checks.whole("lesson", self.lesson, 0)

    def __repr__(self) -> str:
        return _shown(self)

    @property
    def prompt(self) -> str:
        """What the candidate is shown."""
        return f"{self.title}. {self.context} What is wrong?\n\n{self.code}"

    @property
    def expected(self) -> str:
        """What is shown after the answer: the fault and the repair."""
        return f"{self.fault}\n\n{self.fix}\n\nRead on in lesson {self.lesson:02}."


InterviewItem = InterviewQuestion | DesignCase | CodeReview
"""Whatever can be asked and marked: it has an id, a level, a topic, a rubric, a prompt, and what is expected."""


def _shown(item: InterviewItem) -> str:
    """What a notebook shows: the question alone, never the answer or the rubric."""
    return f"{item.id} · {item.level} · {item.topic}\n\n{item.prompt}"
