"""From a configuration to an index, a retriever and a prompt.

No lesson uses it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierrag_lessons import checks
from hierrag_lessons.chunkers import (
    FixedSizeChunker,
    RecursiveChunker,
    SentenceChunker,
    StructureChunker,
    build_hierarchy,
    make_units,
)
from hierrag_lessons.context import Prompt, pack, render, reorder, retrieve_contexts
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.model import Chunker, Document, Hierarchy, Passage, Where, both
from hierrag_lessons.production.configuration import ChunkingConfig, PipelineConfig
from hierrag_lessons.production.releases import building
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    FlatRetriever,
    HybridRetriever,
    MultiLevelRetriever,
    ParentChildRetriever,
    SentenceWindowRetriever,
)
from hierrag_lessons.retrievers.batches import BatchRetriever, ask
from hierrag_lessons.store import Index
from hierrag_lessons.store.columns import read_columns
from hierrag_lessons.store.rows import check_embedder
from hierrag_lessons.whole_files import write_whole

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder, Retriever

_FILE, _INDEX = "pipeline.json", "index"
_LAST_MIN = 0.4  # of the size of a leaf by structure: below that it is joined to the next; 80 of 200 in the course


@dataclass(frozen=True)
class Pipeline:
    r"""A configuration with the index that was made by it.

    >>> import tempfile
    >>> from hierrag_lessons import CharNgramEmbedder
    >>> from hierrag_lessons import parse_configuration
    >>> config = parse_configuration('[retrieval]\nmethod = "hybrid"')
    >>> pets = [Document("pets", "Cats sleep. Dogs run.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pipeline = Pipeline.create(f"{folder}/pets", config, pets, embedder=CharNgramEmbedder())
    ...     print(pipeline.ask("Who runs?").text)
    [1] pets
    Cats sleep. Dogs run.

    Make one with ``create`` or ``open``. What a user may read is ``replace(pipeline, index=index.permitted(rights))``.
    """

    config: PipelineConfig
    index: Index

    def __post_init__(self) -> None:
        checks.instance("config", self.config, PipelineConfig)
        checks.instance("index", self.index, Index)

    @classmethod
    def create(
        cls,
        folder: Path | str,
        config: PipelineConfig,
        documents: Iterable[Document],
        *,
        embedder: Embedder | None = None,
    ) -> Pipeline:
        """Make an index of the documents in a new folder, and write beside it what it was made with.

        The index gets its name when it is whole; what a run that was broken off has left is built over. ``embedder`` is
        the default one of the language where not given.

        Raises ``ValueError`` for a document in another language, and as ``Index.create`` and ``Index.add`` do;
        ``FileExistsError`` where there is an index already; ``BlockingIOError`` while another process makes one there.
        """
        home = checks.path("folder", folder)
        checks.instance("config", config, PipelineConfig)
        made = [cls._hierarchy(config, document) for document in checks.each("documents", documents, Document)]
        for tree in made:
            if tree.document.language != config.language:
                raise ValueError(
                    f"{tree.document.doc_id!r} is in {tree.document.language!r}, and language is {config.language!r}; "
                    "make a pipeline for each language"
                )
        columns = {name: column.declared for name, column in read_columns(config.columns).items()}
        chosen = embedder or default_embedder(config.language)
        with building(home) as begun:
            if (home / _INDEX).exists():
                whole = (home / _FILE).exists()
                do = "open it with Pipeline.open, or name a new folder" if whole else "delete it, it is not finished"
                raise FileExistsError(f"{home / _INDEX} holds an index already; {do}")
            Index.create(begun, chosen, language=config.language, columns=columns).add(made)
            write_whole(home / _FILE, json.dumps(_made_with(config), indent=2) + "\n")
            begun.rename(home / _INDEX)
        return cls(config, Index.open(home / _INDEX, chosen))

    @classmethod
    def open(cls, folder: Path | str, config: PipelineConfig, *, embedder: Embedder | None = None) -> Pipeline:
        """Open what ``create`` made. Search and context may be set otherwise; what the index was made with may not.

        Raises ``FileNotFoundError`` where there is none, ``ValueError`` naming the keys that differ, and as
        ``Index.open`` does.
        """
        home = checks.path("folder", folder)
        checks.instance("config", config, PipelineConfig)
        if embedder is not None:
            check_embedder(embedder)
        known: Mapping[str, Any] = json.loads((home / _FILE).read_text(encoding="utf-8"))
        wanted = json.loads(json.dumps(_made_with(config)))
        differing = [key for key in wanted if wanted[key] != known.get(key)]
        if differing:
            said = "; ".join(f"{key} was {known.get(key)!r} and is {wanted[key]!r}" for key in differing)
            raise ValueError(f"the index was made otherwise: {said}; build a new one beside it, and switch")
        return cls(config, Index.open(home / _INDEX, embedder or default_embedder(config.language)))

    @property
    def retriever(self) -> Retriever:
        """The retriever that the configuration names."""
        method, options = self.config.retrieval.method, self.config.retrieval.options
        if method == "sentence_window":
            around = options.pop("window", None)
            sizes = {} if around is None else {"before": around, "after": around}
            return SentenceWindowRetriever(self.index, **sizes, **options)
        if method == "parent_child":
            children = {"children": options.pop("leaves")} if "leaves" in options else {}
            return ParentChildRetriever(self.index, **children, **options)
        if method == "auto_merging":
            return AutoMergingRetriever(self.index, budget=self.config.context.budget, **options)
        makers: Mapping[str, Callable[..., Retriever]] = {
            "flat": FlatRetriever,
            "hybrid": HybridRetriever,
            "every_level": MultiLevelRetriever,
        }
        return makers[method](self.index, **options)

    def add(self, documents: Iterable[Document]) -> None:
        """Store documents, in place of those with the same id, in one commit. Raises ``ValueError`` as ``create``."""
        given = checks.each("documents", documents, Document)
        self.index.add([self._hierarchy(self.config, document) for document in given])

    def context(self, question: str, where: Where | None = None) -> list[Passage]:
        """The passages for a question, packed to the budget, in the order of the configuration.

        Raises ``ValueError`` for what is no text or no filter.
        """
        checks.text("question", question)
        k, budget = self.config.retrieval.k, self.config.context.budget
        if k is not None:
            packed = pack(self.retriever.retrieve_batch([question], k, where=where)[0], budget)
        else:
            packed = retrieve_contexts(_Inside(self.retriever, where), [question], [budget])[0][budget]
        return reorder(packed, self.config.context.order)

    def ask(self, question: str, where: Where | None = None) -> Prompt:
        """The passages for a question as the text that a model reads. Raises ``ValueError`` as ``context`` does."""
        return render(self.context(question, where))

    @staticmethod
    def _hierarchy(config: PipelineConfig, document: Document) -> Hierarchy:
        tree = build_hierarchy(document, chunkers_of(config.chunking))
        return make_units(tree) if config.retrieval.method == "every_level" else tree


@dataclass(frozen=True)
class _Inside(BatchRetriever):
    """A retriever with its filter, for what asks without one."""

    retriever: Retriever
    inside: Where | None

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        return ask(self.retriever, queries, k, both(self.inside, where) or None)


def chunkers_of(config: ChunkingConfig) -> list[Chunker]:
    """The chunkers of a configuration, one for each level, from coarse to fine.

    >>> from hierrag_lessons import ChunkingConfig
    >>> [chunker.max_size for chunker in chunkers_of(ChunkingConfig("fixed", (600, 200), overlap=20))]
    [600, 200]

    Only the leaves overlap. By structure, sections smaller than the next level's size are joined.

    Raises ``ValueError`` for what is no such configuration.
    """
    checks.instance("config", config, ChunkingConfig)
    sizes, last = config.sizes, config.sizes[-1]
    if config.method == "structure":
        pairs = [*pairwise(sizes), (last, int(_LAST_MIN * last))]
        return [StructureChunker(most, least) for most, least in pairs]
    if config.method == "sentence":
        return [SentenceChunker(size) for size in sizes]
    make = {"recursive": RecursiveChunker, "fixed": FixedSizeChunker}[config.method]
    return [*(make(size) for size in sizes[:-1]), make(last, config.overlap)]


def _made_with(config: PipelineConfig) -> dict[str, Any]:
    """The part of a configuration that an index is made with."""
    made: dict[str, Any] = {"language": config.language, "columns": dict(config.columns)}
    made |= {f"chunking.{name}": value for name, value in asdict(config.chunking).items()}
    return made | {"retrieval.method is every_level": config.retrieval.method == "every_level"}
