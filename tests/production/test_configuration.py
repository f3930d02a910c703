import subprocess
import sys

import pytest

from hierrag_lessons.embedding import CharNgramEmbedder
from hierrag_lessons.model import Document
from hierrag_lessons.production import (
    ChunkingConfig,
    ContextConfig,
    Pipeline,
    PipelineConfig,
    RetrievalConfig,
    chunkers_of,
    load_configuration,
    parse_configuration,
)
from hierrag_lessons.retrievers import AutoMergingRetriever, MultiLevelRetriever
from hierrag_lessons.text import count_tokens
from tests.fakes import WordHashEmbedder

PUBLISHED = """
[chunking]
sizes = [2000, 600, 200]

[retrieval]
method = "auto_merging"
leaves = 12
threshold = 0.5
k = 5

[context]
budget = 6000
"""
METHODS = ["flat", "hybrid", "sentence_window", "parent_child", "auto_merging", "every_level"]


def test_the_published_configuration_is_read(tmp_path):
    file = tmp_path / "pipeline.toml"
    file.write_text(PUBLISHED, encoding="utf-8")
    config = load_configuration(file)
    assert config == PipelineConfig(
        chunking=ChunkingConfig("structure", (2000, 600, 200)),
        retrieval=RetrievalConfig("auto_merging", 5, leaves=12, threshold=0.5),
        context=ContextConfig(6000),
    )


def test_an_empty_file_is_the_default():
    assert parse_configuration("") == PipelineConfig()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sizes = [200, oops]", "the file is no TOML: .*line 1"),
        ("[chunkin]", "chunkin is no key; did you mean 'chunking'"),
        ("[retrieval]\ninitial_top_k = 12", "retrieval.initial_top_k is no key; give one of method, k"),
        ("chunking = 7", r"chunking is 7; write it as a table, \[chunking\]"),
        ("[chunking]\nsizes = [200, 600]", "chunking.sizes is .*from coarse to fine"),
        ("[chunking]\nsizes = []", "chunking.sizes is empty"),
        ("[chunking]\nsizes = [200.5]", "chunking.sizes holds 200.5"),
        ("[chunking]\noverlap = 20", "chunking.overlap is 20, and the method 'structure' has none"),
        ('[chunking]\nmethod = "fixed"\noverlap = 200', "chunking.overlap is 200; give less than the smallest size"),
        ('[chunking]\nmethod = "semantic"', "chunking.method is 'semantic'; give one of structure"),
        ("[retrieval]\nthreshold = 0.5", "retrieval.threshold is 0.5, and the method 'every_level' does not use it"),
        ('[retrieval]\nmethod = "auto_merging"\nthreshold = 30', "retrieval.threshold is 30"),
        (
            '[retrieval]\nmethod = "auto_merging"\nhighest_level = 3',
            "retrieval.highest_level is 3; the leaves are level",
        ),
        ('[retrieval]\nmethod = "parent_child"\n[chunking]\nsizes = [200]', "needs parents; give chunking.sizes two"),
        ("[retrieval]\nk = true", "retrieval.k is True"),
        ("[context]\nbudget = 100", "context.budget is 100, and a leaf has up to 200 tokens"),
        (
            "[context]\nbudget = 8000\nwindow = 8192",
            "is more than the model's context.window of 8192; give at most 7192",
        ),
        ('[columns]\nyear = "date"', "columns.year is 'date'; give one of int, float, str, bool"),
        ('language = "de"', "language is 'de'"),
    ],
)
def test_what_cannot_be_is_named_with_its_key(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        parse_configuration(text)
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"bad.toml: .*{said}"):
        load_configuration(tmp_path / "bad.toml")


def test_the_fingerprint_changes_with_every_value():
    configs = [PipelineConfig(), parse_configuration(PUBLISHED), PipelineConfig(context=ContextConfig(2001))]
    assert len({config.fingerprint for config in configs}) == 3
    assert PipelineConfig().fingerprint == parse_configuration("").fingerprint


@pytest.mark.parametrize("method", ["structure", "recursive", "sentence", "fixed"])
def test_a_size_is_a_chunker(method):
    assert [chunker.max_size for chunker in chunkers_of(ChunkingConfig(method, (600, 200)))] == [600, 200]


def test_the_default_is_the_course_s_own_hierarchy():
    from hierrag_lessons.chunkers import COURSE_CHUNKERS

    assert tuple(chunkers_of(ChunkingConfig())) == COURSE_CHUNKERS


@pytest.fixture
def documents():
    text = "Cats sleep all day long in the warm sun. Dogs run on the beach in the early morning. " * 40
    return [Document(f"{kind}/pets", f"# {kind}\n\n{text}", "markdown", metadata={"kind": kind}) for kind in ("a", "b")]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_inside_the_budget_and_the_filter(method, documents, tmp_path):
    config = PipelineConfig(
        columns={"kind": "str"}, retrieval=RetrievalConfig(method), context=ContextConfig(300, "document")
    )
    pipeline = Pipeline.create(tmp_path / "pets", config, documents, embedder=WordHashEmbedder())
    found = pipeline.context("Who runs on the beach?", where={"kind": "a"})
    assert found
    assert {passage.doc_id for passage in found} == {"a/pets"}
    assert sum(count_tokens(passage.text) for passage in found) <= 300
    assert pipeline.ask("Who runs on the beach?", where={"kind": "a"}).passages == tuple(found)
    again = Pipeline.open(tmp_path / "pets", config, embedder=WordHashEmbedder())
    assert again.context("Who runs on the beach?", where={"kind": "a"}) == found


@pytest.mark.parametrize("method", METHODS)
def test_without_k_the_budget_is_filled(method, documents, tmp_path):
    config = PipelineConfig(retrieval=RetrievalConfig(method), context=ContextConfig(1_000))
    found = Pipeline.create(tmp_path / "pets", config, documents, embedder=WordHashEmbedder()).context("dogs")
    assert 950 <= sum(count_tokens(passage.text) for passage in found) <= 1_000


def test_options_reach_the_method(documents, tmp_path):
    config = parse_configuration(PUBLISHED)
    made = Pipeline.create(tmp_path / "pets", config, documents, embedder=WordHashEmbedder()).retriever
    assert isinstance(made, AutoMergingRetriever)
    assert (made.leaves, made.threshold, made.budget) == (12, 0.5, 6000)


def test_an_index_that_was_made_otherwise_is_not_opened(documents, tmp_path):
    config = PipelineConfig()
    pipeline = Pipeline.create(tmp_path / "pets", config, documents, embedder=WordHashEmbedder())
    assert isinstance(pipeline.retriever, MultiLevelRetriever)
    other = PipelineConfig(chunking=ChunkingConfig(sizes=(600, 200)))
    with pytest.raises(ValueError, match=r"chunking.sizes was \[2000, 600, 200\] and is \[600, 200\]; build a new one"):
        Pipeline.open(tmp_path / "pets", other, embedder=WordHashEmbedder())
    with pytest.raises(ValueError, match=r"retrieval\.method is every_level was True and is False"):
        Pipeline.open(tmp_path / "pets", PipelineConfig(retrieval=RetrievalConfig("flat")), embedder=WordHashEmbedder())
    with pytest.raises(ValueError, match=r"made with"):
        Pipeline.open(tmp_path / "pets", config, embedder=CharNgramEmbedder())
    smaller = PipelineConfig(context=ContextConfig(500))
    assert Pipeline.open(tmp_path / "pets", smaller, embedder=WordHashEmbedder()).context("dogs")


def test_documents_are_replaced(documents, tmp_path):
    pipeline = Pipeline.create(tmp_path / "pets", PipelineConfig(), documents, embedder=WordHashEmbedder())
    pipeline.add([Document("a/pets", "# a\n\nParrots repeat everything that is said.", "markdown")])
    assert "Parrots" in pipeline.index.text("a/pets")
    assert pipeline.index.doc_ids() == ["a/pets", "b/pets"]


def test_a_document_in_another_language_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'zh/a' is in 'zh', and language is 'en'; make a pipeline for each language"):
        Pipeline.create(tmp_path / "x", PipelineConfig(), [Document("zh/a", "猫睡觉。", language="zh")])


KILLED = """
import os, sys
from hierrag_lessons import CharNgramEmbedder, Document, Pipeline, PipelineConfig

class Killed(CharNgramEmbedder):
    def encode(self, texts):
        os._exit(9)

Pipeline.create(sys.argv[1], PipelineConfig(), [Document("pets", "Cats sleep.")], embedder=Killed(64))
"""


def test_a_pipeline_that_was_killed_while_it_was_made_is_made_again(documents, tmp_path):
    folder, config, embedder = tmp_path / "pets", PipelineConfig(), CharNgramEmbedder(64)
    assert subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False).returncode == 9
    with pytest.raises(FileNotFoundError):
        Pipeline.open(folder, config, embedder=embedder)
    made = Pipeline.create(folder, config, documents, embedder=embedder)
    assert (
        Pipeline.open(folder, config, embedder=embedder).index.doc_ids() == made.index.doc_ids() == ["a/pets", "b/pets"]
    )
    with pytest.raises(FileExistsError, match=r"index holds an index already; open it with Pipeline\.open"):
        Pipeline.create(folder, config, documents, embedder=embedder)
    (folder / "pipeline.json").unlink()
    with pytest.raises(FileExistsError, match=r"index holds an index already; delete it, it is not finished"):
        Pipeline.create(folder, config, documents, embedder=embedder)
