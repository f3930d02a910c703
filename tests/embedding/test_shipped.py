"""Vectors that come with the repository: they are the model's, they are found, a damaged file costs only time."""

import random

import numpy as np
import pytest

from hierrag_lessons.chunkers import StructureChunker
from hierrag_lessons.embedding import CachedEmbedder, MiniLMEmbedder, shipped
from hierrag_lessons.embedding.shipped import (
    StoredVector,
    note_asked,
    rounded,
    shipped_vectors,
    text_key,
    vectors_file,
    write_vectors,
)
from hierrag_lessons.evaluation import course_set
from tests.embedding.test_embedding import Counting

NAME, DIM = MiniLMEmbedder().name, MiniLMEmbedder.dim


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in the place of the repository's vectors."""
    monkeypatch.setattr(shipped, "VECTORS_DIR", tmp_path / "vectors")
    shipped_vectors.cache_clear()
    yield tmp_path / "vectors"
    shipped_vectors.cache_clear()


def entries_of(embedder, texts):
    return {text_key(text): StoredVector(row, 7) for text, row in zip(texts, embedder.encode(texts), strict=True)}


def test_a_sample_embedded_again_is_what_the_repository_holds():
    documents, questions = course_set("en")
    leaves = [chunk.embedding_text for doc in documents for chunk in StructureChunker(max_size=200).chunk(doc)]
    stored = shipped_vectors(NAME, DIM)
    texts = dict.fromkeys([*leaves, *(question.question for question in questions)])
    kept = [text for text in texts if text_key(text) in stored]
    assert len(kept) > 500
    sample = random.Random(0).sample(kept, 40)
    again, embedder = MiniLMEmbedder().encode(sample), MiniLMEmbedder()
    for text, row, pieces in zip(sample, again, embedder.count_word_pieces(sample), strict=True):
        assert stored[text_key(text)].word_pieces == pieces
        # Sums differ by 1e-7 between processors, which can round to the number beside it.
        np.testing.assert_allclose(stored[text_key(text)].vector, row, rtol=2.0**-10, atol=1e-6)


def test_rounding_keeps_the_length_and_nearly_the_direction():
    vectors = rounded(np.random.default_rng(0).normal(size=(50, DIM)))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    unrounded = np.random.default_rng(0).normal(size=(50, DIM))
    unrounded /= np.linalg.norm(unrounded, axis=1, keepdims=True)
    assert (vectors * unrounded).sum(axis=1).min() > 1 - 1e-6


def test_what_was_written_is_read_and_nothing_is_embedded(folder, tmp_path):
    texts = [f"text {n}" for n in range(300)]
    embedder = Counting()
    write_vectors(vectors_file("counting"), entries_of(embedder, texts), embedder.dim)
    expected, embedder.seen = rounded(embedder.encode(texts)), []
    np.testing.assert_array_equal(CachedEmbedder(embedder, tmp_path / "cache.sqlite").encode(texts), expected)
    assert embedder.seen == []
    assert not (tmp_path / "cache.sqlite").exists()


def test_only_what_is_missing_is_embedded(folder, tmp_path):
    embedder = Counting()
    write_vectors(vectors_file("counting"), entries_of(embedder, ["here"]), embedder.dim)
    embedder.seen = []
    CachedEmbedder(embedder, tmp_path / "cache.sqlite").encode(["new", "here", "new"])
    assert embedder.seen == ["new"]


def test_the_same_vectors_make_the_same_file_in_any_order(folder):
    entries = entries_of(Counting(), [f"text {n}" for n in range(50)])
    write_vectors(folder / "a.npy", entries, 8)
    write_vectors(folder / "b.npy", dict(reversed(entries.items())), 8)
    assert (folder / "a.npy").read_bytes() == (folder / "b.npy").read_bytes()


@pytest.mark.parametrize("damage", [lambda b: b[:100], lambda b: b"", lambda b: b[:-1000], lambda b: b"x" * 500])
def test_a_damaged_file_is_as_none(folder, tmp_path, damage):
    embedder = Counting()
    path = vectors_file("counting")
    write_vectors(path, entries_of(embedder, [f"text {n}" for n in range(100)]), embedder.dim)
    path.write_bytes(damage(path.read_bytes()))
    embedder.seen = []
    assert CachedEmbedder(embedder, tmp_path / "cache.sqlite").encode(["text 3"]).shape == (1, 8)
    assert embedder.seen == ["text 3"]


def test_vectors_of_another_length_are_as_none(folder):
    write_vectors(vectors_file("counting"), entries_of(Counting(dim=9), ["a"]), 9)
    assert len(shipped_vectors("counting", 8)) == 0


@pytest.mark.parametrize("name", ["../secret", "a/b", ".."])
def test_a_name_that_is_a_path_has_no_file(folder, name):
    folder.mkdir()
    write_vectors(folder.parent / "secret.npy", entries_of(Counting(), ["a"]), 8)
    assert len(shipped_vectors(name, 8)) == 0


def test_what_is_asked_for_is_noted_where_a_folder_is_named(tmp_path, monkeypatch):
    note_asked("counting", {text_key("a"): "a"}, ())
    monkeypatch.setenv("ASKED_TEXTS", str(tmp_path))
    CachedEmbedder(Counting(), tmp_path / "cache.sqlite").encode(["a", "b", "a"])
    [noted] = tmp_path.glob("*.tsv")
    assert noted.read_text("utf-8").splitlines() == [f'counting\t{text_key(text).hex()}\t"{text}"' for text in "ab"]
