"""The LanceDB table behind an index: made, opened, written to and kept in order.

Lesson 02 builds it.
"""

from __future__ import annotations

import sqlite3
import tempfile
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lancedb
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.index import FTS, BTree, IvfFlat
from lancedb.table import AsyncTable

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import stack_level
from hierrag_lessons.model import Language
from hierrag_lessons.store.columns import read_columns
from hierrag_lessons.store.engine import readable_faults, wait
from hierrag_lessons.store.filtering import matching
from hierrag_lessons.store.schema import Header, row_schema, unescape

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder

TABLE = "nodes"
TEXT_INDEX: Mapping[Language, FTS] = {
    "en": FTS(language="English", lower_case=True, stem=True, remove_stop_words=True, ascii_folding=True),
    # Single characters as well as pairs: a query of one character finds something, and the ranking is no worse for it.
    "zh": FTS(base_tokenizer="ngram", ngram_min_length=1, ngram_max_length=2, stem=False, remove_stop_words=False),
}
# One partition holds all vectors, so the search is exact; the index only keeps them in memory.
_VECTOR_INDEX = IvfFlat(distance_type="cosine", num_partitions=1)
_VECTOR_INDEX_NAME = "vector_idx"
_MOST_FRAGMENTS = 8
_LOOK_UPS = ("node_id", "doc_id", "parent_id", "place")


class IndexWarning(UserWarning):
    """What was added or deleted is stored, but the files could not be tidied: searches are right, and may be slower."""


def as_folder(path: str | Path) -> Path:
    """The folder of an index. Raises ``ValueError`` for what names none."""
    if not isinstance(path, str | Path):
        raise ValueError(f"path is {path!r}; give the index's folder")
    return Path(path).expanduser()


def make(folder: Path, header: Header) -> None:
    """Make an empty table with its indexes in ``folder``, which must be new or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already; open it with Index.open, or name a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Made under another name and then renamed, so that no one ever meets half an index.
    declared = [column.arrow for column in read_columns(header.columns).values()]
    draft_folder = tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-")
    with draft_folder as draft, readable_faults():
        made = Path(draft) / "index"
        table = lancedb.connect(made).create_table(TABLE, schema=header.write(row_schema(header.dim, declared)))
        for column in _LOOK_UPS:
            table.create_index(column, config=BTree())
        table.create_index("search_text", config=TEXT_INDEX[header.language])
        if folder.exists():
            folder.rmdir()
        made.rename(folder)


def read_header(folder: Path) -> Header:
    """Check that ``folder`` holds a whole index and return what it was made with."""
    if not folder.exists():
        raise FileNotFoundError(f"{folder} does not exist; make an index there with Index.create")
    try:
        if not (folder / f"{TABLE}.lance").is_dir():
            raise ValueError("it has no table of nodes")
        with readable_faults():
            table = lancedb.connect(folder).open_table(TABLE)
            indexed = {column for index in table.list_indices() for column in index.columns}
        if missing := {*_LOOK_UPS, "search_text"} - indexed:
            raise ValueError(f"its table has no index of {', '.join(sorted(missing))}")
        return Header.read(table.schema)
    except (ValueError, OSError) as error:
        raise ValueError(f"{folder} is not a whole index ({error}); name another folder, or create it anew") from None


def fitting_header(folder: Path, embedder: Embedder) -> Header:
    """``read_header``, with the columns that can be read. Raises ``ValueError`` where the embedder does not fit."""
    header = read_header(folder)
    try:
        header.check(embedder)
        read_columns(header.columns)
    except ValueError as error:
        raise ValueError(f"{folder} cannot be used: {error}") from None
    return header


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Wait until no other process or thread writes to the index, and keep them waiting.

    SQLite's file lock does it: it works on every system, and ends with the process that holds it. Raises
    ``TimeoutError`` after ten minutes, ``OSError`` where the folder cannot be written to.
    """
    with ExitStack() as stack:
        try:
            lock = sqlite3.connect(folder / "writer.lock", timeout=600, isolation_level=None)
            stack.enter_context(closing(lock)).execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise TimeoutError(f"another process has been writing to {folder} for ten minutes; try again") from None
            raise OSError(f"{folder} cannot be written to: {error}") from None
        yield


def replace(table: AsyncTable, rows: pa.Table, language: Language) -> None:
    """Put the rows in the place of all rows of the same documents, in one commit, then bring the indexes up to date.

    Raises ``ValueError`` where a node id belongs to another document of the table.
    """
    doc_ids = pc.unique(rows["doc_id"])
    there = wait(table.query().select(["node_id", "doc_id"]).to_arrow())
    foreign = pc.and_(pc.is_in(there["node_id"], rows["node_id"]), pc.invert(pc.is_in(there["doc_id"], doc_ids)))
    for row in there.filter(foreign).slice(0, 1).to_pylist():
        raise ValueError(
            f"the node id {unescape(row['node_id'])!r} belongs to the document {unescape(row['doc_id'])!r} already; "
            "node ids must be unique in an index"
        )
    merge = table.merge_insert(["doc_id", "node_id"]).when_matched_update_all().when_not_matched_insert_all()
    stale = matching("doc_id", [unescape(doc_id) for doc_id in doc_ids.to_pylist()])
    wait(merge.when_not_matched_by_source_delete(stale).execute(rows, on_bad_vectors="null"))
    _maintain(table, language)


def delete(table: AsyncTable, doc_ids: Collection[str], language: Language) -> None:
    """Delete all rows of the documents, or of one, in one commit, then bring the indexes up to date."""
    named = [doc_ids] if isinstance(doc_ids, str) else doc_ids
    wanted = checks.texts("doc_ids", list(named) if isinstance(named, set | frozenset) else named)
    result: Any = wait(table.delete(matching("doc_id", wanted)))
    if result.num_deleted_rows:
        _maintain(table, language)


def _maintain(table: AsyncTable, language: Language) -> None:
    """Index what was written. The rows are committed: a search is right, if slower, when this is interrupted."""
    try:
        _tidy(table, language)
    except OSError as error:
        warnings.warn(
            f"What was added or deleted is stored, and searches are right. But tidying the files failed, so searches "
            f"may be slower, and old files stay: {error}",
            IndexWarning,
            stacklevel=stack_level(),
        )


def _tidy(table: AsyncTable, language: Language) -> None:
    # A text index extended in place goes on counting removed rows; made anew, BM25 depends only on what is there.
    wait(table.create_index("search_text", config=TEXT_INDEX[language], replace=True))
    index = next((index for index in wait(table.list_indices()) if index.name == _VECTOR_INDEX_NAME), None)
    stats: Any = wait(table.stats())  # a dictionary, whatever its annotation says
    loose = stats["num_rows"] - (index.num_indexed_rows or 0 if index else 0)
    if 4 * loose <= stats["num_rows"] and stats["fragment_stats"]["num_fragments"] <= _MOST_FRAGMENTS:
        return  # A few loose rows are searched one by one; to rewrite all files for them would fill the disk.
    # LanceDB cannot train or extend a vector index where it is given no vectors, so it is made anew, or not at all.
    if wait(table.count_rows("vector IS NOT NULL")):
        wait(table.create_index("vector", config=_VECTOR_INDEX, name=_VECTOR_INDEX_NAME, replace=True))
    elif index:
        wait(table.drop_index(_VECTOR_INDEX_NAME))
    # Another process may still be reading the version before, so files go only after a while.
    wait(table.optimize(cleanup_older_than=timedelta(minutes=1)))
