"""Speed of the chunkers against one tokenizer pass over the same text: ``python -m benchmarks.chunkers``.

All figures come from one run, so that their ratios mean something on any machine. The text is the Python reference
(English) or the Chinese handbook, repeated to the size given.
"""

from __future__ import annotations

from collections.abc import Callable

from langchain_text_splitters import RecursiveCharacterTextSplitter
from langchain_text_splitters.base import Tokenizer, split_text_on_tokens

from benchmarks.results import best_seconds, write
from hierrag_lessons.chunkers import CHINESE, MARKDOWN, FixedSizeChunker, RecursiveChunker
from hierrag_lessons.documents import load_corpus, read_python_reference
from hierrag_lessons.hierarchy import Chunker
from hierrag_lessons.rulers import make_ruler
from hierrag_lessons.spans import Document
from hierrag_lessons.tokens import get_encoding


def repeat(texts: list[str], characters: int) -> str:
    """The texts, one after the other, again and again, cut at that many characters."""
    text = "\n\n".join(texts)
    return (text * (characters // len(text) + 1))[:characters]


def runs(text: str, separators: tuple[str, ...]) -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    encoding = get_encoding()

    def ours(chunker: Chunker) -> Callable[[], object]:
        def run() -> object:
            make_ruler.cache_clear()  # Otherwise only the first run would pay for the tokenizer pass.
            return chunker.chunk(Document("text", text))

        return run

    tokenizer = Tokenizer(
        chunk_overlap=50,
        tokens_per_chunk=512,
        decode=encoding.decode,
        encode=lambda text: encoding.encode_ordinary(text),
    )
    langchain = RecursiveCharacterTextSplitter(chunk_size=2000, chunk_overlap=200, add_start_index=True)
    return {
        "one tokenizer pass": lambda: encoding.encode_to_numpy(text, disallowed_special=()),
        "FixedSizeChunker, 512 tokens": ours(FixedSizeChunker(512)),
        "FixedSizeChunker, 512 tokens, overlap 50": ours(FixedSizeChunker(512, 50)),
        "RecursiveChunker, 512 tokens": ours(RecursiveChunker(512, separators=separators)),
        "RecursiveChunker, 512 tokens, overlap 50": ours(RecursiveChunker(512, 50, separators=separators)),
        "LangChain tokens, 512, overlap 50, no offsets": lambda: split_text_on_tokens(text=text, tokenizer=tokenizer),
        "FixedSizeChunker, 2,000 characters": ours(FixedSizeChunker(2000, measure=len)),
        "RecursiveChunker, 2,000 characters, overlap 200": ours(RecursiveChunker(2000, 200, len, separators)),
        "LangChain recursive, 2,000 characters, overlap 200, offsets by find": lambda: langchain.create_documents(
            [text]
        ),
    }


def main() -> None:
    """Time everything on both languages, then the growth from 0.5 MB to 5 MB."""
    texts = {
        "en": (repeat([document.text for document in read_python_reference()], 5_000_000), MARKDOWN),
        "zh": (repeat([document.text for document in load_corpus("zh")], 1_000_000), CHINESE),
    }
    results: dict[str, object] = {}
    for language, (text, separators) in texts.items():
        megabytes = len(text.encode()) / 1e6
        seconds = {name: best_seconds(run) for name, run in runs(text, separators).items()}
        tokenizer = seconds["one tokenizer pass"]
        results[language] = {
            "megabytes": round(megabytes, 2),
            "megabytes_per_second": {name: round(megabytes / value, 1) for name, value in seconds.items()},
            "seconds_over_one_tokenizer_pass": {name: round(value / tokenizer, 2) for name, value in seconds.items()},
        }
    small, large = texts["en"][0][:500_000], texts["en"][0]
    growth = {}
    for name, run in runs(small, MARKDOWN).items():
        if "Chunker" in name:
            growth[name] = round(best_seconds(runs(large, MARKDOWN)[name], 3) / best_seconds(run, 3), 1)
    results["seconds_for_5_MB_over_seconds_for_0.5_MB"] = growth
    write("chunkers", results, ("tiktoken", "langchain-text-splitters"))


if __name__ == "__main__":
    main()
