"""Every retriever at equal context budgets, by where the evidence lies: ``python -m benchmarks.retrievers``.

Quality comes from the dev questions in users' words, on the core. Retrievers have their default parameters and search
by vectors and words; what differs stands in the name. Only limits that would leave a large context unfilled are raised,
and the mean size of each context stands next to its recall. The time to build an index is processor time with an empty
embedding cache, from the document to the index, over the part of it that was spent in the embedder.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from benchmarks.results import write
from hierrag_lessons.agents import FixedPolicy, RetrievalTools, ToolRetriever
from hierrag_lessons.chunkers import COURSE_CHUNKERS, course_hierarchy, make_units, sentence_hierarchy
from hierrag_lessons.embedding import (
    CachedEmbedder,
    CharNgramEmbedder,
    MiniLMEmbedder,
    TruncationWarning,
    default_embedder,
)
from hierrag_lessons.evaluation import (
    BUDGETS,
    Change,
    Geometry,
    Result,
    budget_curve,
    compare,
    course_questions,
    largest_changes,
    score_retrievers,
)
from hierrag_lessons.model import Document, Embedder, Hierarchy, Language, Retriever
from hierrag_lessons.ranking import MaxSimReranker
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    DiverseRetriever,
    FlatRetriever,
    FourLevelRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    MultiLevelRetriever,
    ParentChildRetriever,
    RerankingRetriever,
    SegmentRetriever,
    SentenceWindowRetriever,
    SummaryTreeRetriever,
)
from hierrag_lessons.store import Index, Mode, temporary_index
from hierrag_lessons.summaries import build_four_levels, build_summary_tree

LANGUAGES: tuple[Language, ...] = ("en", "zh")
CHANGES_AT = 1000  # tokens
CHILDREN = 4  # to search for each parent asked for, so that large contexts fill
YARDSTICK = "flat"
GEOMETRIES: tuple[Geometry, ...] = get_args(Geometry)


# By name: from a document, with the embedder that the index will have, to what is indexed.
KINDS: Mapping[str, Callable[[Document, Embedder], Hierarchy]] = {
    "leaves": lambda document, embedder: course_hierarchy(document),
    "three levels": lambda document, embedder: replace(course_hierarchy(document), searched=frozenset({0, 2, 3})),
    "sentences": lambda document, embedder: sentence_hierarchy(document),
    "summary tree": lambda document, embedder: build_summary_tree(document, COURSE_CHUNKERS, embedder=embedder),
    "four levels": lambda document, embedder: build_four_levels(document),
    "units": lambda document, embedder: make_units(course_hierarchy(document)),
}


class Entry(NamedTuple):
    """A retriever and the kind of its index."""

    retriever: Retriever
    kind: str


def entries(indexes: Mapping[str, Index], language: Language) -> dict[str, Entry]:
    """Every retriever of the course; flat search by vectors and words, the yardstick, is the first."""
    leaves, layered, tree = indexes["leaves"], indexes["three levels"], indexes["summary tree"]
    flat = FlatRetriever(leaves, mode="hybrid")
    made = {
        YARDSTICK: Entry(flat, "leaves"),
        "flat, vectors alone": Entry(FlatRetriever(leaves), "leaves"),
        "flat, words alone": Entry(FlatRetriever(leaves, mode="text"), "leaves"),
        "sentence window ±2": Entry(SentenceWindowRetriever(indexes["sentences"], mode="hybrid"), "sentences"),
        "parent-child 600/200": Entry(
            ParentChildRetriever(leaves, mode="hybrid", children_per_passage=CHILDREN), "leaves"
        ),
        "auto-merging, over one half": Entry(AutoMergingRetriever(leaves, mode="hybrid"), "leaves"),
        "segments": Entry(SegmentRetriever(leaves, mode="hybrid"), "leaves"),
        "summary tree, collapsed": Entry(SummaryTreeRetriever(tree, mode="hybrid"), "summary tree"),
        "four levels": Entry(FourLevelRetriever(indexes["four levels"], mode="hybrid"), "four levels"),
        "coarse to fine, by meaning": Entry(coarse_to_fine(layered, "vector"), "three levels"),
        "coarse to fine, by words": Entry(coarse_to_fine(layered, "text"), "three levels"),
        "leaves and half of their section": Entry(HybridRetriever(layered, 3, {2: 0.5}), "three levels"),
        "diverse": Entry(DiverseRetriever(flat, leaves.embedder), "leaves"),
        "fixed policy with tools": Entry(
            ToolRetriever(FixedPolicy(RetrievalTools(leaves, mode="hybrid", results=30), steps=31)), "leaves"
        ),
        "every level": Entry(MultiLevelRetriever(indexes["units"]), "units"),
    }
    if language == "en":  # The model whose word pieces are compared does not know most Chinese characters.
        made["reranking by late interaction"] = Entry(RerankingRetriever(flat, MaxSimReranker(), 40), "leaves")
    return made


def coarse_to_fine(index: Index, mode: Mode) -> CoarseToFineRetriever:
    """Documents and sections in this mode, leaves by vector."""
    return CoarseToFineRetriever(
        [
            LevelConfig("document", IndexLevel(index, 0, mode), 10),
            LevelConfig("section", IndexLevel(index, 2, mode), 30, constrain_by="previous"),
            LevelConfig("leaf", IndexLevel(index, 3), 80, constrain_by="previous"),
        ]
    )


@contextmanager
def course_indexes(documents: Sequence[Document], embedder: Embedder) -> Iterator[dict[str, Index]]:
    """An index of each kind."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(temporary_index((make(d, embedder) for d in documents), embedder=embedder))
            for name, make in KINDS.items()
        }


def quality(results: Mapping[str, Result], name: str) -> dict[str, Any]:
    """Recall by where the evidence lies, the difference from the yardstick, and the questions that changed most."""
    recall, against = {}, {}
    for group in (None, *GEOMETRIES):
        result, flat = (_inside(results[each], group) for each in (name, YARDSTICK))
        recall[group or "all"] = {
            str(record["budget"]): {
                "mean": _rounded(record["recall"]),
                "low": _rounded(record["low"]),
                "high": _rounded(record["high"]),
                "context_tokens": round(float(record["context_tokens"] or 0)),
            }
            for record in budget_curve({name: result}).records()
        }
        if name != YARDSTICK:
            against[group or "all"] = {str(budget): _difference(flat, result, budget) for budget in BUDGETS}
    if name == YARDSTICK:
        return {"recall": recall}
    rescued, spoiled = largest_changes(results[YARDSTICK], results[name], budget=CHANGES_AT)
    return {"recall": recall, "against_flat": against, "rescued": _change(rescued), "spoiled": _change(spoiled)}


def _inside(result: Result, geometry: Geometry | None) -> Result:
    """The answerable questions of a result whose evidence lies so, or all of them."""
    rows = (row for row in result.rows if row.question.answerable)
    return Result(tuple(row for row in rows if geometry in (None, row.question.geometry)))


def _difference(flat: Result, result: Result, budget: int) -> dict[str, float]:
    record = compare({"flat": flat, "": result}, "recall", budget).records()[1]
    columns = {"difference": "difference", "low": "difference low", "high": "difference high", "p": "p"}
    return {key: _rounded(record[column]) for key, column in columns.items()}


class TimedEmbedder:
    """Another embedder, and the processor time that it has taken."""

    def __init__(self, embedder: MiniLMEmbedder | CharNgramEmbedder) -> None:
        self.embedder, self.name, self.dim, self.seconds = embedder, embedder.name, embedder.dim, 0.0
        self.max_tokens = getattr(embedder, "max_tokens", None)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See :class:`~hierrag_lessons.model.Embedder`."""
        started = time.process_time()
        vectors = self.embedder.encode(texts)
        self.seconds += time.process_time() - started
        return vectors

    def count_word_pieces(self, texts: Sequence[str]) -> list[int]:
        """See :class:`~hierrag_lessons.embedding.LimitedEmbedder`; a cache asks for them, so that is not embedding."""
        return self.embedder.count_word_pieces(texts) if isinstance(self.embedder, MiniLMEmbedder) else [0] * len(texts)


def build_costs(documents: Sequence[Document], make: Callable[[Document, Embedder], Hierarchy]) -> dict[str, Any]:
    """Processor time to build an index with nothing in the cache, the part of it spent in the embedder, and storage."""
    language = documents[0].language
    timed = TimedEmbedder(MiniLMEmbedder() if language == "en" else CharNgramEmbedder())
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        timed.encode(["the model is loaded"])
        timed.seconds = 0.0
        embedder = CachedEmbedder(timed, Path(folder) / "cache.sqlite") if language == "en" else timed
        index = Index.create(Path(folder) / "index", embedder, language=language)
        started = time.process_time()
        index.add([make(document, embedder) for document in documents])
        build = time.process_time() - started
        storage = index.storage()
        return {
            "vectors": sum(level.vectors for level in storage),
            "build_seconds": round(build, 2),
            "embedding_seconds": round(timed.seconds, 2),
            "build_over_embedding": round(build / timed.seconds, 3),
            "storage": [asdict(level) for level in storage],
        }


def measure_quality(language: Language, without: Collection[str] = ()) -> dict[str, Any]:
    """How many questions there are of each geometry, and what each retriever but those ``without`` finds for them."""
    documents, questions = course_questions(language)
    asked = [question for question in questions if question.answerable]
    with course_indexes(documents, default_embedder(language)) as indexes:
        chosen = {name: entry for name, entry in entries(indexes, language).items() if name not in without}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)
            results = score_retrievers({name: entry.retriever for name, entry in chosen.items()}, asked)
    return {
        "questions": {"all": len(asked)} | {g: sum(q.geometry == g for q in asked) for g in GEOMETRIES},
        "retrievers": {name: {"index": entry.kind, **quality(results, name)} for name, entry in chosen.items()},
    }


def measure(language: Language) -> dict[str, Any]:
    """Everything about one language."""
    documents = load_corpus(language)
    costs = {name: build_costs(documents, make) for name, make in KINDS.items()}
    return {**measure_quality(language), "indexes": costs}


def _change(change: Change | None) -> dict[str, Any] | None:
    if change is None:
        return None
    question = change.question
    return {
        "id": question.id,
        "type": question.type,
        "question": question.question,
        "flat": _rounded(change.before),
        "recall": _rounded(change.after),
    }


def _rounded(value: object) -> float:
    return round(float(value), 4)  # type: ignore[arg-type]


def main() -> None:
    """Measure both languages and write ``results/retrievers.json``."""
    found = {language: measure(language) for language in LANGUAGES}
    write("retrievers", {"budgets": BUDGETS, "changes_at": CHANGES_AT, "languages": found}, ("lancedb",))


if __name__ == "__main__":
    main()
