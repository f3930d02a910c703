"""A cache on disk in front of an embedder, so that no text is embedded twice.

Lesson 02 uses it.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

import numpy as np

from hierrag_lessons import checks
from hierrag_lessons.embedding.protocol import LimitedEmbedder, TruncationWarning, stack_level, warn_truncation
from hierrag_lessons.embedding.shipped import StoredVector, note_asked, shipped_vectors, text_key
from hierrag_lessons.embedding.sides import QuerySide, two_sided
from hierrag_lessons.long_work import Interrupted, with_progress
from hierrag_lessons.model import Embedder

# An interrupted run keeps what it has embedded up to the last batch, and progress is shown after each. Larger ones are
# hardly faster: 256 texts at a time take 3 % less time than 64.
_BATCH = 64
_TIMEOUT = 60.0  # seconds to wait for another process that writes


class CacheWarning(UserWarning):
    """The embedding cache cannot be used. Results are the same without it, only slower."""


def cache_folder() -> Path:
    """``HIERRAG_CACHE`` where it is set, otherwise ``hierrag`` in the folder that the platform has for caches."""
    if chosen := os.environ.get("HIERRAG_CACHE"):
        return Path(chosen).expanduser()
    try:
        home = Path.home()
    except RuntimeError:  # A container can run under a user that has no home.
        home = Path(tempfile.gettempdir())
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "hierrag" / "Cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "hierrag"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "hierrag"


def cache_file() -> Path:
    """The SQLite database that `CachedEmbedder` uses where no other path is given."""
    return cache_folder() / "embeddings.sqlite"


def with_tilde(path: Path) -> str:
    """``path`` for reading, with ``~`` for the home folder, so that printed output names no user."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except (RuntimeError, ValueError):
        return str(path)


class CachedEmbedder:
    """Any embedder, with its vectors kept in an SQLite database.

    A vector is found again by the embedder's name and the SHA-256 of the text; that of a question is kept apart where
    the embedder is two-sided. Vectors that come with the repository are read from there and not kept a second time.
    Several processes can share one database. One that cannot be written is only looked up in. Where it cannot be used,
    there is one `CacheWarning`, one for each side, and texts are embedded as without it.

    Parameters
    ----------
    embedder:
        What embeds the texts that are not in the database.
    path:
        The database file, made where it does not exist; ``None`` for `cache_file`. It can be deleted at any time.

    Raises
    ------
    ValueError
        When made with an embedder that cannot embed, or with what is no path.
    """

    def __init__(self, embedder: Embedder, path: Path | str | None = None) -> None:
        checks.able("embedder", embedder, "encode")
        self.embedder = embedder
        self.path = cache_file() if path is None else checks.path("path", path)
        self._readable = self._writable = True

    def __repr__(self) -> str:
        return f"CachedEmbedder({self.embedder!r})"

    @property
    def name(self) -> str:
        """The name of the embedder inside: a cached vector is the same vector."""
        return self.embedder.name

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self.embedder.dim

    @property
    def two_sided(self) -> bool:
        """Whether a question is embedded in another way than a document; each text then has two vectors."""
        return two_sided(self.embedder)

    @cached_property
    def _queries(self) -> CachedEmbedder:
        return CachedEmbedder(QuerySide(self.embedder), self.path)

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        """Embed questions, as ``encode`` does documents."""
        return self._queries.encode(texts) if self.two_sided else self.encode(texts)

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Find the texts that have no vector yet: each once, in the order given.

        Raises ``ValueError`` for what are no texts.
        """
        distinct = list(dict.fromkeys(checks.texts("texts", texts)))
        known = self._find(distinct)
        return [text for text in distinct if text not in known]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts, float32 of shape ``(len(texts), dim)``, each distinct text at most once and only if it is new.

        Warns of truncated texts whether or not their vectors come from the database. Raises ``ValueError`` where the
        embedder returns another shape than it should.
        """
        texts = checks.texts("texts", texts)
        distinct = list(dict.fromkeys(texts))
        entries = self._find(distinct)
        new = [text for text in distinct if text not in entries]
        try:
            for start in with_progress(range(0, len(new), _BATCH), f"embedding {len(new):,} texts"):
                embedded = self._embed(new[start : start + _BATCH])
                self._write(embedded)
                entries |= embedded
        except KeyboardInterrupt:
            kept = f"{len(entries):,} of {len(distinct):,} texts are embedded and kept; run this again to go on"
            lost = "the embedding cache cannot be written, so what was embedded is lost"
            # Without the model's own frames, which are hundreds of lines.
            raise Interrupted(f"Interrupted: {kept if self._writable else lost}.") from None
        if isinstance(self.embedder, LimitedEmbedder):
            warn_truncation([entries[text].word_pieces for text in texts], self.embedder.max_tokens)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = entries[text].vector
        return vectors

    def _embed(self, texts: list[str]) -> dict[str, StoredVector]:
        word_pieces = [0] * len(texts)
        if isinstance(self.embedder, LimitedEmbedder) and self.embedder.max_tokens is not None:
            word_pieces = self.embedder.count_word_pieces(texts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)  # encode() gives one warning for all of its texts.
            vectors = np.asarray(self.embedder.encode(texts), dtype=np.float32)
        if vectors.shape != (len(texts), self.dim):
            raise ValueError(
                f"the embedder {self.name!r} returned an array of shape {vectors.shape} for {len(texts)} texts; "
                f"encode must return shape ({len(texts)}, {self.dim})"
            )
        return {text: StoredVector(*entry) for text, *entry in zip(texts, vectors, word_pieces, strict=True)}

    def _find(self, texts: Sequence[str]) -> dict[str, StoredVector]:
        """Look texts up, first among the vectors that come with the repository, then in the database."""
        by_key = {text_key(text): text for text in texts}
        shipped = shipped_vectors(self.name, self.dim)
        note_asked(self.name, by_key, shipped)
        found = {key: shipped[key] for key in by_key if key in shipped}
        found |= self.kept(by_key.keys() - found.keys())
        return {by_key[key]: entry for key, entry in found.items()}

    def kept(self, keys: Collection[bytes]) -> dict[bytes, StoredVector]:
        """Return those vectors of the database whose texts have these SHA-256 keys."""
        found: dict[bytes, StoredVector] = {}
        if not self._readable or not keys:
            return found
        wanted, size = sorted(keys), np.dtype(np.float32).itemsize * self.dim
        try:
            with closing(self._open_to_read()) as database:
                for start in range(0, len(wanted), _BATCH):
                    batch = wanted[start : start + _BATCH]
                    marks = ",".join("?" * len(batch))
                    rows = database.execute(
                        "SELECT text_sha256, word_pieces, vector FROM vectors "
                        f"WHERE name = ? AND text_sha256 IN ({marks})",
                        [self.name, *batch],
                    )
                    for key, word_pieces, kept in rows:  # What is damaged is embedded again.
                        if isinstance(kept, bytes) and len(kept) == size:
                            vector = np.frombuffer(kept, dtype="<f4")
                            if np.isfinite(vector).all():
                                found[key] = StoredVector(vector, word_pieces)
        except (OSError, sqlite3.Error) as error:
            self._readable = False
            self._give_up(error)
        return found

    def _write(self, entries: Mapping[str, StoredVector]) -> None:
        if not self._writable:
            return
        rows = [(self.name, text_key(t), e.word_pieces, e.vector.astype("<f4").tobytes()) for t, e in entries.items()]
        try:
            with closing(self._open()) as database, database:
                database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def _open(self) -> sqlite3.Connection:
        """The database, made where it does not exist.

        A connection belongs to one thread and one process, so each use opens its own; that takes under a millisecond.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, timeout=_TIMEOUT)
        try:
            _use_wal(database)
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(
                "CREATE TABLE IF NOT EXISTS vectors (name TEXT NOT NULL, text_sha256 BLOB NOT NULL, "
                "word_pieces INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (name, text_sha256))"
            )
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _open_to_read(self) -> sqlite3.Connection:
        """The same; where it cannot be written, as it is."""
        try:
            return self._open()
        except (OSError, sqlite3.Error):
            if not self.path.is_file() or _has_log(self.path):
                raise
            # SQLite reads a database in a folder without write access only where it is told that nobody changes it.
            return sqlite3.connect(f"{self.path.absolute().as_uri()}?immutable=1", uri=True)

    def _give_up(self, error: Exception) -> None:
        self._writable = False
        problem = "written" if self._readable else "used"
        warnings.warn(
            f"The embedding cache {with_tilde(self.path)} cannot be {problem} ({error}). Everything works without it, "
            "but new texts are embedded anew each time. If that file is damaged, delete it; if it cannot be written, "
            "set HIERRAG_CACHE to a folder that can.",
            CacheWarning,
            stacklevel=stack_level(),
        )


def _has_log(path: Path) -> bool:
    """Whether a database has changes in a log beside it, so that its own file is not all of it."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _use_wal(database: sqlite3.Connection) -> None:
    """Let readers not wait for a writer. A database remembers that, so this does something only in a new one."""
    end = time.monotonic() + _TIMEOUT
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # Where two processes do this at once, one fails without the wait that SQLite has for everything else.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
