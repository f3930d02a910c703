"""The whole configuration as one file: what is not understood is refused before anything runs.

Lesson 25 builds it.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from hierrag_lessons import checks
from hierrag_lessons.context import Order
from hierrag_lessons.model import Language
from hierrag_lessons.store import Mode

ChunkingMethod = Literal["structure", "recursive", "sentence", "fixed"]
RetrievalMethod = Literal["flat", "hybrid", "sentence_window", "parent_child", "auto_merging", "every_level"]
ColumnType = Literal["int", "float", "str", "bool", "document int", "document float", "document str", "document bool"]

# Options of one method or some; with another they would be read and never used.
_OPTIONS: Mapping[str, tuple[RetrievalMethod, ...]] = {
    "mode": ("flat", "sentence_window", "parent_child", "auto_merging"),
    "leaves": ("parent_child", "auto_merging"),
    "threshold": ("auto_merging",),
    "highest_level": ("auto_merging",),
    "window": ("sentence_window",),
}


@dataclass(frozen=True)
class ChunkingConfig:
    """How documents are cut: the method, and a size in tokens for each level, from coarse to fine."""

    method: ChunkingMethod = "structure"
    sizes: tuple[int, ...] = (2000, 600, 200)
    overlap: int = 0

    def __post_init__(self) -> None:
        checks.one_of("chunking.method", self.method, ChunkingMethod)
        sizes = checks.each("chunking.sizes", self.sizes, int)
        if not sizes:
            raise ValueError("chunking.sizes is empty; give a size for each level, for example [2000, 600, 200]")
        for size in sizes:
            checks.whole("chunking.sizes", size, 1)
        if any(upper <= lower for upper, lower in pairwise(sizes)):
            raise ValueError(f"chunking.sizes is {sizes}; give sizes from coarse to fine, each below the one before")
        checks.whole("chunking.overlap", self.overlap, 0)
        if self.overlap and self.method not in ("recursive", "fixed"):
            raise ValueError(f"chunking.overlap is {self.overlap}, and the method {self.method!r} has none; give 0")
        if self.overlap >= sizes[-1]:
            raise ValueError(f"chunking.overlap is {self.overlap}; give less than the smallest size, {sizes[-1]}")


@dataclass(frozen=True)
class RetrievalConfig:
    """How is searched, and for how many passages; ``k`` None fills the budget, other None are the method's default."""

    method: RetrievalMethod = "every_level"
    k: int | None = None
    mode: Mode | None = None
    leaves: int | None = None
    threshold: float | None = None
    highest_level: int | None = None
    window: int | None = None

    def __post_init__(self) -> None:
        checks.one_of("retrieval.method", self.method, RetrievalMethod)
        checks.whole("retrieval.k", self.k, 1, none="as many as fill the budget")
        own = "the method's own"
        checks.one_of("retrieval.mode", self.mode, Mode, none=own)
        checks.whole("retrieval.leaves", self.leaves, 1, none=own)
        checks.number("retrieval.threshold", self.threshold, above=0, most=1, none=own)
        checks.whole("retrieval.highest_level", self.highest_level, 0, none=own)
        checks.whole("retrieval.window", self.window, 0, none=own)
        for name, methods in _OPTIONS.items():
            if getattr(self, name) is not None and self.method not in methods:
                raise ValueError(
                    f"retrieval.{name} is {getattr(self, name)!r}, and the method {self.method!r} does not use it; "
                    f"leave it out, or set retrieval.method to {' or '.join(methods)}"
                )

    @property
    def options(self) -> dict[str, Any]:
        """What is given to the method: those of its options that are set."""
        return {name: getattr(self, name) for name in _OPTIONS if getattr(self, name) is not None}


@dataclass(frozen=True)
class ContextConfig:
    """What is sent: the tokens of the passages, and their order. ``reserved`` are for question and answer."""

    budget: int = 2000
    order: Order = "document"
    reserved: int = 1000
    window: int = 128_000

    def __post_init__(self) -> None:
        checks.whole("context.budget", self.budget, 1)
        checks.one_of("context.order", self.order, Order)
        checks.whole("context.reserved", self.reserved, 0)
        checks.whole("context.window", self.window, 1)
        if self.budget + self.reserved > self.window:
            raise ValueError(
                f"context.budget is {self.budget}, and with context.reserved, {self.reserved}, that is more than the "
                f"model's context.window of {self.window}; give at most {max(0, self.window - self.reserved)}"
            )


@dataclass(frozen=True)
class PipelineConfig:
    """Everything that a pipeline is made of.

    >>> config = parse_configuration('''
    ... [chunking]
    ... sizes = [2000, 600, 200]
    ... [retrieval]
    ... method = "auto_merging"
    ... leaves = 30
    ... [context]
    ... budget = 2000
    ... ''')
    >>> config.retrieval.options, len(config.fingerprint)
    ({'leaves': 30}, 12)

    Without a threshold auto-merging asks for more than half of the children. ``threshold = 0.5`` is allowed and is
    another rule: half of them is enough.

    Parameters
    ----------
    language:
        Of the documents.
    columns:
        Fields of the metadata to filter by, each with its type: ``{"year": "int", "group": "document str"}``. One of
        documents is what permissions may name, see ``Index.permitted``.
    chunking, retrieval, context:
        The tables of the file with these names.

    Raises ``ValueError`` naming the key, for a bad value and for values that cannot go together.
    """

    language: Language = "en"
    columns: Mapping[str, ColumnType] = field(default_factory=dict)
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)
    retrieval: RetrievalConfig = field(default_factory=RetrievalConfig)
    context: ContextConfig = field(default_factory=ContextConfig)

    def __post_init__(self) -> None:
        checks.one_of("language", self.language, Language)
        checks.instance("columns", self.columns, Mapping)
        for name, kind in self.columns.items():
            checks.one_of(f"columns.{name}", kind, ColumnType)
        checks.instance("chunking", self.chunking, ChunkingConfig)
        checks.instance("retrieval", self.retrieval, RetrievalConfig)
        checks.instance("context", self.context, ContextConfig)
        sizes, method = self.chunking.sizes, self.retrieval.method
        if len(sizes) < 2 and method in ("parent_child", "auto_merging"):
            raise ValueError(f"retrieval.method is {method!r}, which needs parents; give chunking.sizes two or more")
        if sizes[-1] > self.context.budget:
            raise ValueError(
                f"context.budget is {self.context.budget}, and a leaf has up to {sizes[-1]} tokens; give more, or "
                "smaller chunking.sizes"
            )
        highest = self.retrieval.highest_level
        if highest is not None and highest >= len(sizes):
            raise ValueError(f"retrieval.highest_level is {highest}; the leaves are level {len(sizes)}, give less")

    @property
    def fingerprint(self) -> str:
        """Twelve characters that change with any value: for logs, so that each answer says how it was made."""
        written = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(written.encode()).hexdigest()[:12]


_TABLES: Mapping[str, Any] = {"chunking": ChunkingConfig, "retrieval": RetrievalConfig, "context": ContextConfig}


def load_configuration(path: Path | str) -> PipelineConfig:
    """Read a configuration from a TOML file. What is not given has its default.

    Raises ``FileNotFoundError`` where there is no such file, ``ValueError`` as :func:`parse_configuration` does, with
    the file's name in front.
    """
    file = checks.path("path", path)
    try:
        return parse_configuration(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file.name}: {error}") from error


def parse_configuration(text: str) -> PipelineConfig:
    r"""Read a configuration from the text of a TOML file.

    >>> parse_configuration("[retrieval]\nleafs = 12")
    Traceback (most recent call last):
    ValueError: retrieval.leafs is no key; did you mean 'leaves'?

    Raises ``ValueError`` for what is no TOML, an unknown key, a bad value, and values that cannot go together.
    """
    checks.text("text", text)
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the file is no TOML: {error}; mend that line") from error
    made: dict[str, Any] = _known(PipelineConfig, given, "")
    for name, kind in _TABLES.items():
        if name in made:
            made[name] = kind(**_known(kind, made[name], f"{name}."))
    return PipelineConfig(**made)


def _known(kind: Any, given: Any, prefix: str) -> dict[str, Any]:
    """The values of a table by the names of the fields that they are for."""
    if not isinstance(given, dict):
        raise ValueError(f"{prefix.rstrip('.')} is {given!r:.80}; write it as a table, [{prefix.rstrip('.')}]")
    names = [each.name for each in fields(kind)]
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, 1, cutoff=0.5)
            meant = f"did you mean {near[0]!r}?" if near else f"give one of {', '.join(names)}"
            raise ValueError(f"{prefix}{key} is no key; {meant}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
