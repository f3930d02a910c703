"""Documents and questions that this project did not write, in one form, whatever files they come in.

The folder that ``HIERRAG_BENCH`` names has one folder for each set, with either ``documents.jsonl`` and
``questions.jsonl``, which are read as the course's own, or, for Chroma's evaluation, the files of its repository
(github.com/brandonstarxel/chunking_evaluation): ``questions_df.csv`` beside a folder ``corpora``, at any depth.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hierrag_lessons.evaluation import Evidence, Question, load_questions
from hierrag_lessons.evaluation.questions import QuestionSet
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading import load_documents

BUDGETS: Mapping[Language, tuple[int, ...]] = {"en": (650, 1300, 2600, 5200), "zh": (150, 300, 600, 1200)}
"""Characters of context. A Chinese character says about as much as four of English."""

TOKEN_BUDGETS: Mapping[Language, tuple[int, ...]] = {"en": (150, 300, 600, 1200), "zh": (150, 300, 600, 1200)}
"""Tokens of cl100k_base, where that vocabulary is there."""


class About(NamedTuple):
    """What a set is called, and the language of its texts."""

    title: str
    language: Language


SETS: Mapping[str, About] = {
    "chroma_eval": About("Chroma's evaluation", "en"),
    "locomo": About("LoCoMo", "en"),
    "qmsum": About("QMSum", "en"),
    "xquad-en": About("XQuAD, English", "en"),
    "xquad-zh": About("XQuAD, Chinese", "zh"),
}


class Published(NamedTuple):
    """A row of the published evaluation: five chunks a question, all five corpora, means in percent."""

    chunker: str
    embedder: str
    tokens: int
    recall: float
    precision: float
    iou: float


PUBLISHED = (
    Published("recursive 250, overlap 125", "all-MiniLM-L6-v2", 180, 78.7, 4.9, 4.9),
    Published("token 250, overlap 125", "all-MiniLM-L6-v2", 250, 82.4, 3.6, 3.5),
    Published("recursive 200", "all-MiniLM-L6-v2", 128, 75.7, 6.5, 6.5),
    Published("cluster 200", "all-MiniLM-L6-v2", 102, 75.2, 7.2, 7.2),
    Published("recursive 200", "text-embedding-3-large", 137, 88.1, 7.0, 6.9),
    Published("cluster 200", "text-embedding-3-large", 103, 87.3, 8.0, 8.0),
    Published("cluster 400", "text-embedding-3-large", 182, 91.3, 4.5, 4.5),
    Published("GPT-4o chooses the splits", "text-embedding-3-large", 240, 91.9, 3.9, 3.9),
)
"""Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (Chroma 2024); ``tokens`` is the mean size of a
chunk, in word pieces of the embedder for MiniLM and in tokens of cl100k_base for the others."""


def bench_folder() -> Path:
    """The folder that ``HIERRAG_BENCH`` names. Raises ``ValueError`` where it names none."""
    name = os.environ.get("HIERRAG_BENCH", "")
    if not name or not Path(name).is_dir():
        raise ValueError(
            f"HIERRAG_BENCH is {name!r}; let it name the folder with the public sets, one folder each: "
            + ", ".join(SETS)
        )
    return Path(name)


def load_set(folder: Path) -> tuple[list[Document], QuestionSet]:
    """The documents of a set, and its questions that have evidence; the others are named as dropped.

    Raises ``ValueError`` where the folder has neither of the two kinds of files, and for damaged ones.
    """
    if (folder / "documents.jsonl").is_file():
        documents = load_documents(folder / "documents.jsonl")
        found = load_questions(folder / "questions.jsonl", documents, missing="drop")
        answerable = tuple(question for question in found if question.answerable)
        return documents, QuestionSet(answerable, found.dropped)
    tables = sorted(path for path in folder.rglob("questions_df.csv") if (path.parent / "corpora").is_dir())
    if not tables:
        raise ValueError(
            f"{folder} has neither documents.jsonl nor questions_df.csv beside a folder corpora; "
            "copy the files of the set into it"
        )
    return load_chroma(tables[0].parent)


def load_chroma(folder: Path) -> tuple[list[Document], QuestionSet]:
    """Chroma's evaluation as its repository has it: ``corpora/*.md`` and ``questions_df.csv``.

    A row has ``question``, ``corpus_id`` and ``references``, which is JSON: ``start_index`` and ``end_index`` in the
    corpus, and the ``content`` between them. All corpora are one collection. They are read as plain text, as the
    published evaluation does, whose offsets count a line end as one character. A row is dropped where its corpus is not
    there or has other words at that place.

    Raises ``ValueError`` with file and row for a row that cannot be read.
    """
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "corpora").glob("*.md"))}
    path = folder / "questions_df.csv"
    questions: list[Question] = []
    dropped: dict[str, str] = {}
    csv.field_size_limit(sys.maxsize if sys.maxsize < 2**31 else 2**31 - 1)
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            name = f"chroma-{number}"
            try:
                corpus, asked = row["corpus_id"], row["question"]
                pieces = tuple(
                    (int(reference["start_index"]), int(reference["end_index"]), reference.get("content"))
                    for reference in json.loads(row["references"])
                )
                if corpus not in texts:
                    dropped[name] = f"there is no corpora/{corpus}.md"
                elif wrong := [piece for piece in pieces if not _stands_there(texts[corpus], *piece)]:
                    dropped[name] = f"{corpus} has other words at {wrong[0][0]}-{wrong[0][1]}"
                else:
                    kind = "single" if len(pieces) == 1 else "multi"
                    evidence = tuple(Evidence(corpus, start, end) for start, end, _ in pieces)
                    questions.append(Question(name, asked, kind, None, evidence))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}, row {number + 1}: {error!r}; a row needs {', '.join(_COLUMNS)}") from error
    documents = [Document(name, text) for name, text in texts.items()]
    return documents, QuestionSet(tuple(questions), dropped)


_COLUMNS = ("question", "corpus_id", "references as JSON with start_index and end_index")


def _stands_there(text: str, start: int, end: int, content: str | None) -> bool:
    return 0 <= start < end <= len(text) and content in (None, text[start:end])
