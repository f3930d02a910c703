"""What ``python -m hierrag_lessons`` does with your own documents: ``ask``, ``compare`` and ``label``.

Lesson 24 uses it.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hierrag_lessons.embedding import EmbeddingError, SentenceTransformerEmbedder
from hierrag_lessons.own_documents.asking import ask_documents
from hierrag_lessons.own_documents.folder import Unread
from hierrag_lessons.own_documents.labelling import label_documents
from hierrag_lessons.own_documents.places import printable
from hierrag_lessons.own_documents.silver import SILVER_LIMITS
from hierrag_lessons.own_documents.whole import compare_documents

_DOCS = "a folder of .md, .html, .txt, .pdf and .jsonl (dialogue) files, with all folders inside it; or one such file"
_SHOWN = 5  # unread files that are named


def _ask(parser: ArgumentParser) -> None:
    parser.description = (
        "Search your own files. The best passages are printed, each with its file and lines, and in front of them "
        "sentences that may answer. The first question embeds the files; their index is kept in the cache folder "
        "(HIERRAG_CACHE) and follows them."
    )
    parser.epilog = 'Example: python -m hierrag_lessons ask ~/handbook "How many days of leave are there?"'
    parser.add_argument("docs", metavar="DOCS", type=Path, help=_DOCS)
    parser.add_argument("question", metavar="QUESTION", nargs="+", help="in English or Chinese")
    parser.add_argument(
        "--budget", type=int, default=1000, metavar="N", help="the most tokens that are searched out (%(default)s)"
    )
    parser.add_argument("--all", action="store_true", help="print all passages that fit, not only the first three")
    parser.add_argument("--list-unread", action="store_true", help="name every file that was not read, with the reason")
    _take_bf16(parser)
    parser.set_defaults(run=_run_ask)


def _run_ask(given: Namespace) -> int:
    asked = " ".join(given.question)
    found = ask_documents(given.docs, asked, budget=given.budget, bf16=given.bf16, progress=_progress)
    _say_unread(found.unread, "--list-unread names all", every=given.list_unread)
    print(found.text if given.all else found.brief)
    return 0


def _compare(parser: ArgumentParser) -> None:
    parser.description = (
        "Measure which chunks and which retriever suit your files, at equal tokens of context, and write one HTML file "
        "with a recommendation, its interval, and the lines of code that use it; or with the number of questions to "
        "label until it can be told. With 100 questions or more one half chooses and the other judges; with fewer than "
        "30, or silver ones alone, nothing is decided. Stopped, it goes on at the next call where it was."
    )
    parser.epilog = "Example: python -m hierrag_lessons compare ~/handbook --questions gold.jsonl --out report.html"
    parser.add_argument("docs", metavar="DOCS", type=Path, help=_DOCS)
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help='.jsonl with lines {"question": …, "evidence": [{"doc": …, "quote": …}]}, or .csv with the columns '
        "question,doc,quote; where a quote stands at several places, occurrence, a number, says which one counts; "
        "without FILE, silver questions are made from the documents",
    )
    parser.add_argument(
        "--skip-bad", action="store_true", help="leave out questions with a fault, and say which, in place of stopping"
    )
    parser.add_argument(
        "--budget",
        type=int,
        default=4000,
        metavar="N",
        help="the largest context, in tokens (%(default)s); its "
        "half, quarter and so on down to 250 are measured with it, and the headline is the mean over all of them",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("report.html"), metavar="REPORT", help="the report (%(default)s)"
    )
    parser.add_argument(
        "--embedder",
        metavar="MODEL",
        help="a sentence-transformers model in place of the course's embedders: a folder, or a name on the hub, which "
        "is downloaded where it is not on this machine",
    )
    for side in ("query", "document"):
        parser.add_argument(
            f"--{side}-prompt",
            metavar="TEXT",
            help=f"what this model reads in front of each {side}, where its own files do not say it",
        )
    _take_bf16(parser)
    parser.set_defaults(run=_run_compare)


def _take_bf16(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--bf16",
        action="store_true",
        help="let the embedding model compute with 16-bit numbers, on a processor that has instructions for it: nearly "
        "twice as fast, and nearly the same vectors",
    )


def _run_compare(given: Namespace) -> int:
    prompts = {"query_prompt": given.query_prompt, "document_prompt": given.document_prompt}
    embedder = None
    if given.embedder is None and any(prompt is not None for prompt in prompts.values()):
        raise ValueError("--query-prompt and --document-prompt are for the model of --embedder; give that, too")
    if given.embedder is not None:
        try:
            embedder = SentenceTransformerEmbedder(given.embedder, **prompts, bf16=given.bf16)
        except EmbeddingError as error:
            raise ValueError(f"--embedder {given.embedder!r}: {error}") from error
    report = compare_documents(
        given.docs,
        given.questions,
        budget=given.budget,
        skip_bad=given.skip_bad,
        out=given.out,
        embedder=embedder,
        bf16=given.bf16 and embedder is None,
        progress=_progress,
    )
    _say_unread(report.folder.unread, "the report names all")
    if given.questions is None:
        print(f"note: {SILVER_LIMITS}", file=sys.stderr)
    print(printable(report.comparison.recommendation.text))
    print(printable(f"The report: {given.out}"))
    return 0


def _label(parser: ArgumentParser) -> None:
    parser.description = (
        "Make gold: type a question, see the passages that several searches find, and accept with one key what answers "
        "it. Or be shown a passage, and ask about it. Every question is saved when it is done; stop whenever you like, "
        "a later call goes on."
    )
    parser.epilog = "Example: python -m hierrag_lessons label ~/handbook --questions gold.jsonl"
    parser.add_argument("docs", metavar="DOCS", type=Path, help=_DOCS)
    parser.add_argument(
        "--questions",
        type=Path,
        default=Path("questions.jsonl"),
        metavar="FILE",
        help="the .jsonl file that questions are added to (%(default)s)",
    )
    parser.set_defaults(run=_run_label)


def _run_label(given: Namespace) -> int:
    label_documents(given.docs, given.questions, reader=sys.stdin, writer=sys.stdout, progress=_progress)
    return 0


COMMANDS: Mapping[str, Callable[[ArgumentParser], None]] = {"ask": _ask, "compare": _compare, "label": _label}
"""Each command with the function that says what it takes, and sets ``run``, which does its work."""


def _progress(line: str) -> None:
    print(f"… {printable(line)}", file=sys.stderr, flush=True)


def _say_unread(unread: Sequence[Unread], more: str, *, every: bool = False) -> None:
    if not unread:
        return
    print(f"note: not read: {len(unread)}", file=sys.stderr)
    shown = unread if every else unread[:_SHOWN]
    for item in shown:
        print(f"  {printable(item.path)}: {printable(item.reason)}", file=sys.stderr)
    if len(shown) < len(unread):
        print(f"  and {len(unread) - len(shown)} more; {more}", file=sys.stderr)
