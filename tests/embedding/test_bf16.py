"""Embedding with 16-bit numbers, where the processor has instructions for them."""

import numpy as np
import pytest
import torch

from hierrag_lessons.embedding import (
    CharNgramEmbedder,
    MiniLMEmbedder,
    SentenceTransformerEmbedder,
    default_embedder,
    minilm_folder,
)

TEXTS = ["The lease of the Berlin office ends in May.", "Half-open ranges of code points.", "Rent: 14,000 euros."]


def with_instructions(monkeypatch, *names):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(names, True))


def test_vectors_differ_little_and_have_unit_length(monkeypatch):
    with_instructions(monkeypatch, "avx512_bf16")  # Without them the same numbers come out, slowly.
    fast, exact = MiniLMEmbedder(bf16=True).encode(TEXTS), MiniLMEmbedder().encode(TEXTS)
    assert fast.dtype == np.float32
    assert not np.array_equal(fast, exact)
    assert (fast * exact).sum(axis=1).min() > 0.9998
    np.testing.assert_allclose(np.linalg.norm(fast, axis=1), 1, atol=1e-6)


def test_the_name_says_it(monkeypatch):
    with_instructions(monkeypatch, "amx_bf16")
    made = SentenceTransformerEmbedder(minilm_folder(), bf16=True)
    assert made.name == f"{minilm_folder()} (bf16=True)"
    assert repr(made) == f"SentenceTransformerEmbedder({str(minilm_folder())!r}, bf16=True)"
    assert MiniLMEmbedder(bf16=True).name == default_embedder(bf16=True).name == "all-MiniLM-L6-v2-float16 (bf16=True)"
    assert MiniLMEmbedder().name == "all-MiniLM-L6-v2-float16"


@pytest.mark.parametrize(
    "make",
    [
        lambda: SentenceTransformerEmbedder(minilm_folder(), bf16=True),
        lambda: MiniLMEmbedder(bf16=True),
        lambda: default_embedder("en", bf16=True),
    ],
)
def test_a_processor_without_it_is_refused_with_a_sentence(monkeypatch, make):
    with_instructions(monkeypatch, "avx2")
    with pytest.raises(ValueError, match=r"bf16 is True, and this processor has no instructions .*; leave bf16 out"):
        make()
    assert isinstance(default_embedder("zh", bf16=True), CharNgramEmbedder)  # which is no model
