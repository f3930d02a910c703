"""A small index that the tests of this room share."""

import pytest

from hierrag_lessons.chunkers import RecursiveChunker, SentenceChunker, build_hierarchy
from hierrag_lessons.model import Document
from hierrag_lessons.store import temporary_index
from tests.fakes import WordHashEmbedder

TEXT = (
    "Cats sleep all day. Cats purr when stroked. Cats hunt mice.\n\n"
    "Dogs run on the beach. Dogs bark at night. Dogs eat meat.\n\n"
    "Fish swim in the sea. Fish have gills. Fish lay eggs."
)


@pytest.fixture(scope="package")
def document():
    return Document("pets", TEXT)


@pytest.fixture(scope="package")
def hierarchy(document):
    return build_hierarchy(document, [RecursiveChunker(60, measure=len), SentenceChunker(max_sentences=1)])


@pytest.fixture(scope="package")
def pets(hierarchy):
    with temporary_index([hierarchy], embedder=WordHashEmbedder()) as index:
        yield index
