"""Every method on one's own documents and questions, one after the other, and the best of them.

Lesson 24 uses it.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

import regex

from hierrag_lessons import checks
from hierrag_lessons.embedding import TruncationWarning, default_embedder
from hierrag_lessons.evaluation import Question, Result, Table, budget_curve, evaluate, verdicts
from hierrag_lessons.model import Document, Embedder, Language, Retriever
from hierrag_lessons.own_documents.keeping import Measured, load, mark_of, prompt_tokens, reduced, save
from hierrag_lessons.own_documents.leads import widened_verdicts
from hierrag_lessons.own_documents.methods import Method, own_methods
from hierrag_lessons.own_documents.recommendation import Recommendation
from hierrag_lessons.own_documents.recommending import recommend
from hierrag_lessons.own_documents.silver import SILVER
from hierrag_lessons.store import temporary_index
from hierrag_lessons.text import count_tokens

BUDGETS = 5
"""How many budgets methods are compared at, at most: the largest, half of it, and so on."""
LEAST_BUDGET = 250
"""The smallest budget, in tokens: nobody sends less, and hardly a chunk fits into it."""

TIMED = 20
"""Questions that one search each is timed with."""

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
    measured = _measured(methods, read, asked, budgets, embedders, folder, progress or (lambda line: None))
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


def _measured(
    methods: Mapping[str, Method],
    documents: Sequence[Document],
    questions: Sequence[Question],
    budgets: Sequence[int],
    embedders: Mapping[Language, Embedder],
    folder: Path | None,
    progress: Progress,
) -> dict[str, Measured]:
    by_id, asked = {d.doc_id: d for d in documents}, {q.id: q for q in questions}
    found: dict[str, Measured] = {}
    for place, (name, method) in enumerate(methods.items(), start=1):
        if name in found:  # its index was another one's
            continue
        kept = load(_file(folder, name), by_id, asked) if folder else None
        if kept is not None:
            found[name] = kept
            progress(f"method {place} of {len(methods)}: {name} (kept from an earlier run)")
            continue
        # All that search the same index are measured while it is there.
        group = [other for other in methods.values() if other.tree == method.tree and other.name not in found]
        progress(f"method {place} of {len(methods)}: {', '.join(other.name for other in group)}")
        for one in _on_one_index(group, documents, questions, budgets, embedders):
            found[one.name] = one
            if folder:
                save(one, _file(folder, one.name))
    return found


def _on_one_index(
    group: Sequence[Method],
    documents: Sequence[Document],
    questions: Sequence[Question],
    budgets: Sequence[int],
    embedders: Mapping[Language, Embedder],
) -> Iterator[Measured]:
    rows = {method.name: list[Result]() for method in group}
    times = {method.name: list[float]() for method in group}
    seconds, size, vectors = 0.0, 0, 0
    for language, embedder in embedders.items():
        asked = [question for question in questions if question.language == language]
        started = time.perf_counter()
        trees = (group[0].cut(document) for document in documents if document.language == language)
        with temporary_index(trees, embedder=embedder) as index, warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)  # the report says how much is not read
            seconds += time.perf_counter() - started
            storage = index.storage()
            size += sum(level.total_bytes for level in storage)
            vectors += sum(level.vectors for level in storage)
            for method in group:
                retriever = method.retrieve(index)
                rows[method.name].append(reduced(evaluate(retriever, asked, budgets)))
                times[method.name] += _query_times(retriever, asked)
    for method in group:
        result = Result(tuple(row for part in rows[method.name] for row in part.rows))
        written = prompt_tokens(result)
        yield Measured(method.name, result, seconds, median(times[method.name]), size, vectors, written)


def _query_times(retriever: Retriever, questions: Sequence[Question]) -> list[float]:
    """Milliseconds of one search each, for some of the questions."""
    times = []
    for question in questions[:: max(1, len(questions) // TIMED)][:TIMED]:
        started = time.perf_counter()
        retriever.retrieve_batch([question.question], 10)
        times.append(1000 * (time.perf_counter() - started))
    return times


def _file(folder: Path, name: str) -> Path:
    return folder / f"{regex.sub(r'[^a-z0-9]+', '_', name.lower())}.json"
