"""The texts of several indexes embedded in one pass, before the first of them is made.

Lesson 24 uses it.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from random import Random

from hierrag_lessons import checks
from hierrag_lessons.embedding import CachedEmbedder, LimitedEmbedder, TruncationWarning
from hierrag_lessons.long_work import is_shown, spoken, with_progress
from hierrag_lessons.model import Embedder

BETWEEN = 30.0
"""Seconds between two lines on how long it still takes, where no bar can be drawn."""

_BATCH = 64  # texts; an interruption loses no more
_CHARACTERS = 5  # of a word piece, roughly: what lies beyond the embedder's limit takes no time


def embed_ahead(texts: Iterable[str], embedder: Embedder, tell: Callable[[str], None]) -> int:
    """Embed what is not in an embedder's cache yet, and return how many texts that were.

    Each text is embedded once, however many indexes need it, and an interruption loses one batch at most. Texts of one
    length are embedded together, which spares padding. One batch is timed, and a sentence then says how long the others
    take on this machine. The whole pass has one line of progress, see ``with_progress``; where that draws nothing, a
    sentence comes now and then.

    Parameters
    ----------
    texts:
        What will be embedded later, repetitions included.
    embedder:
        One with a cache; without one nothing would be kept, so nothing is done.
    tell:
        Is called with each sentence.

    Raises ``ValueError`` for what are no texts, and as the embedder does.
    """
    checks.able("embedder", embedder, "encode")
    if not isinstance(embedder, CachedEmbedder):
        return 0
    new = sorted(embedder.missing(list(dict.fromkeys(texts))), key=lambda text: (len(text), text))
    if not new:
        return 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)  # whoever adds them to an index is told
        embedder.encode(new[:1])  # loads the model, which no batch shall be timed with
        _embed(new[1:], embedder, tell)
    return len(new)


def _embed(texts: Sequence[str], embedder: CachedEmbedder, tell: Callable[[str], None]) -> None:
    batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    Random(0).shuffle(batches)  # so that the first ones say what the rest takes
    limit = embedder.embedder.max_tokens if isinstance(embedder.embedder, LimitedEmbedder) else None
    efforts = [
        sum(len(text) if limit is None else min(len(text), _CHARACTERS * limit) for text in batch) for batch in batches
    ]
    started = told = time.perf_counter()
    for place, batch in enumerate(with_progress(batches, f"embedding {len(texts) + 1:,} texts")):
        now = time.perf_counter()
        if place == 1 or (place and not is_shown() and now - told >= BETWEEN):
            told = now
            left = spoken((now - started) / sum(efforts[:place]) * sum(efforts[place:]))
            done = 1 + sum(map(len, batches[:place]))
            tell(f"embedded {done:,} of {len(texts) + 1:,} texts; the others take about {left} on this machine")
        embedder.encode(batch)
