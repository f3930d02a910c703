"""Sentence boundaries on two treebanks, ours and others': ``HIERRAG_BENCH=… python -m benchmarks.sentences``.

Two questions. Where does a *splitter* end sentences: precision, recall and F1. And where does a public *chunker* cut
that packs sentences up to a size: which share of its cuts falls on a sentence's end. The second one is asked of
LlamaIndex's SentenceSplitter, whose Punkt knows English only, but which goes on with a pattern of Chinese stops where
Punkt leaves a piece that is too long.

The folder that HIERRAG_BENCH names holds ``ud_en/sentences.jsonl`` and ``ud_zh/sentences.jsonl``. A splitter that is
not installed is left out, and the results file says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.results import write
from hierrag_lessons.chunkers import SentenceChunker
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading.jsonl import read_lines
from hierrag_lessons.text import split_sentences

Splitter = Callable[[str], Sequence[int]]
"""The offsets after each sentence of a text."""

CHUNK_SIZES: dict[Language, int] = {"en": 400, "zh": 120}
"""Characters in a chunk: about four sentences of each treebank."""

PUNKT = "Punkt alone (LlamaIndex's first step)"

_CHINESE_STOPS = [". ", "! ", "? ", "\n", "。", "！", "？"]


def treebank(folder: Path, language: Language) -> list[tuple[str, list[int]]]:
    """Texts of the treebank with the offset after each sentence."""
    lines = read_lines(folder / f"ud_{language}" / "sentences.jsonl")
    return [(str(record["text"]), list(record["ends"])) for _, record in lines]


def boundary_f1(texts: Iterable[tuple[str, Sequence[int]]], split: Splitter) -> dict[str, float]:
    """Precision, recall and F1 of the boundaries inside the texts.

    Ends are compared after the white space behind them. The end of a text is no boundary: every splitter finds it.
    """
    both = found = true = 0
    for text, ends in texts:
        gold, ours = _boundaries(text, ends), _boundaries(text, split(text))
        both, found, true = both + len(gold & ours), found + len(ours), true + len(gold)
    precision, recall = both / max(1, found), both / max(1, true)
    f1 = 2 * both / max(1, found + true)
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}


def _boundaries(text: str, ends: Iterable[int]) -> set[int]:
    after_space = {len(text) - len(text[end:].lstrip()) for end in ends}
    return after_space - {len(text)}


def located(split: Callable[[str], Iterable[str]]) -> Splitter:
    """A splitter that returns strings, as one that returns offsets: the strings are looked up one after the other."""

    def ends(text: str) -> list[int]:
        found, position = [], 0
        for sentence in split(text):
            start = text.find(sentence.strip(), position)
            if start >= 0 and sentence.strip():
                position = start + len(sentence.strip())
                found.append(position)
        return found

    return ends


def ours() -> Splitter:
    """The course's own, with no setting."""
    return lambda text: [span.end for span in split_sentences(text)]


def pysbd(language: Language) -> Splitter:
    """pySBD, the rules of the language."""
    return located(import_module("pysbd").Segmenter(language=language, clean=False).segment)


def punkt() -> Splitter:
    """NLTK's Punkt for English alone, as LlamaIndex calls it: the first step of its SentenceSplitter, not all of it."""
    return located(import_module("llama_index.core.node_parser.text.utils").split_by_sentence_tokenizer())


def chonkie(delimiters: Sequence[str] | None = None) -> Splitter:
    """Chonkie's SentenceChunker, with its own delimiters or given ones."""
    options = {"delim": list(delimiters), "min_characters_per_sentence": 1} if delimiters else {}
    chunker = import_module("chonkie").SentenceChunker(tokenizer="character", chunk_overlap=0, **options)
    return located(lambda text: [sentence.text for sentence in chunker._prepare_sentences(text)])


def splitters(language: Language) -> dict[str, Callable[[], Splitter]]:
    """How each splitter is made."""
    return {
        "hierrag_lessons": ours,
        "pysbd": lambda: pysbd(language),
        PUNKT: punkt,
        "chonkie": chonkie,
        "chonkie, Chinese stops and line breaks given": lambda: chonkie(_CHINESE_STOPS),
    }


def chunkers(size: int) -> dict[str, Callable[[], Splitter]]:
    """How each public chunker of sentences is made, with chunks of at most ``size`` characters and no overlap."""
    return {
        "hierrag_lessons SentenceChunker": lambda: _ours_packed(size),
        "LlamaIndex SentenceSplitter": lambda: _llama_index(size),
        "chonkie SentenceChunker": lambda: _chonkie_packed(size),
    }


def _ours_packed(size: int) -> Splitter:
    chunker = SentenceChunker(size, measure=len)
    return lambda text: [chunk.end for chunk in chunker.chunk(Document("text", text))]


def _llama_index(size: int) -> Splitter:
    kind = import_module("llama_index.core.node_parser").SentenceSplitter
    return located(kind(chunk_size=size, chunk_overlap=0, tokenizer=list).split_text)


def _chonkie_packed(size: int) -> Splitter:
    kind = import_module("chonkie").SentenceChunker
    chunker = kind(tokenizer="character", chunk_size=size, chunk_overlap=0)
    return located(lambda text: [chunk.text for chunk in chunker.chunk(text)])


def cuts(texts: Sequence[tuple[str, Sequence[int]]], split: Splitter) -> dict[str, float | None]:
    """How often a chunker cuts inside the texts, and the share of its cuts that are a sentence's end; None of none."""
    number = sum(len(_boundaries(text, split(text))) for text, _ in texts)
    return {"cuts": number, "at_sentence_ends": boundary_f1(texts, split)["precision"] if number else None}


def measure(folder: Path) -> dict[str, Any]:
    """Every splitter and every chunker on both treebanks."""
    results: dict[str, Any] = {}
    for language in ("en", "zh"):
        texts = treebank(folder, language)
        results[language] = {"texts": len(texts), "boundaries": sum(len(ends) - 1 for _, ends in texts)}
        for name, make in splitters(language).items():
            try:
                split = make()
            except ImportError as error:
                results[language][name] = f"not installed: {error.name}"
                continue
            results[language][name] = boundary_f1(texts, split)
        packed: dict[str, Any] = {"size": CHUNK_SIZES[language]}
        for name, make in chunkers(CHUNK_SIZES[language]).items():
            try:
                packed[name] = cuts(texts, make())
            except ImportError as error:
                packed[name] = f"not installed: {error.name}"
        results[language]["chunks"] = packed
    return results


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    if "HIERRAG_BENCH" not in os.environ:
        raise SystemExit("HIERRAG_BENCH is not set; name the folder with ud_en and ud_zh in it")
    installed = tuple(name for name in ("pysbd", "llama-index-core", "chonkie") if _is_installed(name))
    write("sentences", measure(Path(os.environ["HIERRAG_BENCH"])), installed)
