"""The methods that are tried on a folder: how the documents are cut, and how they are searched.

Lesson 24 uses it.

The flat ones come first, in four sizes, so that no hierarchy wins only because one size was badly chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import dedent

from hierrag_lessons import checks
from hierrag_lessons.chunkers import (
    MARKDOWN,
    RecursiveChunker,
    StructureChunker,
    broad_hierarchy,
    build_hierarchy,
    course_hierarchy,
    make_units,
    sentence_hierarchy,
)
from hierrag_lessons.model import Chunker, Document, Hierarchy, Language, Retriever
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    FlatRetriever,
    HybridRetriever,
    MultiLevelRetriever,
    ParentChildRetriever,
    SentenceWindowRetriever,
)
from hierrag_lessons.store import Index, Mode

SIZES = (200, 400, 800, 1200)
"""Tokens of the chunks that flat search is tried with."""

YARDSTICK = "flat, structure 200"
"""Vectors and words, fused by z-scores, over chunks of at most 200 tokens that are cut at headings: the row to beat."""

_CUTS = {"recursive": "cut between paragraphs, else between lines or sentences", "structure": "cut at headings"}

SECTION_LEVEL, LEAF_LEVEL = 2, 3
"""Of the course's hierarchy: sections of at most 600 tokens, and their leaves of at most 200."""


@dataclass(frozen=True)
class Method:
    """One way to cut the documents and to search them.

    ``tree`` names how ``cut`` makes a document's hierarchy; methods with the same name share an index. ``retrieve``
    makes the retriever of an index. ``effort`` orders methods by what they ask of those who run them: 0 for one flat
    index, 1 for text around what was found, 2 for merging along a tree, 3 for vectors and scores of a second level, 4
    for units that every level scores. ``imports``, ``cut_code`` and ``retrieve_code`` are the same as lines of Python.
    ``about`` says in a sentence what it does, and ``lesson`` is the number of the lesson that explains it. ``mode``
    says whether it searches by vectors, by words or by both.
    """

    name: str
    tree: str
    cut: Callable[[Document], Hierarchy]
    retrieve: Callable[[Index], Retriever]
    effort: int
    imports: tuple[str, ...]
    cut_code: str
    retrieve_code: str
    about: str
    lesson: int
    mode: Mode = "hybrid"

    def code(self, folder: str, language: Language, question: str, budget: int, embedder: str = "") -> str:
        """Write about ten lines that index a folder with this method, search it and make a prompt of what was found.

        ``budget`` is the largest prompt in tokens, numbers and headings included; methods are compared by the tokens of
        the passages' text alone. ``embedder`` is the Python expression that makes the embedder, the default one of the
        language where it is empty.
        """
        embedder = embedder or f"default_embedder({language!r})"
        return dedent(
            """\
            from hierrag_lessons import {made}, pack_prompt, printable, read_folder, temporary_index
            from hierrag_lessons import {names}

            documents = [d for d in read_folder({folder!r}).documents if d.language == {language!r}]
            trees = [{cut} for document in documents]
            with temporary_index(trees, embedder={embedder}) as index:
                retriever = {retrieve}
                passages = retriever.retrieve({question!r}, k=50)
            prompt = pack_prompt(passages, budget={budget})
            print(printable(prompt.text))
            """
        ).format(
            made=embedder.partition("(")[0],
            embedder=embedder,
            names=", ".join(sorted(self.imports)),
            folder=folder,
            language=language,
            cut=self.cut_code,
            retrieve=self.retrieve_code,
            question=question,
            budget=budget,
        )


def own_methods() -> dict[str, Method]:
    """The methods by name, flat search over chunks of 200 tokens cut at headings first: the yardstick of all others.

    >>> list(own_methods())[:2], len(own_methods())
    (['flat, structure 200', 'flat, recursive 200'], 15)
    """
    flat = [_flat(kind, size) for kind in ("recursive", "structure") for size in SIZES]
    first = next(method for method in flat if method.name == YARDSTICK)
    others = [
        _searched("vectors alone, structure 200", "vector"),
        _searched("words alone, structure 200", "text"),
        Method(
            "sentence window ±2",
            "sentences",
            sentence_hierarchy,
            lambda index: SentenceWindowRetriever(index, mode="hybrid"),
            1,
            ("sentence_hierarchy", "SentenceWindowRetriever"),
            "sentence_hierarchy(document)",
            'SentenceWindowRetriever(index, mode="hybrid")',
            "Finds single sentences, and returns each with the two before it and the two after it.",
            13,
        ),
        Method(
            "parent-child 600/200",
            "course",
            course_hierarchy,
            lambda index: ParentChildRetriever(index, mode="hybrid", children_per_passage=4),
            1,
            ("course_hierarchy", "ParentChildRetriever"),
            "course_hierarchy(document)",
            'ParentChildRetriever(index, mode="hybrid", children_per_passage=4)',
            "Finds leaves of at most 200 tokens, and returns the sections of at most 600 that they stand in.",
            14,
        ),
        Method(
            "auto-merging, over one half",
            "broad",
            broad_hierarchy,
            lambda index: AutoMergingRetriever(index, mode="hybrid"),
            2,
            ("AutoMergingRetriever", "broad_hierarchy"),
            "broad_hierarchy(document)",
            'AutoMergingRetriever(index, mode="hybrid")',
            "Finds leaves of at most 100 tokens; where more than half of a section is found, returns all of it.",
            15,
        ),
        Method(
            "leaf and section",
            "course, two levels",
            lambda document: replace(course_hierarchy(document), searched=frozenset({SECTION_LEVEL, LEAF_LEVEL})),
            lambda index: HybridRetriever(index, LEAF_LEVEL, {SECTION_LEVEL: 0.5}),
            3,
            ("course_hierarchy", "Hierarchy", "HybridRetriever"),
            f"Hierarchy(document, course_hierarchy(document).levels, frozenset({{{SECTION_LEVEL}, {LEAF_LEVEL}}}))",
            f"HybridRetriever(index, {LEAF_LEVEL}, above={{{SECTION_LEVEL}: 0.5}})",
            "Finds leaves of at most 200 tokens by their own score and half that of their section.",
            20,
        ),
        Method(
            "every level",
            "units",
            lambda document: make_units(course_hierarchy(document)),
            MultiLevelRetriever,
            4,
            ("course_hierarchy", "make_units", "MultiLevelRetriever"),
            "make_units(course_hierarchy(document))",
            "MultiLevelRetriever(index)",
            "Finds sentences by their own score and those of what stands around them, and joins neighbours.",
            20,
        ),
    ]
    made = [first, *(method for method in flat if method is not first), *others]
    return {method.name: method for method in made}


def flat_chunker(kind: str, size: int) -> Chunker:
    """The chunker of a flat method: ``"recursive"`` or ``"structure"``, at most ``size`` tokens a chunk.

    Raises ``ValueError`` for another kind or size.
    """
    checks.one_of("kind", kind, ("recursive", "structure"))
    checks.one_of("size", size, SIZES)
    return RecursiveChunker(size, separators=MARKDOWN) if kind == "recursive" else StructureChunker(size, size // 4)


def _flat(kind: str, size: int) -> Method:
    chunker = flat_chunker(kind, size)
    made, needed = f"StructureChunker({size}, {size // 4})", ["StructureChunker"]
    if kind == "recursive":
        made, needed = f"RecursiveChunker({size}, separators=MARKDOWN)", ["MARKDOWN", "RecursiveChunker"]
    return Method(
        f"flat, {kind} {size}",
        f"{kind} {size}",
        lambda document: build_hierarchy(document, [chunker]),
        lambda index: FlatRetriever(index, mode="hybrid"),
        0,
        ("build_hierarchy", "FlatRetriever", *needed),
        f"build_hierarchy(document, [{made}])",
        'FlatRetriever(index, mode="hybrid")',
        f"Finds chunks of at most {size} tokens, {_CUTS[kind]}, by vectors and words, and returns them as they are.",
        6 if kind == "recursive" else 7,
    )


def _searched(name: str, mode: Mode) -> Method:
    """The yardstick by vectors or by words alone."""
    return replace(
        _flat("structure", 200),
        name=name,
        retrieve=lambda index: FlatRetriever(index, mode=mode),
        retrieve_code=f'FlatRetriever(index, mode="{mode}")',
        about=f"As {YARDSTICK!r}, but by {'vectors' if mode == 'vector' else 'words'} alone.",
        lesson=19,
        mode=mode,
    )
