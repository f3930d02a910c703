"""Questions with their gold evidence as spans.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

from hierrag_lessons import checks
from hierrag_lessons.evaluation.evidence import Evidence
from hierrag_lessons.evaluation.geometry import Geometry
from hierrag_lessons.model import Language
from hierrag_lessons.reading import Collection

UNANSWERABLE = "unanswerable"

Wording = Literal["user", "avoiding"]
"""``"user"``: in the words that somebody who wants to know would use. ``"avoiding"``: in words that the text avoids."""

Tier = Literal["easy", "medium", "hard"]
"""How much of the evidence simple methods find, see ``benchmarks.questions``."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its answer, and where the answer stands.

    ``type`` is one of single_fact, summary, enumeration, process, dialogue and unanswerable in the course's own
    questions; public data sets bring names of their own. ``key_facts`` are short strings that a complete answer holds.
    ``scope`` is set where only documents whose id starts with it may be searched.

    The course's own questions say more: in whose ``wording`` they are, and which question asks the ``partner`` for the
    same in the other; which ``collection`` they are asked on; the ``geometry`` of their evidence; their ``tier``; and
    the ``cluster`` of questions with which they share evidence, all of which are in one ``split``. ``None`` means that
    it is not known.

    Raises ``ValueError`` for a blank id, question, type or key fact, an unknown language, wording, collection, geometry
    or tier, an unanswerable question with evidence, any other question without, and a value of another type.
    """

    id: str
    question: str
    type: str
    answer: str | None
    evidence: tuple[Evidence, ...]
    key_facts: tuple[str, ...] = ()
    language: Language = "en"
    split: str = "dev"
    scope: str | None = None
    wording: Wording | None = None
    partner: str | None = None
    collection: Collection = "core"
    geometry: Geometry | None = None
    tier: Tier | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        for name in ("id", "question", "type", "split"):
            checks.text(name, getattr(self, name))
            if not getattr(self, name).strip():
                raise ValueError(f"{name} is blank; give every question an id, a text, a type and a split")
        checks.text("answer", self.answer, none="no answer")
        checks.each("evidence", self.evidence, Evidence)
        checks.one_of("language", self.language, Language)
        checks.text("scope", self.scope, none="all documents")
        checks.one_of("wording", self.wording, Wording, none="not known")
        checks.one_of("collection", self.collection, Collection)
        checks.one_of("geometry", self.geometry, Geometry, none="not known")
        checks.one_of("tier", self.tier, Tier, none="not known")
        for name in ("partner", "cluster"):
            checks.text(name, getattr(self, name), none="none")
        if self.answerable and not self.evidence:
            raise ValueError(f"a question of type {self.type!r} has no evidence; give some, or the type 'unanswerable'")
        if self.evidence and not self.answerable:
            raise ValueError("an unanswerable question has evidence; leave the evidence out, or give another type")
        if not all(fact.strip() for fact in checks.texts("key_facts", self.key_facts)):
            raise ValueError(f"key_facts {self.key_facts!r} has a blank one; leave it out")

    @property
    def answerable(self) -> bool:
        """Whether the documents hold an answer."""
        return self.type != UNANSWERABLE


@dataclass(frozen=True, repr=False)
class QuestionSet(Sequence[Question]):
    """The questions of a file, used like a list, and the ones that had to be left out.

    ``dropped`` maps the id of each question that was left out to the reason.
    """

    questions: tuple[Question, ...]
    dropped: Mapping[str, str] = field(default_factory=dict)

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Question, ...]: ...
    def __getitem__(self, index: int | slice) -> Question | tuple[Question, ...]:
        return self.questions[index]

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        dropped = f", {len(self.dropped)} dropped: {', '.join(self.dropped)}" if self.dropped else ""
        return f"QuestionSet({len(self)} questions{dropped})"
