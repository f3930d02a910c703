"""Speed of the chunkers and of other packages' against one tokenizer pass: ``python -m benchmarks.chunkers``.

All figures come from one run, so that their ratios mean something on any machine. The packages in ``peers.txt`` are
measured where they are installed and left out where not. To install them beside the course, not into it::

    python -m venv /tmp/peers
    /tmp/peers/bin/pip install -r requirements.txt -r benchmarks/peers.txt
    PYTHONPATH=. /tmp/peers/bin/python -m benchmarks.chunkers

The texts are the sentences of the Python reference and of the course's Chinese documents in random order, so that
no paragraph comes twice: some of the others remember the size of every text they have seen, and would be timed looking
it up. Every run has a text of its own and makes its chunker anew for the same reason. Chunkers that embed are given
vectors that cost nothing.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import tiktoken
from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter, TokenTextSplitter

from benchmarks.results import write
from hierrag_lessons.chunkers import (
    CHINESE,
    ENGLISH,
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
from hierrag_lessons.model import Chunker, Document, Language
from hierrag_lessons.reading import DATA_DIR, load_corpus, read_dialogue, read_python_reference
from hierrag_lessons.text import get_encoding

TOKENS, CHARACTERS = 512, 2000
PEERS = ("chonkie", "semchunk", "llama_index")
_NUMBERS = count()

Run = Callable[[str], object]


def shuffled(texts: Sequence[str], characters: int, between: str) -> str:
    """Sentences of the texts in random order: Markdown with headings and paragraphs, of that many characters."""
    rng = Random(0)
    found = re.findall(r"\S[^\n]*?(?:[.!?](?=\s)|[。！？]|$)", "\n".join(texts), re.MULTILINE)
    sentences = [sentence.lstrip("#-*| ") for sentence in found if len(sentence) > 10]
    parts: list[str] = []
    while characters > 0:
        level = rng.choice((0, 0, 0, 0, 0, 0, 0, 0, 2, 3))
        part = between.join(rng.choices(sentences, k=1 if level else rng.randrange(1, 9)))
        parts.append(f"{'#' * level} {part[:40]}" if level else part)
        characters -= len(parts[-1]) + 2
    return "\n\n".join(parts)


def repeated_call(characters: int) -> Document:
    """The course's earnings call, again and again; of a dialogue nothing is remembered, so it may repeat."""
    lines = (DATA_DIR / "corpora/en/earnings_call.jsonl").read_text(encoding="utf-8").rstrip("\n")
    turns = [json.loads(line) for line in lines.splitlines()]
    times = characters // sum(len(turn["speaker"]) + len(turn["text"]) + 3 for turn in turns) + 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call.jsonl"
        untimed = [json.dumps({"speaker": turn["speaker"], "text": turn["text"]}) for turn in turns]
        path.write_text("\n".join(untimed * times), encoding="utf-8")
        return read_dialogue(path, language="en")[0]


class FreeEmbedder:
    """Vectors that cost next to nothing and change with the text, in place of an embedding model."""

    name, dim = "free", 64

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Rows of unit length, shape ``(len(texts), 64)``."""
        rows = np.random.default_rng(0).normal(size=(997, self.dim)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows[[len(text) * 31 % 997 for text in texts]]


def course_runs(language: Language) -> dict[str, Run]:
    """The course's chunkers by name."""
    separators = CHINESE if language == "zh" else ENGLISH

    def run(chunker: Chunker) -> Run:
        return lambda text: chunker.chunk(Document("text", text, "markdown", language))

    free = FreeEmbedder()
    return {
        f"fixed, {TOKENS} tokens": run(FixedSizeChunker(TOKENS)),
        f"fixed, {TOKENS} tokens, overlap 50": run(FixedSizeChunker(TOKENS, 50)),
        f"recursive, {TOKENS} tokens": run(RecursiveChunker(TOKENS, separators=separators)),
        f"recursive, {TOKENS} tokens, overlap 50": run(RecursiveChunker(TOKENS, 50, separators=separators)),
        f"recursive, {TOKENS} tokens, Markdown": run(RecursiveChunker(TOKENS, separators=MARKDOWN)),
        f"recursive, {CHARACTERS} characters": run(RecursiveChunker(CHARACTERS, 0, len, separators)),
        f"recursive, {CHARACTERS} characters, overlap 200": run(RecursiveChunker(CHARACTERS, 200, len, separators)),
        f"recursive, {CHARACTERS} characters, Markdown": run(RecursiveChunker(CHARACTERS, 0, len, MARKDOWN)),
        f"sentence, {TOKENS} tokens": run(SentenceChunker(TOKENS)),
        f"structure, {TOKENS} tokens": run(StructureChunker(TOKENS)),
        f"semantic, {TOKENS} tokens, without embedding": run(SemanticChunker(TOKENS, embedder=free)),
        f"optimal semantic, {TOKENS} tokens, without embedding": run(OptimalSemanticChunker(TOKENS, embedder=free)),
        f"text tiling, {TOKENS} tokens": run(TextTilingChunker(TOKENS)),
        f"topic, {TOKENS} tokens, without embedding": run(TopicChunker(TOKENS, embedder=free)),
        f"agentic, {TOKENS} tokens, without a model": run(AgenticChunker(TOKENS)),
        f"hybrid, {TOKENS} tokens, fast": run(HybridChunker(TOKENS, overlap=0, tier="fast")),
    }


def langchain_runs() -> dict[str, Run]:
    """LangChain's splitters, which the course is installed with; they find the offsets afterwards, by searching."""
    encoding = get_encoding()
    tiktoken.registry.ENCODINGS[encoding.name] = encoding

    def run(splitter: type, **options: Any) -> Run:
        return lambda text: splitter(add_start_index=True, **options).create_documents([text])

    def tokens(overlap: int) -> dict[str, Any]:
        size = {"chunk_size": TOKENS, "chunk_overlap": overlap}
        return {"encoding_name": encoding.name, "disallowed_special": (), **size}

    def characters(overlap: int) -> dict[str, Any]:
        return {"chunk_size": CHARACTERS, "chunk_overlap": overlap}

    return {
        f"LangChain token, {TOKENS} tokens": run(TokenTextSplitter, **tokens(0)),
        f"LangChain token, {TOKENS} tokens, overlap 50": run(TokenTextSplitter, **tokens(50)),
        f"LangChain recursive, {CHARACTERS} characters": run(RecursiveCharacterTextSplitter, **characters(0)),
        f"LangChain recursive, {CHARACTERS} characters, overlap 200": run(
            RecursiveCharacterTextSplitter, **characters(200)
        ),
        f"LangChain Markdown, {CHARACTERS} characters": run(MarkdownTextSplitter, **characters(0)),
    }


def peer_runs() -> Iterator[tuple[str, Run]]:
    """The packages of ``peers.txt`` that are installed."""
    encoding = get_encoding()
    if find_spec("chonkie"):
        chonkie = import_module("chonkie")
        yield (
            f"chonkie recursive, {TOKENS} tokens",
            lambda text: chonkie.RecursiveChunker(encoding, chunk_size=TOKENS).chunk(text),
        )
        for overlap in (0, 50):
            yield (
                f"chonkie token, {TOKENS} tokens" + f", overlap {overlap}" * bool(overlap),
                partial(lambda overlap, text: chonkie.TokenChunker(encoding, TOKENS, overlap).chunk(text), overlap),
            )
        yield (
            f"chonkie recursive, {CHARACTERS} characters",
            lambda text: chonkie.RecursiveChunker("character", chunk_size=CHARACTERS).chunk(text),
        )
    if find_spec("semchunk"):
        semchunk = import_module("semchunk")
        for overlap in (0, 50):
            yield (
                f"semchunk, {TOKENS} tokens" + f", overlap {overlap}" * bool(overlap),
                partial(
                    lambda overlap, text: semchunk.chunkerify(
                        lambda piece: len(encoding.encode_ordinary(piece)), TOKENS
                    )(text, offsets=True, overlap=overlap or None)[0],
                    overlap,
                ),
            )
    if find_spec("llama_index"):
        llama, parsers = import_module("llama_index.core"), import_module("llama_index.core.node_parser")
        for overlap in (0, 50):
            yield (
                f"LlamaIndex sentence, {TOKENS} tokens" + f", overlap {overlap}" * bool(overlap),
                partial(
                    lambda overlap, text: parsers.SentenceSplitter(
                        chunk_size=TOKENS, chunk_overlap=overlap, tokenizer=encoding.encode_ordinary
                    ).get_nodes_from_documents([llama.Document(text=text)]),
                    overlap,
                ),
            )


def best_seconds(runs: Mapping[str, Run], text: str) -> dict[str, float]:
    """The shortest of up to seven runs of each. They take turns, so that a disturbance does not hit only one."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(7):
        for name, run in runs.items():
            if sum(seconds[name]) < 10:
                new_text = f"{text}\n\n{next(_NUMBERS)}"  # A text seen before could be answered from a cache.
                started = time.perf_counter()
                run(new_text)
                seconds[name].append(time.perf_counter() - started)
    return {name: min(measured) for name, measured in seconds.items()}


def measure_language(language: Language, large: str) -> dict[str, object]:
    """Every chunker on the large text, and how its time grows from a tenth of it."""
    encoding = get_encoding()
    small = large[: len(large) // 10]
    megabytes = len(large.encode()) / 1e6
    runs: dict[str, Run] = {"one tokenizer pass, one thread": lambda text: encoding.encode_to_numpy(text)}
    runs |= course_runs(language) | langchain_runs() | dict(peer_runs())
    seconds, tenth = best_seconds(runs, large), best_seconds(runs, small)
    tokenizer = seconds["one tokenizer pass, one thread"]
    return {
        "megabytes": round(megabytes, 2),
        "megabytes_per_second": {name: round(megabytes / value, 1) for name, value in seconds.items()},
        "seconds_over_one_tokenizer_pass": {name: round(value / tokenizer, 2) for name, value in seconds.items()},
        "seconds_over_seconds_for_a_tenth": {name: round(value / tenth[name], 1) for name, value in seconds.items()},
    }


def measure_dialogue(characters: int) -> dict[str, object]:
    """The dialogue chunker on the earnings call, repeated."""
    calls = {size: repeated_call(size) for size in (characters // 10, characters)}

    def run(call: Document) -> Run:
        return lambda number: DialogueChunker(TOKENS).chunk(replace(call, text=call.text + number))

    seconds = {size: best_seconds({"": run(call)}, "")[""] for size, call in calls.items()}
    megabytes = len(calls[characters].text.encode()) / 1e6
    return {
        "megabytes_per_second": round(megabytes / seconds[characters], 1),
        "seconds_over_seconds_for_a_tenth": round(seconds[characters] / seconds[characters // 10], 1),
    }


def main() -> None:
    """Time everything on both languages and write ``results/chunkers.json``."""
    english = [document.text for document in read_python_reference()]
    chinese = [document.text for document in load_corpus("zh")]
    results: dict[str, object] = {
        "en": measure_language("en", shuffled(english, 5_000_000, " ")),
        "zh": measure_language("zh", shuffled(chinese, 900_000, "")),
        f"dialogue, {TOKENS} tokens": measure_dialogue(2_000_000),
    }
    installed = [name for name in PEERS if find_spec(name)]
    packages = ["llama-index-core" if name == "llama_index" else name for name in installed]
    write("chunkers", results, ("tiktoken", "langchain-text-splitters", *packages))


if __name__ == "__main__":
    main()
