"""What plain retrieval finds on the gold questions, and how large the texts are: ``python -m benchmarks.baselines``.

Chunks of 200 tokens, evidence recall at 1,000 tokens, by words (BM25) and by MiniLM's vectors, for the questions of
both halves. The tables in data/README.md are made from the results file, and the tests measure it again.
"""

from __future__ import annotations

import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

import regex

from benchmarks.results import write
from hierrag_lessons.chunkers import FixedSizeChunker, build_hierarchy
from hierrag_lessons.embedding import TruncationWarning, default_embedder
from hierrag_lessons.evaluation import Question, Result, evaluate, load_questions
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading import DATA_DIR, load_corpus, python_reference_checksum, read_python_reference
from hierrag_lessons.retrievers import FlatRetriever
from hierrag_lessons.store import Index, Mode

BUDGET = 1000
MODES: tuple[Mode, ...] = ("text", "vector")


def questions_by_file(documents: Iterable[Document]) -> dict[str, list[Question]]:
    """All gold questions by file, without those whose evidence this Python's own reference words differently."""
    known = list(documents)
    return {
        path.stem: list(load_questions(path, known, missing="drop" if path.stem == "python_reference" else "raise"))
        for path in sorted((DATA_DIR / "questions").glob("*.jsonl"))
    }


def retrieve(documents: Iterable[Document], questions: Iterable[Question]) -> dict[Mode, Result]:
    """Flat search over chunks of 200 tokens, with one index for each language."""
    found: dict[Mode, Result] = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        languages: tuple[Language, ...] = ("en", "zh")
        indexes = {}
        for language in languages:
            # MiniLM for Chinese too: a plain baseline is what it is.
            indexes[language] = Index.create(f"{folder}/{language}", default_embedder("en"), language=language)
            own = (document for document in documents if document.language == language)
            indexes[language].add(build_hierarchy(document, [FixedSizeChunker(200)]) for document in own)
        for mode in MODES:
            rows = [
                row
                for language, index in indexes.items()
                for row in evaluate(
                    FlatRetriever(index, mode=mode), [q for q in questions if q.language == language], (BUDGET,)
                ).rows
            ]
            found[mode] = Result(tuple(rows))
    return found


def size(documents: Iterable[Document]) -> dict[str, int]:
    """Documents, code points, words of Latin script and Chinese characters."""
    texts = [document.text for document in documents]
    return {
        "documents": len(texts),
        "characters": sum(map(len, texts)),
        "words": sum(len(regex.findall(r"\p{Latin}[\p{Latin}\p{M}'’-]*|\d[\d.,]*", text)) for text in texts),
        "han": sum(len(regex.findall(r"\p{Han}", text)) for text in texts),
    }


def _mean(scores: dict[str, float], ids: Iterable[str]) -> float | None:
    values = [scores[question_id] for question_id in ids if question_id in scores]
    return round(sum(values) / len(values), 4) if values else None


def measure() -> dict[str, Any]:
    """Sizes, question counts and baseline recalls: of everything, by language, by type, by file."""
    documents = [*load_corpus("en"), *load_corpus("zh"), *read_python_reference()]
    files = questions_by_file(documents)
    questions = [question for asked in files.values() for question in asked]
    scores = {mode: result.scores("recall", BUDGET) for mode, result in retrieve(documents, questions).items()}

    def entry(asked: Iterable[Question]) -> dict[str, Any]:
        chosen = list(asked)
        ids = [question.id for question in chosen]
        return {
            "questions": len(chosen),
            "dev": sum(question.split == "dev" for question in chosen),
            "types": dict(sorted(Counter(question.type for question in chosen).items())),
            "recall": {mode: _mean(scores[mode], ids) for mode in MODES},
        }

    corpora: dict[str, list[Document]] = {}
    for document in documents:
        name = "/".join(document.doc_id.split("/")[:2])
        name = {"py": "python reference"}.get(name[:2], regex.sub(r"news_\d+", "news", name))
        corpora.setdefault(name, []).append(document)
    types = sorted({question.type for question in questions})
    return {
        "python_reference": python_reference_checksum(),
        "budget": BUDGET,
        "corpora": {name: size(texts) for name, texts in corpora.items()},
        "all": entry(questions),
        "languages": {name: entry(q for q in questions if q.language == name) for name in ("en", "zh")},
        "types": {name: entry(q for q in questions if q.type == name) for name in types},
        "files": {name: entry(asked) for name, asked in files.items()},
    }


if __name__ == "__main__":
    write("baselines", measure())
