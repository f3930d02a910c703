"""Cross-encoders: a model that reads query and text together and returns one number.

Lesson 19 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding.loading import load_model
from hierrag_lessons.embedding.protocol import without_surrogates

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

# What a model without a trained judgement is called; the library would give it random weights and go on.
_UNTRAINED = ("Model", "ForMaskedLM", "ForPreTraining")


class CrossEncoderReranker:
    """Any reranking model of the sentence-transformers library, for example ``"BAAI/bge-reranker-v2-m3"``.

    Query and text go through the model together, so that every word of one can look at every word of the other
    (Nogueira and Cho, 2019). That is the most exact judgement and the slowest: nothing can be computed before the query
    is known. A text is cut where the model's limit is.

    Parameters
    ----------
    model_name:
        A folder, or a name on the Hugging Face hub. What is on this machine already is loaded without the network.
    device:
        Where to run it: ``"cpu"``, ``"cuda"`` or ``"mps"``.

    Raises
    ------
    EmbeddingError
        Where the model is not on this machine and the hub does not provide it.
    ValueError
        Where the model gives no single trained score for a pair of texts.
    """

    def __init__(self, model_name: str | Path, device: str = "cpu") -> None:
        checks.instance("model_name", model_name, str | Path)
        checks.text("device", device)
        self.name = str(model_name)
        self._model = _load(self.name, device)
        architectures = getattr(self._model.config, "architectures", None) or []
        untrained = [name for name in architectures if name.endswith(_UNTRAINED)]
        if untrained or self._model.num_labels != 1:
            reason = f"is a {untrained[0]}" if untrained else f"gives {self._model.num_labels} scores for a pair"
            raise ValueError(
                f"the model {self.name!r} {reason}, so it does not judge how well a text answers a query; "
                "give one that was trained for reranking, such as 'BAAI/bge-reranker-v2-m3'"
            )

    def __repr__(self) -> str:
        return f"CrossEncoderReranker({self.name!r})"

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        """The model's score of each text, float64 of shape ``(len(texts),)``."""
        checks.text("query", query)
        pairs = [(without_surrogates(query), without_surrogates(text)) for text in checks.texts("texts", texts)]
        if not pairs:
            return np.empty(0, dtype=np.float64)
        return np.asarray(self._model.predict(pairs, show_progress_bar=False), dtype=np.float64)


@cache
def _load(name: str, device: str) -> CrossEncoder:
    model: CrossEncoder = load_model("CrossEncoder", name, device, "MaxSimReranker()")
    return model
