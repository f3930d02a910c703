"""Topic segmentation of public texts: Pk, WindowDiff and boundary F1: ``python -m benchmarks.segmentation``.

The environment variable HIERRAG_BENCH names the folder with the public data sets. Each holds texts as units (sentences
or turns) with their gold segments. No method is told how many segments there are, except the one that says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import write
from hierrag_lessons.chunkers import (
    TopicsRefusedError,
    lexical_boundaries,
    optimal_boundaries,
    semantic_boundaries,
    topic_boundaries,
)
from hierrag_lessons.embedding import CachedEmbedder, MiniLMEmbedder
from hierrag_lessons.evaluation import bootstrap_interval, boundary_f1, pk, window_diff
from hierrag_lessons.reading.jsonl import read_lines

SETS = ("wiki50", "choi-3-11", "tiage")
MEASURES = {"pk": pk, "window_diff": window_diff, "boundary_f1": boundary_f1}


class Text(NamedTuple):
    """Units in order, and the indices of those that start a segment."""

    units: list[str]
    starts: list[int]


Method = Callable[[Text], Sequence[int]]


def read_texts(path: Path) -> list[Text]:
    """The texts of a ``segments.jsonl``; those of one unit, which nobody can divide, are left out."""
    texts = [Text(fields["units"], fields["starts"]) for _, fields in read_lines(path)]
    return [text for text in texts if len(text.units) > 1]


def evenly_spaced(text: Text) -> list[int]:
    """As many segments as there are in truth, all of one length."""
    segments = len({0, *text.starts})
    return [round(i * len(text.units) / segments) for i in range(segments)]


def methods() -> dict[str, Method]:
    """By name; the embedder is the course's English one."""
    embedder = CachedEmbedder(MiniLMEmbedder())
    return {
        "no boundaries": lambda text: [0],
        "evenly spaced, their number known": evenly_spaced,
        "TextTiling": lambda text: lexical_boundaries(text.units, "en"),
        "semantic, greedy": lambda text: semantic_boundaries(text.units, embedder),
        "semantic, optimal": lambda text: optimal_boundaries(text.units, embedder),
        "topics, no smoothing": lambda text: topic_boundaries(text.units, embedder, smoothing="none"),
        "topics, majority": lambda text: topic_boundaries(text.units, embedder, smoothing="majority"),
        "topics, Viterbi": lambda text: topic_boundaries(text.units, embedder),
    }


def score(method: Method, texts: Sequence[Text]) -> dict[str, object]:
    """Mean of each measure with its 95 % interval; where topics are refused, the text has one segment."""
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    refused, found = 0, 0
    for text in texts:
        try:
            starts = method(text)
        except TopicsRefusedError:
            starts, refused = [0], refused + 1
        found += len({0, *starts})
        for name, measure in MEASURES.items():
            values[name].append(measure(len(text.units), text.starts, starts))
    means = {name: round(sum(scores) / len(scores), 4) for name, scores in values.items()}
    low, high = bootstrap_interval(values["pk"])
    segments = round(found / sum(len({0, *text.starts}) for text in texts), 2)
    return {**means, "pk_interval": [round(low, 4), round(high, 4)], "segments_per_gold_segment": segments} | (
        {"refused": refused} if refused else {}
    )


def main() -> None:
    """Measure every method on every set that is there."""
    if "HIERRAG_BENCH" not in os.environ:
        raise SystemExit("HIERRAG_BENCH does not name the folder of the public data sets, so nothing is measured")
    results: dict[str, object] = {}
    for name in SETS:
        path = Path(os.environ["HIERRAG_BENCH"]) / name / "segments.jsonl"
        if not path.exists():
            print(f"{name}: there is no {name}/segments.jsonl in the folder that HIERRAG_BENCH names; left out")
            continue
        texts = read_texts(path)
        results[name] = {
            "texts": len(texts),
            "units": sum(len(text.units) for text in texts),
            "methods": {title: score(method, texts) for title, method in methods().items()},
        }
    if not results:
        raise SystemExit("none of the data sets is there, so the results file is left as it is")
    write("segmentation", {"sets": results}, ("scikit-learn", "sentence-transformers"))


if __name__ == "__main__":
    main()
