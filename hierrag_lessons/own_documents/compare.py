"""Every method on one's own documents and questions, one after the other, and the best of them.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import regex

from hierrag_lessons import checks
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.evaluation import Question, Result, Table, budget_curve, verdicts
from hierrag_lessons.model import Document, Embedder, Language
from hierrag_lessons.own_documents.ahead import embed_ahead
from hierrag_lessons.own_documents.keeping import Measured, load, mark_of, save
from hierrag_lessons.own_documents.leads import widened_verdicts
from hierrag_lessons.own_documents.measuring import measure_group
from hierrag_lessons.own_documents.methods import Method, own_methods
from hierrag_lessons.own_documents.recommendation import Recommendation
from hierrag_lessons.own_documents.recommending import recommend
from hierrag_lessons.own_documents.silver import SILVER
from hierrag_lessons.store.rows import embedded_texts
from hierrag_lessons.text import count_tokens

BUDGETS = 5
"""How many budgets methods are compared at, at most: the largest, half of it, and so on."""
LEAST_BUDGET = 250
"""The smallest budget, in tokens: nobody sends less, and hardly a chunk fits into it."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Comparison:
    """What was compared, what each method found, and the recommendation.

    ``measured`` is by name, the yardstick first. ``asked`` are the questions with an answer, and ``left_out`` says in
    one line each what of documents and questions was not part of it.
    """

    documents: tuple[Document, ...]
    asked: tuple[Question, ...]
    budgets: tuple[int, ...]
    measured: Mapping[str, Measured]
    recommendation: Recommendation
    embedders: Mapping[Language, Embedder]
    left_out: tuple[str, ...] = ()

    @cached_property
    def tokens(self) -> int:
        """Of all documents."""
        return sum(count_tokens(document.text) for document in self.documents)

    @property
    def results(self) -> dict[str, Result]:
        """Each method's result, to be given to ``evaluation.compare`` and the like."""
        return {name: one.result for name, one in self.measured.items()}

    @cached_property
    def recall(self) -> Table:
        """Mean recall over the budgets with the difference from the yardstick, see ``evaluation.verdicts``."""
        return widened_verdicts(verdicts(self.results), len(self.asked))

    @cached_property
    def complete(self) -> Table:
        """The same for the share of questions whose evidence was found completely."""
        return widened_verdicts(verdicts(self.results, "complete"), len(self.asked))

    @cached_property
    def curve(self) -> Table:
        """Recall at each budget with its interval, see ``evaluation.budget_curve``."""
        return budget_curve(self.results)

    def __repr__(self) -> str:
        return f"{self.recommendation.text}\n{self.recall!r}"


def compare_methods(
    documents: Iterable[Document],
    questions: Iterable[Question],
    *,
    budget: int = 4000,
    keep: Path | str | None = None,
    embedder: Embedder | None = None,
    bf16: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Try every method of :func:`~hierrag_lessons.own_documents.methods.own_methods` at equal context budgets.

    Parameters
    ----------
    documents, questions:
        For example those of ``read_folder`` and ``read_questions``. A question is asked on the documents in its own
        language. Unanswerable ones have no evidence and are left out.
    budget:
        The largest context, in tokens; up to four smaller ones, each half of the one before and none below 250, are
        measured with it. What methods are compared by is the mean over all of them.
    keep:
        A folder where each finished method is written, and found again by a later run on the same documents, questions
        and budget; ``None`` keeps nothing.
    embedder:
        The default one of each language where not given, which for English has a cache, so that no text is embedded
        twice.
    bf16:
        Let the default embedder compute with 16-bit numbers, see :func:`~hierrag_lessons.embedding.default_embedder`.
        An ``embedder`` of your own is used as it is.
    progress:
        Is called with a line before each method.

    Raises
    ------
    ValueError
        For a budget below 250, documents or questions with the same id, and fewer than two questions that can be
        answered from the documents.
    """
    checks.whole("budget", budget, LEAST_BUDGET)
    checks.able("embedder", embedder, "encode", none="the language's own")
    checks.instance("bf16", bf16, bool)
    kept_in = None if keep is None else checks.path("keep", keep)
    given = checks.each("documents", documents, Document)
    asked, left_out = _chosen(given, checks.each("questions", questions, Question))
    languages: list[Language] = sorted({question.language for question in asked})
    read = [document for document in given if document.language in languages]
    if len(read) < len(given):
        left_out.append(f"{len(given) - len(read)} documents, in a language in which no question is asked")
    embedders = {language: embedder or default_embedder(language, bf16=bf16) for language in languages}
    halved = (budget // 2**times for times in reversed(range(BUDGETS)))
    budgets = tuple(each for each in halved if each >= LEAST_BUDGET)
    names = [embedders[language].name for language in languages]
    folder = None if kept_in is None else kept_in / mark_of(given, asked, budgets, names)
    methods = own_methods()
    tell = progress or (lambda line: None)
    measured = _kept(methods, folder, read, asked)
    _embed([method for name, method in methods.items() if name not in measured], read, embedders, tell)
    _measure(methods, measured, read, asked, budgets, embedders, folder, tell)
    ordered = {name: measured[name] for name in methods}
    silver = all(question.type == SILVER for question in asked)
    # Silver questions are words of their passage: they cannot say whether to search by words or by vectors.
    never = [name for name, method in methods.items() if silver and method.mode != "hybrid"]
    efforts = {name: method.effort for name, method in methods.items()}
    advice = recommend(
        {name: one.result for name, one in ordered.items()},
        efforts,
        silver=silver,
        never=never,
        tokens=sum(count_tokens(document.text) for document in read),
    )
    return Comparison(tuple(read), tuple(asked), budgets, ordered, advice, embedders, tuple(left_out))


def _chosen(documents: Sequence[Document], questions: Sequence[Question]) -> tuple[list[Question], list[str]]:
    """The questions that can be measured, and what was left out."""
    for name, ids in (("documents", [d.doc_id for d in documents]), ("questions", [q.id for q in questions])):
        if twice := [each for each, n in Counter(ids).items() if n > 1]:
            raise ValueError(f"{name}: the ids {twice[:5]} come twice; give each its own")
    language_of = {document.doc_id: document.language for document in documents}
    asked, left_out = [], list[str]()
    unanswerable = [question for question in questions if not question.answerable]
    for question in questions:
        missing = [piece.doc_id for piece in question.evidence if piece.doc_id not in language_of]
        if missing:
            raise ValueError(
                f"question {question.id!r} has evidence in {missing[0]!r}, which is not among the documents"
            )
        if question.answerable:
            asked.append(question)
    if len(asked) < 2:
        raise ValueError(
            f"questions has {len(asked)} with an answer in the documents; give two at least, and fifty or more to "
            "see a difference"
        )
    if unanswerable:
        left_out.append(f"{len(unanswerable)} unanswerable questions, for which there is nothing to find")
    return asked, left_out


def _kept(
    methods: Iterable[str], folder: Path | None, documents: Sequence[Document], questions: Sequence[Question]
) -> dict[str, Measured]:
    """What an earlier run has measured, by method."""
    if folder is None:
        return {}
    by_id, asked = {d.doc_id: d for d in documents}, {q.id: q for q in questions}
    found = {name: load(_file(folder, name), by_id, asked) for name in methods}
    return {name: one for name, one in found.items() if one is not None}


def _embed(
    methods: Sequence[Method],
    documents: Sequence[Document],
    embedders: Mapping[Language, Embedder],
    tell: Progress,
) -> None:
    """Embed the texts of all these methods' indexes in one pass."""
    cuts = {method.tree: method.cut for method in methods}.values()
    for language, embedder in embedders.items():
        own = [document for document in documents if document.language == language]
        texts = (text for cut in cuts for document in own for text in embedded_texts(cut(document), language))
        embed_ahead(texts, embedder, tell)


def _measure(
    methods: Mapping[str, Method],
    measured: dict[str, Measured],
    documents: Sequence[Document],
    questions: Sequence[Question],
    budgets: Sequence[int],
    embedders: Mapping[Language, Embedder],
    folder: Path | None,
    tell: Progress,
) -> None:
    """Add to ``measured`` what is not in it yet."""
    kept = set(measured)
    for place, (name, method) in enumerate(methods.items(), start=1):
        if name in kept:
            tell(f"method {place} of {len(methods)}: {name} (kept from an earlier run)")
        if name in measured:  # its index was another one's
            continue
        # All that search the same index are measured while it is there.
        group = [other for other in methods.values() if other.tree == method.tree and other.name not in measured]
        tell(f"method {place} of {len(methods)}: {'; '.join(other.name for other in group)}")
        for one in measure_group(group, documents, questions, budgets, embedders):
            measured[one.name] = one
            if folder:
                save(one, _file(folder, one.name))


def _file(folder: Path, name: str) -> Path:
    return folder / f"{regex.sub(r'[^a-z0-9]+', '_', name.lower())}.json"
