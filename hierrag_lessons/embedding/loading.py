"""Loading a model of the sentence-transformers library: from this machine, then from the hub, or a clear error.

Lesson 02 uses it.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import EmbeddingError

_HUB_TIMEOUT = 10.0  # seconds
_BF16 = ("avx512_bf16", "amx_bf16", "bf16")  # the last on ARM


def check_bf16(bf16: bool, device: str) -> None:
    """Raise ``ValueError`` where a model is to compute in bfloat16 on a CPU that has no instructions for it."""
    checks.instance("bf16", bf16, bool)
    if not bf16 or device != "cpu":
        return
    from torch.cpu import get_capabilities  # Loading it takes seconds.

    if not any(get_capabilities().get(name) for name in _BF16):
        raise ValueError(
            "bf16 is True, and this processor has no instructions for bfloat16 (avx512_bf16, amx_bf16), so that it "
            "would be slower; leave bf16 out"
        )


def load_model(kind: str, name: str, device: str, otherwise: str, bf16: bool = False) -> Any:
    """The model ``name`` as an object of the class ``kind``, for example ``"SentenceTransformer"``.

    Raises ``EmbeddingError`` where it is neither here nor on the hub; the message ends with ``otherwise``, which says
    what works without it.
    """
    with warnings.catch_warnings():
        # In a notebook without ipywidgets tqdm warns that it can't draw its progress bars; there are none here.
        warnings.filterwarnings("ignore", "IProgress not found")
        import sentence_transformers
        from huggingface_hub import model_info
        from transformers.utils import logging

    make = getattr(sentence_transformers, kind)
    if bf16:
        make = partial(make, model_kwargs={"dtype": "bfloat16"})
    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return make(name, device=device, local_files_only=True)
    except Exception as error:  # The libraries below have no common error class.
        if Path(name).is_dir():
            raise EmbeddingError(f"the folder {name} holds no model that can be loaded: {error}") from error
    finally:
        if bars:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        # One request; without a network the download itself retries for a minute.
        model_info(name, timeout=_HUB_TIMEOUT)
        return make(name, device=device)
    except Exception as error:
        raise EmbeddingError(
            f"the model {name!r} is not on this machine and could not be downloaded ({type(error).__name__}). Connect "
            f"to a network once, or give the folder of a copy; {otherwise} works without either"
        ) from error
