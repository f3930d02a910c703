"""Embeddings from a server that speaks OpenAI's protocol: OpenAI itself, Ollama, llama.cpp, vLLM.

Lesson 02 uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import EmbeddingError, unit_rows, without_surrogates
from hierrag_lessons.embedding.sides import named
from hierrag_lessons.llm.endpoint import explain, key_problem, open_client, server_name
from hierrag_lessons.long_work import with_progress

if TYPE_CHECKING:
    from openai import OpenAI


class OpenAIEmbedder:
    """An embedding model behind an OpenAI-compatible endpoint.

    The address and the key are read from ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``. Busy and failing servers are asked
    again, ``max_retries`` times, with growing pauses.

    Parameters
    ----------
    model:
        The model's name as the server knows it, for example ``"text-embedding-3-small"``.
    batch_size:
        Texts per request.
    timeout:
        Seconds to wait for an answer to one request.
    max_retries:
        How often a failed request is repeated.
    query_prompt, document_prompt:
        What stands in front of each question and of each document, ``"query: "`` and ``"passage: "`` for E5: most
        servers embed a text as it is sent. They are part of the name, so that an index is not opened with others.

    Raises
    ------
    EmbeddingError
        Without a key; from ``encode`` and ``dim`` where the server cannot be reached, refuses, or gives an answer that
        does not fit the question.
    ValueError
        Without the name of a model, and for numbers that cannot work.
    """

    def __init__(
        self,
        model: str,
        *,
        batch_size: int = 64,
        timeout: float = 60.0,
        max_retries: int = 2,
        query_prompt: str = "",
        document_prompt: str = "",
    ) -> None:
        checks.text("model", model)
        checks.text("query_prompt", query_prompt)
        checks.text("document_prompt", document_prompt)
        if not model.strip():
            raise ValueError("model is blank; give the name of a model as the server knows it")
        checks.whole("batch_size", batch_size, 1)
        checks.number("timeout", timeout, above=0)
        checks.whole("max_retries", max_retries, 0)
        if problem := key_problem():
            raise EmbeddingError(f"{problem}. default_embedder() needs neither")
        self.model = model
        self.batch_size = batch_size
        self.timeout = timeout
        self.max_retries = max_retries
        self.query_prompt, self.document_prompt = query_prompt, document_prompt
        self._dim: int | None = None

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.model!r})"

    @property
    def name(self) -> str:
        """``openai:``, the model's name, and the prompts where there are any."""
        return named(f"openai:{self.model}", query_prompt=self.query_prompt, document_prompt=self.document_prompt)

    @property
    def two_sided(self) -> bool:
        """Whether a question is embedded in another way than a document."""
        return self.query_prompt != self.document_prompt

    @property
    def dim(self) -> int:
        """Length of each vector; asks the server for one, where none was asked for before."""
        if self._dim is None:
            self._request(["dimension"])
        assert self._dim is not None
        return self._dim

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed documents, float32 of shape ``(len(texts), dim)``, ``batch_size`` texts in each request."""
        return self._encode(texts, self.document_prompt)

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Embed questions, as ``encode`` does documents."""
        return self._encode(texts, self.query_prompt)

    def _encode(self, texts: Sequence[str], prompt: str) -> np.ndarray:
        # The protocol has no empty text.
        cleaned = [without_surrogates(prompt + text) or " " for text in checks.texts("texts", texts)]
        starts = with_progress(range(0, len(cleaned), self.batch_size), f"embedding {len(cleaned):,} texts")
        batches = [self._request(cleaned[start : start + self.batch_size]) for start in starts]
        return unit_rows(np.concatenate(batches)) if batches else np.empty((0, self.dim), dtype=np.float32)

    @cached_property
    def _client(self) -> OpenAI:
        return open_client(self.timeout, self.max_retries)

    def _request(self, texts: list[str]) -> np.ndarray:
        from openai import APIConnectionError, APIStatusError, OpenAIError

        server, problem = server_name(self._client), ""
        try:
            # "float": some servers do not know base64, which the client would ask for.
            answer = self._client.embeddings.create(model=self.model, input=texts, encoding_format="float")
            received = {item.index: np.asarray(item.embedding, dtype=np.float64) for item in answer.data}
        except (APIConnectionError, APIStatusError) as error:
            problem = explain(error, self._client, self.timeout)
        except (OpenAIError, AttributeError, TypeError, ValueError, RecursionError):
            problem = (
                f"{server} gave an answer that is no list of embeddings; check OPENAI_BASE_URL, which often ends in /v1"
            )
        if problem:
            raise EmbeddingError(problem)
        if len(answer.data) != len(texts) or set(received) != set(range(len(texts))):
            raise EmbeddingError(
                f"{server} returned {len(answer.data)} embeddings, numbered {sorted(received)}, for {len(texts)} "
                "texts; it must return one for each, numbered from 0"
            )
        shapes = {vector.shape for vector in received.values()} | ({(self._dim,)} if self._dim else set())
        if len(shapes) != 1 or len(shape := shapes.pop()) != 1 or not shape[0]:
            raise EmbeddingError(f"{server} returned embeddings that are not vectors of one length; use another model")
        vectors = np.stack([received[index] for index in range(len(texts))])
        if not np.isfinite(vectors).all():
            raise EmbeddingError(f"{server} returned a vector with a value that is no finite number; use another model")
        self._dim = vectors.shape[1]
        return vectors
