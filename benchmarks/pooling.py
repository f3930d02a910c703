"""Which passages nobody has judged yet: ``python -m benchmarks.pooling en TARGET.jsonl``.

A question's evidence is complete when every passage that a retriever could bring has been read. Nobody can read all, so
the best of several unlike methods are pooled and judged (Spärck Jones, van Rijsbergen, 1975): flat search by meaning,
by words and by both, two levels, late interaction, and the answer with its key facts as the query. What says all that
a piece of evidence says becomes an alternative of it. The share of what was never judged stands beside every result.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.chunkers import course_hierarchy
from hierrag_lessons.embedding import CachedEmbedder, default_embedder
from hierrag_lessons.evaluation import Question
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Document, Language, Passage, Retriever, Span
from hierrag_lessons.ranking import MaxSimReranker
from hierrag_lessons.retrievers import FlatRetriever, HybridRetriever, RerankingRetriever
from hierrag_lessons.spans import cover, merge, subtract
from hierrag_lessons.store import Index, temporary_index

DEPTH = 5
LEAF, SECTION = 3, 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage to be judged, and the methods that brought it."""

    doc_id: str
    span: Span
    text: str
    context: str
    found_by: tuple[str, ...]


@contextmanager
def pool_index(documents: Sequence[Document]) -> Iterator[Index]:
    """The course's hierarchy with its leaves and sections searchable."""
    embedder = CachedEmbedder(default_embedder(documents[0].language))
    trees = (replace(course_hierarchy(document), searched=frozenset({SECTION, LEAF})) for document in documents)
    with temporary_index(trees, embedder=embedder) as index:
        yield index


def pool_methods(index: Index, language: Language) -> dict[str, Retriever]:
    """The methods whose best passages are pooled; late interaction in English only, whose words its model knows."""
    flat = FlatRetriever(index, level=LEAF)
    methods: dict[str, Retriever] = {
        "flat": flat,
        "BM25": FlatRetriever(index, level=LEAF, mode="text"),
        "hybrid": HybridRetriever(index, level=LEAF, fusion="reciprocal_rank"),
        "two levels": HybridRetriever(index, level=LEAF, above={SECTION: 0.5}, fusion="z_score"),
    }
    if language == "en":
        methods["late interaction"] = RerankingRetriever(flat, MaxSimReranker(), 40)
    return methods


def pool(index: Index, questions: Sequence[Question], depth: int = DEPTH) -> dict[str, list[Candidate]]:
    """What the methods bring for each question and, where there is one, for its answer with the key facts.

    Raises ``ValueError`` where there are no questions.
    """
    asked = checks.each("questions", questions, Question)
    if not asked:
        raise ValueError("questions is empty; give the questions to be pooled")
    found: dict[str, dict[tuple[str, Span], tuple[Passage, list[str]]]] = {question.id: {} for question in asked}

    def add(name: str, ids: Sequence[str], lists: Sequence[list[Passage]]) -> None:
        for question_id, passages in zip(ids, lists, strict=True):
            for passage in passages:
                key = (passage.doc_id, passage.span)
                found[question_id].setdefault(key, (passage, []))[1].append(name)

    methods = pool_methods(index, asked[0].language)
    for name, retriever in with_progress(methods.items(), "methods"):
        texts = [question.question for question in asked]
        add(name, [question.id for question in asked], retriever.retrieve_batch(texts, depth))
    answered = [question for question in asked if question.answer]
    texts = [" ".join([str(question.answer), *question.key_facts]) for question in answered]
    for name in ("flat", "BM25"):
        add(f"answer, {name}", [q.id for q in answered], methods[name].retrieve_batch(texts, depth))
    return {
        question_id: [
            Candidate(passage.doc_id, passage.span, passage.text, passage.context, tuple(names))
            for passage, names in entries.values()
        ]
        for question_id, entries in found.items()
    }


def unjudged(
    passages: Sequence[Passage], question: Question, judged: Mapping[str, Sequence[Span]]
) -> list[tuple[str, Span]]:
    """The parts of the passages that are neither evidence nor judged, by document, in order.

    ``judged`` has the spans that somebody has read for this question, by ``doc_id``.
    """
    left = []
    for passage in passages:
        known = [*judged.get(passage.doc_id, ())]
        known += [place.span for piece in question.evidence for place in piece.places if place.doc_id == passage.doc_id]
        left += [(passage.doc_id, span) for span in subtract(passage.span, merge(known))]
    return left


def unjudged_share(
    retriever: Retriever, questions: Sequence[Question], judged: Mapping[str, Mapping[str, Sequence[Span]]], k: int = 10
) -> float:
    """The share of the characters in the best ``k`` passages that nobody has judged, over all questions."""
    lists = retriever.retrieve_batch([question.question for question in questions], k)
    missing = total = 0
    for question, passages in zip(questions, lists, strict=True):
        parts = unjudged(passages, question, judged.get(question.id, {}))
        missing += cover(span for _, span in parts)
        total += sum(passage.end - passage.start for passage in passages)
    return missing / total if total else 0.0


def main() -> None:
    """Write what is to be judged, one question a line."""
    from benchmarks.questions import judged_spans, questions_on

    parser = argparse.ArgumentParser(description="Write the passages that nobody has judged yet.")
    parser.add_argument("source", choices=("en", "zh", "python"))
    parser.add_argument("target", type=Path)
    parser.add_argument("--depth", type=int, default=DEPTH)
    given = parser.parse_args()
    documents, questions = questions_on(given.source)
    judged = judged_spans(given.source)
    with pool_index(documents) as index, given.target.open("w", encoding="utf-8") as file:
        for question_id, candidates in pool(index, questions, given.depth).items():
            question = next(question for question in questions if question.id == question_id)
            known = judged.get(question_id, {})
            left = [
                {"doc_id": c.doc_id, "start": c.span.start, "end": c.span.end, "under": c.context, "text": c.text}
                for c in candidates
                if unjudged([Passage(c.doc_id, *c.span, c.text)], question, known)
            ]
            file.write(json.dumps({"id": question_id, "candidates": left}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
