"""The chunkers side by side on the course's own texts: ``python -m benchmarks.bakeoff``.

Quality comes from the development questions in users' words, at equal context budgets, with flat hybrid search by
z-scores. Lesson 12 reads the results, measures some of them again and compares.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from statistics import fmean
from typing import Any, get_args

import numpy as np

from benchmarks.results import write
from hierrag_lessons.chunkers import (
    MARKDOWN,
    AgenticChunker,
    DialogueChunker,
    FixedSizeChunker,
    HybridChunker,
    OptimalSemanticChunker,
    RecursiveChunker,
    SemanticChunker,
    SentenceChunker,
    StructureChunker,
    TextTilingChunker,
    TopicChunker,
)
from hierrag_lessons.embedding import CachedEmbedder, default_embedder
from hierrag_lessons.evaluation import Question, Result, course_questions, score_chunkers
from hierrag_lessons.evaluation.course import BUDGETS
from hierrag_lessons.model import Chunk, Chunker, Document, Embedder, Language, Span
from hierrag_lessons.text import count_tokens, get_encoding

METRICS = ("recall", "complete")
SIZE, LEAST = 200, 80
HEADED = "hybrid, fast"
"""The method that is measured once more with its headings taken out of the budget."""

TIMED = {"en": "en/research_paper", "zh": "zh/technical_handbook"}


def methods(embedder: Embedder | None = None) -> dict[str, Chunker]:
    """Every chunker of the course, with chunks of at most 200 tokens; the first is the one to compare with."""
    semantic: dict[str, Any] = {"embedder": embedder} if embedder else {}
    return {
        "recursive": RecursiveChunker(SIZE, separators=MARKDOWN),
        "fixed": FixedSizeChunker(SIZE),
        "fixed, overlap 40": FixedSizeChunker(SIZE, 40),
        "sentence": SentenceChunker(SIZE),
        "structure": StructureChunker(SIZE, LEAST),
        "structure, no headings": StructureChunker(SIZE, LEAST, path_depth=0),
        "dialogue": DialogueChunker(SIZE),
        "semantic": SemanticChunker(SIZE, LEAST, **semantic),
        "semantic, optimal": OptimalSemanticChunker(SIZE, LEAST, **semantic),
        "text tiling": TextTilingChunker(SIZE, LEAST),
        "topic": TopicChunker(SIZE, LEAST, **semantic),
        "agentic, no model": AgenticChunker(SIZE, LEAST),
        "hybrid, fast": HybridChunker(SIZE, LEAST, 0, "fast"),
        "hybrid, balanced": HybridChunker(SIZE, LEAST, 0, "balanced", **semantic),
        "hybrid, quality": HybridChunker(SIZE, LEAST, 0, "quality", **semantic),
    }


class CountingEmbedder:
    """Another embedder, and how many tokens it was given."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder, self.name, self.dim, self.tokens = embedder, embedder.name, embedder.dim, 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """See :class:`~hierrag_lessons.model.Embedder`."""
        self.tokens += sum(map(count_tokens, texts))
        return self.embedder.encode(texts)


def kind_of(question: Question) -> str:
    """What sort of text most of a question's evidence stands in."""
    name = Counter(piece.doc_id.split("/")[1] for piece in question.evidence).most_common(1)[0][0]
    return {
        "annual_report": "annual report",
        "annual_report_excerpt": "annual report",
        "transparency_act": "regulation",
        "expense_regulation": "regulation",
        "research_paper": "research paper",
        "console_handbook": "handbook",
        "technical_handbook": "handbook",
        "faq": "questions and answers",
        "earnings_call": "dialogue",
        "support_chats": "dialogue",
    }.get(name, "news")


def describe(chunks: Sequence[Chunk], embedder: Embedder) -> dict[str, Any]:
    """Sizes of the chunks, and what an index of them holds."""
    sizes = sorted(count_tokens(chunk.text) for chunk in chunks)
    embedded = [chunk.embedding_text for chunk in chunks]
    text_bytes = sum(len(chunk.text.encode()) + len(chunk.context.encode()) for chunk in chunks)
    return {
        "chunks": len(chunks),
        "oversized": sum(bool(chunk.metadata.get("oversized")) for chunk in chunks),
        "sizes": [sizes[round(share * (len(sizes) - 1))] for share in (0, 0.05, 0.5, 0.95, 1)],
        "tokens_to_embed": sum(map(count_tokens, embedded)),
        "index_bytes": text_bytes + 4 * embedder.dim * len(chunks),
    }


def quality(result: Result) -> dict[str, Any]:
    """Of each measure: its mean at each budget, and of each question its mean over the budgets."""
    found: dict[str, Any] = {}
    for metric in METRICS:
        at = {budget: result.scores(metric, budget) for budget in result.budgets}
        found[metric] = {str(budget): round(fmean(scores.values()), 4) for budget, scores in at.items()}
        found[f"{metric}_by_question"] = {
            question: round(fmean(scores[question] for scores in at.values()), 4) for question in at[result.budgets[0]]
        }
    return found


def time_over_tokenizer(document: Document) -> dict[str, float]:
    """Processor time to cut a document, embedding for the cuts included, in units of one tokenizer pass over it."""
    default = default_embedder(document.language)
    plain = default.embedder if isinstance(default, CachedEmbedder) else default
    plain.encode(["the model is loaded"])
    encoding = get_encoding()
    one_pass = _processor_seconds(lambda: encoding.encode_to_numpy(document.text, disallowed_special=()), 50)

    lines = count(1)

    def run(chunker: Chunker) -> None:
        # Each time another text, because rulers, blocks and sentences of a text are kept for the next chunker.
        chunker.chunk(replace(document, text=document.text + "\n" * next(lines)))

    return {
        name: round(min(_processor_seconds(partial(run, c)) for _ in range(2)) / one_pass, 1)
        for name, c in methods(plain).items()
    }


def _processor_seconds(run: Callable[[], object], times: int = 1) -> float:
    """Mean processor time of a run: unlike the clock, it does not count what else the machine does."""
    started = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - started) / times


class Precut:
    """The chunks that another chunker has made, so that a slow one works only once."""

    def __init__(self, chunks: dict[str, list[Chunk]]) -> None:
        self.chunks = chunks

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """The chunks of the whole document."""
        return self.chunks[document.doc_id]


def headings_counted(
    chunks: dict[str, list[Chunk]], documents: Sequence[Document], questions: Sequence[Question]
) -> dict[str, Any]:
    """Quality where headings are paid for: every budget is smaller by their mean share of what is handed over."""
    every = [chunk for of_one in chunks.values() for chunk in of_one]
    both, text = (
        sum(map(count_tokens, texts)) for texts in zip(*((c.embedding_text, c.text) for c in every), strict=True)
    )
    budgets = [round(budget * text / both) for budget in BUDGETS]
    results = score_chunkers({HEADED: Precut(chunks)}, documents, questions, budgets)
    return {"share": round(1 - text / both, 4), **quality(results[HEADED])}


def measure(language: Language) -> dict[str, Any]:
    """Everything about one language."""
    documents, asked = course_questions(language)
    questions = [question for question in asked if question.answerable]
    counting = CountingEmbedder(default_embedder(language))
    cut: dict[str, Precut] = {}
    described = {}
    for name, chunker in methods(counting).items():
        counting.tokens = 0
        chunks = {document.doc_id: chunker.chunk(document) for document in documents}
        cut[name] = Precut(chunks)
        every = [chunk for of_one in chunks.values() for chunk in of_one]
        described[name] = {"tokens_embedded_to_cut": counting.tokens, **describe(every, counting)}
    results = score_chunkers(cut, documents, questions, BUDGETS)
    timed = next(document for document in documents if document.doc_id == TIMED[language])
    speed = time_over_tokenizer(replace(timed, text=timed.text[:20_000]))
    return {
        "questions": len(questions),
        "headings_counted": headings_counted(cut[HEADED].chunks, documents, questions),
        "kinds": {question.id: kind_of(question) for question in questions},
        "methods": {
            name: {**quality(results[name]), **described[name], "time_over_one_tokenizer_pass": speed[name]}
            for name in described
        },
    }


if __name__ == "__main__":
    found = {language: measure(language) for language in get_args(Language)}
    write("bakeoff", {"budgets": BUDGETS, "max_size": SIZE, "min_size": LEAST, "languages": found}, ("tiktoken",))
