"""Small indexes with everything in them that a retriever can stumble over.

No lesson uses it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

import numpy as np

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.contracts.texts import HOSTILE
from hierrag_lessons.model import Chunk, Document, Hierarchy, Language, Node, Span

if TYPE_CHECKING:
    from hierrag_lessons.store import Columns, Index

BuildHierarchy = Callable[[Document], Hierarchy]

ZOO = {
    "cats": "The cat sat on the mat. A second cat watched the running dog from the roof of the old barn.",
    "dogs": "Dogs run. A dog ran over the hill and the dogs were running home before the rain began.",
    "fish": "Quiet fish swim in the deep blue lake, far below the boats and the noisy gulls.",
}
QUERIES = [
    "the running dog",
    "deep blue lake fish",
    "a cat on the roof of the barn",
    "hostile word 下雨",
    "dog dog dog",
    "the running dog",
]
ODD_QUERIES = [
    "",
    " \n",
    "?!",
    "🙂",
    "zzzzz",
    "the of",
    "' OR 1=1 --",
    '"cat',
    "\ud800",
    "字" * 3000,
    *HOSTILE.values(),
]
OTTERS = 120
"""How many sentences have the word "otter": more than a retriever asks for that has not read ``k``."""

EDITION = "1' OR '1'='1; --%_\\\n"
"""The edition of the hostile document."""

SUMMARY = "zebra quokka"
"""The words of the derived node of the default shelf; they stand in no document."""


@dataclass(frozen=True)
class WordHashEmbedder:
    """A hashed bag of words (of characters in Chinese). A text without a word gets zeros: it has no direction."""

    dim: int = 64
    name: str = "word-hash"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """float32, shape ``(len(texts), dim)``."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()):
                row[zlib.crc32(word.encode()) % self.dim] += 1
            if row.any():
                row /= np.linalg.norm(row)
        return vectors


@dataclass(frozen=True)
class TwoSidedEmbedder(WordHashEmbedder):
    """The same with two sides: a question is read with one word more. It keeps what each side was given."""

    name: str = "word-hash-two-sided"
    documents: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of documents."""
        self.documents.extend(texts)
        return super().encode(texts)

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of questions."""
        self.questions.extend(texts)
        return super().encode([f"{text} asked" for text in texts])


@dataclass(frozen=True)
class WordChunker:
    """Chunks of ``size`` words, or of ``size`` characters where ``pattern`` says so; white space between is dropped."""

    size: int
    pattern: str = r"\S+"
    context: str = ""

    def chunk(self, document: Document, within: Span | None = None) -> list[Chunk]:
        """Cut ``document``, or the part ``within`` of it."""
        span = within or document.span
        words = list(re.compile(self.pattern, re.DOTALL).finditer(document.text, span.start, span.end))
        groups = [words[i : i + self.size] for i in range(0, len(words), self.size)]
        spans = [Span(group[0].start(), group[-1].end()) for group in groups]
        return [
            Chunk(document.doc_id, start, end, document.text[start:end], self.context, {"words": end - start})
            for start, end in spans
        ]


def two_levels(document: Document) -> Hierarchy:
    """Sections of 12 words and leaves of 4, both searchable. "cats" has a leaf more, derived from two others."""
    made = build_hierarchy(document, [WordChunker(12), WordChunker(4)])
    levels = [*made.levels]
    if document.doc_id == "cats":
        first, _, third = levels[2][:3]
        place, sources = len(levels[2]), (first.span, third.span)
        derived = Node("summary", "cats", 2, first.start, third.end, SUMMARY, "", first.parent_id, place, {}, sources)
        levels[2] = (*levels[2], derived)
    return Hierarchy(document, tuple(levels), frozenset({1, 2}))


def shelf_documents(language: Language = "en") -> list[Document]:
    """Ordinary, repeated, tiny, blank and hostile documents."""
    made = [Document(doc_id, text, metadata={"year": 2020 + i}) for i, (doc_id, text) in enumerate(ZOO.items())]
    twice = f"{ZOO['dogs']} {ZOO['dogs']}"
    made += [Document(f"copy {number}", twice, metadata={"edition": f"{number}"}) for number in range(2)]
    made += [Document("tiny", "Cat."), Document("blank", " \n ")]
    hostile = "\n\n".join(f"hostile word {text} dog" for text in HOSTILE.values())
    made.append(Document("it's/odd\n%", hostile, metadata={"year": 2020, "edition": EDITION}))
    made.append(Document("雨", "今天 下雨 明天 也 下雨 后天 晴 dog", language=language))
    return made


def otters() -> Document:
    """One that says nearly the same many times."""
    text = " ".join(f"Otter {number} swam away." for number in range(OTTERS))
    return Document("otters", text, metadata={"year": 1999, "edition": "otter's"})


@dataclass(frozen=True)
class Shelf:
    """Documents, and indexes of them.

    ``index`` got all in one commit, ``mirrored`` one by one in the opposite order; ``empty`` is empty; ``changing`` has
    three of them and the otters, and others come and go; ``two_sided`` is ``index`` with a two-sided embedder. All
    declare the columns ``year`` and ``edition``, in which some documents have a value.
    """

    index: Index
    mirrored: Index
    empty: Index
    changing: Index
    two_sided: Index
    documents: dict[str, Document]
    build_hierarchy: BuildHierarchy
    levels: Collection[int] | None


def make_shelf(
    language: Language = "en", build_hierarchy: BuildHierarchy = two_levels, levels: Collection[int] | None = None
) -> Shelf:
    """The shelf of hierarchies made by ``build_hierarchy``, of which ``levels`` are searched.

    It is made once and kept, so that many retrievers can be checked on it.
    """
    return _make_shelf(language, build_hierarchy, None if levels is None else tuple(levels))


@lru_cache(maxsize=16)
def _make_shelf(language: Language, build_hierarchy: BuildHierarchy, levels: tuple[int, ...] | None) -> Shelf:
    from hierrag_lessons.store import Index  # takes seconds, which who checks a chunker need not wait

    folder, documents = Path(mkdtemp(prefix="hierrag-shelf-")), shelf_documents(language)
    columns: Columns = {"year": int, "edition": str}
    index, mirrored, empty, changing, two_sided = (
        Index.create(folder / name, embedder, language=language, columns=columns)
        for name, embedder in {
            **dict.fromkeys(("index", "mirrored", "empty", "changing"), WordHashEmbedder()),
            "two_sided": TwoSidedEmbedder(),
        }.items()
    )
    hierarchies = [build_hierarchy(document) for document in documents]
    index.add(hierarchies, levels=levels)
    two_sided.add(hierarchies, levels=levels)
    for hierarchy in reversed(hierarchies):
        mirrored.add(hierarchy, levels=levels)
    changing.add([*hierarchies[: len(ZOO)], build_hierarchy(otters())], levels=levels)
    by_id = {document.doc_id: document for document in documents}
    shelf = Shelf(index, mirrored, empty, changing, two_sided, by_id, build_hierarchy, levels)
    finalize(shelf, rmtree, folder, ignore_errors=True)
    return shelf
