"""Every retriever on public question sets: ``python -m benchmarks.public [set …] [--ablation]``.

It runs where ``HIERRAG_BENCH`` names the folder with the sets, see ``benchmarks.public_sets``. All retrievers search
the course's hierarchy of a set's documents, one collection a set, or units made from it, and fill the same budgets.
Each is compared with flat hybrid search on the same questions; the p-values of a set's table are adjusted together
after Holm. Budgets are in characters, and in tokens of cl100k_base where tiktoken has that vocabulary. Each set is
stored as soon as it is measured.

``--ablation`` measures instead what each part of multi-level scoring brings, see ``benchmarks.public_ablation``.
``--embedder NAME`` and ``--cross-encoder NAME`` measure instead what another model brings: any of sentence-transformers
that is on this machine, or that the Hugging Face hub gives it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.public_ablation import variants
from benchmarks.public_sets import BUDGETS, SETS, TOKEN_BUDGETS, bench_folder, load_set
from benchmarks.results import read, write
from hierrag_lessons.chunkers import course_hierarchy, make_units
from hierrag_lessons.embedding import CachedEmbedder, SentenceTransformerEmbedder, default_embedder
from hierrag_lessons.evaluation import Question, Result, compare, evaluate, holm
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Document, Embedder, Hierarchy, Language, Retriever
from hierrag_lessons.ranking import CrossEncoderReranker, Reranker
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    FlatRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    LocalWindow,
    MultiLevelRetriever,
    ParentChildRetriever,
    RerankingRetriever,
    SegmentRetriever,
    SentenceWindowRetriever,
)
from hierrag_lessons.store import Index, temporary_index
from hierrag_lessons.text import Measure, encode
from tools.train_tokenizer import cached_cl100k

BASE = "flat, hybrid (z-scores)"
SECTION, LEAF, UNIT = 2, 3, 4
ABLATED = ("chroma_eval", "locomo")
FILLS = (
    40  # units that fill the largest budget for most questions; their order does not depend on how many are asked for
)

KINDS: Mapping[str, Callable[[Document], Hierarchy]] = {
    "leaves": course_hierarchy,
    "two levels": lambda document: replace(course_hierarchy(document), searched=frozenset({SECTION, LEAF})),
    "units": lambda document: make_units(course_hierarchy(document)),
}


@contextmanager
def indexes(
    documents: Sequence[Document], kinds: Sequence[str] = tuple(KINDS), embedder: Embedder | None = None
) -> Iterator[dict[str, Index]]:
    """An index of each kind, until the block ends; with the course's embedder for the language, or another."""
    embedder = embedder or default_embedder(documents[0].language)
    with ExitStack() as stack:
        yield {
            kind: stack.enter_context(temporary_index(map(KINDS[kind], documents), embedder=embedder)) for kind in kinds
        }


def retrievers(made: Mapping[str, Index]) -> dict[str, Retriever]:
    """Every retriever that returns text of the documents, by a name that has its settings; flat hybrid is the first."""
    leaves, two, units = made["leaves"], made["two levels"], made["units"]
    default = MultiLevelRetriever(units)
    return {
        BASE: FlatRetriever(leaves, mode="hybrid"),
        "flat, vector": FlatRetriever(leaves),
        "flat, BM25": FlatRetriever(leaves, mode="text"),
        "flat, hybrid (RRF)": HybridRetriever(leaves, level=LEAF, fusion="reciprocal_rank"),
        "hybrid, z-scores, half of the section's": HybridRetriever(
            two, level=LEAF, above={SECTION: 0.5}, fusion="z_score"
        ),
        "coarse to fine, 30 sections, hybrid": coarse_to_fine(two),
        "sentence window ±1, hybrid": SentenceWindowRetriever(units, level=UNIT, before=1, after=1, mode="hybrid"),
        "parent-child 600/200, coverage 0, hybrid": ParentChildRetriever(
            leaves, coverage=0.0, mode="hybrid", children_per_passage=3
        ),
        "parent-child, windows of 180 characters, hybrid": ParentChildRetriever(
            leaves, coverage=0.0, mode="hybrid", window=LocalWindow(), children_per_passage=3
        ),
        "auto-merging 0.6, hybrid": AutoMergingRetriever(leaves, threshold=0.6, mode="hybrid"),
        "segments, penalty 0.8, hybrid": SegmentRetriever(leaves, penalty=0.8, mode="hybrid"),
        "multi-level, lift 0": MultiLevelRetriever(units, lift=0.0),
        f"multi-level, lift {default.lift:g} (default)": default,
    }


def coarse_to_fine(index: Index) -> CoarseToFineRetriever:
    """Sections first, then the leaves below the best 30."""
    return CoarseToFineRetriever(
        [
            LevelConfig("section", IndexLevel(index, SECTION, "hybrid"), 30),
            LevelConfig("leaf", IndexLevel(index, LEAF, "hybrid"), 200, constrain_by="previous"),
        ]
    )


def units_of_size(language: Language) -> dict[str, tuple[Measure, tuple[int, ...]]]:
    """What a budget is counted in, with the budgets: characters, and tokens where the vocabulary is there."""
    found: dict[str, tuple[Measure, tuple[int, ...]]] = {"characters": (len, BUDGETS[language])}
    if (cl100k := cached_cl100k()) is not None:
        found["cl100k tokens"] = (lambda text: len(encode(text, cl100k)), TOKEN_BUDGETS[language])
    return found


def summary(results: Mapping[str, Result]) -> dict[str, Any]:
    """For each method and budget: recall with its interval, the other means, and the difference from the first."""
    base, budgets = next(iter(results)), next(iter(results.values())).budgets
    found: dict[str, Any] = {}
    for name, result in results.items():
        at: dict[str, dict[str, Any]] = {}
        for budget in budgets:
            *_, record = compare({base: results[base], name: result}, "recall", budget).records()
            at[str(budget)] = {
                "recall": record["recall"],
                "low": record["low"],
                "high": record["high"],
                **{metric: result.mean(metric, budget) for metric in ("complete", "precision", "iou")},
                "used": record["context_tokens"],
            }
            if name != base:
                columns = {"difference": "difference", "from": "difference low", "to": "difference high", "p": "p"}
                at[str(budget)] |= {key: record[column] for key, column in columns.items()}
        found[name] = at
    compared = [entry for at in found.values() for entry in at.values() if "p" in entry]
    for entry, p in zip(compared, holm([entry["p"] for entry in compared]), strict=True):
        entry["p"] = p
    return {
        name: {budget: {key: round(float(value), 4) for key, value in entry.items()} for budget, entry in at.items()}
        for name, at in found.items()
    }


def measure(documents: Sequence[Document], questions: Sequence[Question]) -> dict[str, Any]:
    """Every retriever on one set, for each unit of size."""
    with indexes(documents) as made:
        chosen = retrievers(made)
        return {
            "units": made["units"].count(UNIT),
            "in": {
                unit: summary(evaluate_each(chosen, questions, budgets, size))
                for unit, (size, budgets) in units_of_size(documents[0].language).items()
            },
        }


def ablate(documents: Sequence[Document], questions: Sequence[Question]) -> dict[str, Any]:
    """Multi-level scoring with parts left out, on one set, at the budgets in characters."""
    with indexes(documents, ["units"]) as made:
        results = evaluate_each(variants(made["units"]), questions, BUDGETS[documents[0].language], len, k=FILLS)
        return {"in": {"characters": summary(results)}}


def measure_models(
    documents: Sequence[Document], questions: Sequence[Question], embedder: Embedder | None, reranker: Reranker | None
) -> dict[str, Any]:
    """Multi-level scoring as it is, with another embedder, and with its best 40 passages judged by a model.

    Flat hybrid search stands beside each. Budgets are in characters.
    """
    with ExitStack() as stack:
        ours = stack.enter_context(indexes(documents))
        chosen: dict[str, Retriever] = {
            BASE: FlatRetriever(ours["leaves"], mode="hybrid"),
            "multi-level": MultiLevelRetriever(ours["units"]),
        }
        if embedder is not None:
            theirs = stack.enter_context(indexes(documents, embedder=CachedEmbedder(embedder)))
            chosen[f"{BASE}, {embedder.name}"] = FlatRetriever(theirs["leaves"], mode="hybrid")
            chosen[f"multi-level, {embedder.name}"] = MultiLevelRetriever(theirs["units"])
        if reranker is not None:
            judged = list(chosen.items())
            chosen |= {f"{name}, reranked": RerankingRetriever(method, reranker, 40) for name, method in judged}
        return {"in": {"characters": summary(evaluate_each(chosen, questions, BUDGETS[documents[0].language], len))}}


def evaluate_each(
    chosen: Mapping[str, Retriever], questions: Sequence[Question], budgets: Sequence[int], size: Measure, k: int = 10
) -> dict[str, Result]:
    """The result of each retriever on the same questions, with ``k`` passages asked for at first."""
    named = with_progress(chosen.items(), "retrievers")
    return {name: evaluate(retriever, questions, budgets, k, size) for name, retriever in named}


def store(part: str, name: str, entry: Mapping[str, Any]) -> None:
    """Put what was measured of one set into ``results/public.json``, beside what is there."""
    try:
        report = read("public")
    except FileNotFoundError:
        report = {"sets": {}, "ablation": {}}
    report.setdefault(part, {})
    report.pop("machine", None)  # the one that is written is this one
    report[part][name] = entry
    report[part] = {known: report[part][known] for known in SETS if known in report[part]}
    write("public", report, ("lancedb",))


def run(folder: Path, names: Sequence[str], part: str, measured: Callable[..., dict[str, Any]]) -> None:
    """Measure the sets with these names, each in its folder below ``folder``, and store each in its part."""
    for name in names:
        documents, questions = load_set(folder / name)
        if questions.dropped:
            print(
                f"{name}: {len(questions.dropped)} questions are left out: {dict(questions.dropped)}", file=sys.stderr
            )
        entry = {
            "documents": len(documents),
            "characters": sum(len(document.text) for document in documents),
            "questions": len(questions),
            "dropped": len(questions.dropped),
            **measured(documents, questions),
        }
        store(part, name, entry)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sets that are named, or all that the folder has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="set", help=f"of {', '.join(SETS)}; all that are there by default")
    parser.add_argument("--ablation", action="store_true", help=f"parts left out, on {' and '.join(ABLATED)}")
    parser.add_argument(
        "--embedder", metavar="NAME", help="another model of sentence-transformers, beside the course's"
    )
    parser.add_argument("--cross-encoder", metavar="NAME", help="a model that judges the best 40 passages")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.sets) - set(SETS)):
        parser.error(f"no public set is called {', '.join(unknown)}; there are {', '.join(SETS)}")
    try:
        folder = bench_folder()
    except ValueError as error:
        parser.error(str(error))
    if cached_cl100k() is None and not options.ablation:
        print("tiktoken has no cl100k_base here, so budgets are in characters only", file=sys.stderr)
    wanted = options.sets or (ABLATED if options.ablation else SETS)
    there = [name for name in wanted if (folder / name).is_dir()]
    if missing := sorted(set(wanted) - set(there)):
        print(f"not in the folder, and left out: {', '.join(missing)}", file=sys.stderr)
    if options.embedder or options.cross_encoder:
        embedder = SentenceTransformerEmbedder(options.embedder) if options.embedder else None
        reranker = CrossEncoderReranker(options.cross_encoder) if options.cross_encoder else None
        run(folder, there, "models", partial(measure_models, embedder=embedder, reranker=reranker))
    elif options.ablation:
        run(folder, there, "ablation", ablate)
    else:
        run(folder, there, "sets", measure)


if __name__ == "__main__":
    main()
