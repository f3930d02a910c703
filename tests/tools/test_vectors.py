"""The vectors that come with the repository are those of what is embedded: no more, no fewer, and not too many."""

import numpy as np
import pytest

from hierrag_lessons.embedding import CachedEmbedder, shipped
from hierrag_lessons.embedding.shipped import shipped_vectors, text_key
from hierrag_lessons.reading import python_reference_checksum
from tests.embedding.test_embedding import Counting
from tools import vectors


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """An empty repository whose embedder is a quick one; the folder of notes, and a function that embeds."""
    monkeypatch.setattr(shipped, "VECTORS_DIR", tmp_path / "vectors")
    monkeypatch.setattr(vectors, "NAME", "counting")
    monkeypatch.setattr(vectors, "DIM", 8)
    monkeypatch.setattr(vectors, "REFERENCE", tmp_path / "vectors" / "counting.reference")
    monkeypatch.setattr(vectors, "course_embedder", lambda: CachedEmbedder(Counting(), tmp_path / "cache.sqlite"))
    notes = tmp_path / "notes"
    notes.mkdir()
    shipped_vectors.cache_clear()
    yield notes
    shipped_vectors.cache_clear()


def embed(notes, monkeypatch, *texts):
    with monkeypatch.context() as patch:
        patch.setenv("ASKED_TEXTS", str(notes))
        vectors.course_embedder().encode(texts)
    return vectors.asked(notes)


def test_what_was_embedded_is_written_and_then_nothing_is_missing(shelf, monkeypatch):
    texts = embed(shelf, monkeypatch, "one", "two", "one")
    assert texts == {text_key("one"): "one", text_key("two"): "two"}
    vectors.write(texts)
    shipped_vectors.cache_clear()
    assert vectors.problems(texts) == []
    np.testing.assert_allclose(
        shipped_vectors("counting", 8)[text_key("two")].vector, Counting().encode(["two"])[0], atol=1e-3
    )


def test_the_check_says_what_is_missing_and_what_nothing_embeds(shelf, monkeypatch):
    vectors.write(embed(shelf, monkeypatch, "one", "two"))
    shipped_vectors.cache_clear()
    [missing, unused] = vectors.problems({text_key("two"), text_key("three"), text_key("four")})
    assert missing.startswith("2 texts are embedded whose vectors are not in data/vectors")
    assert unused.startswith("1 vectors in data/vectors belong to texts that nothing embeds")


def test_vectors_that_nothing_embeds_any_more_go(shelf, monkeypatch):
    vectors.write(embed(shelf, monkeypatch, "one", "two"))
    shipped_vectors.cache_clear()
    vectors.write({text_key("two"): ""})
    shipped_vectors.cache_clear()
    assert len(shipped_vectors("counting", 8)) == 1


def test_under_another_python_reference_nothing_is_compared(shelf, monkeypatch):
    vectors.write(embed(shelf, monkeypatch, "one"))
    vectors.REFERENCE.write_text("another\n", encoding="utf-8")
    assert python_reference_checksum() != "another"
    assert vectors.problems({text_key("two")}) == []


def test_too_many_vectors_are_refused_and_the_file_stays(shelf, monkeypatch):
    vectors.write(embed(shelf, monkeypatch, "one"))
    before = shipped.vectors_file("counting").read_bytes()
    monkeypatch.setattr(vectors, "MOST_BYTES", 50)
    with pytest.raises(ValueError, match="embed less"):
        vectors.write(embed(shelf, monkeypatch, "two", "three"))
    assert shipped.vectors_file("counting").read_bytes() == before


def test_a_text_that_was_embedded_into_another_cache_is_embedded_again(shelf):
    vectors.write({text_key("elsewhere"): "elsewhere"})
    shipped_vectors.cache_clear()
    assert text_key("elsewhere") in shipped_vectors("counting", 8)


def test_the_repository_keeps_to_the_limit():
    shipped_files = list((vectors.ROOT / "data" / "vectors").iterdir())
    assert 0 < sum(path.stat().st_size for path in shipped_files) <= vectors.MOST_BYTES
