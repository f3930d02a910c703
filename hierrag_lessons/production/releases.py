"""Several indexes side by side, of which one is asked: build beside, try, switch, and go back.

Lesson 25 builds it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from hierrag_lessons import checks
from hierrag_lessons.model import Hierarchy, Language
from hierrag_lessons.store import Columns, Index
from hierrag_lessons.store.rows import check_embedder
from hierrag_lessons.whole_files import write_whole

if TYPE_CHECKING:
    from hierrag_lessons.model import Embedder

_NAME = re.compile(r"\d{4}")
_ACTIVE = "active"


@contextmanager
def building(home: Path) -> Iterator[Path]:
    """Give a name inside ``home`` to build a folder under, which is then renamed; what is left of it is deleted.

    Raises ``BlockingIOError`` at once, before any work is done, while another process or thread builds in ``home``.
    """
    home.mkdir(parents=True, exist_ok=True)
    begun = home / "building"
    with ExitStack() as stack:
        try:
            stack.enter_context(FileLock(home / "building.lock", timeout=0))
        except Timeout:
            raise BlockingIOError(f"another process builds an index in {home}; wait until it is done") from None
        shutil.rmtree(begun, ignore_errors=True)  # of a run that was broken off
        try:
            yield begun
        finally:
            shutil.rmtree(begun, ignore_errors=True)


@dataclass(frozen=True)
class Releases:
    """A folder of indexes, numbered 0001, 0002 and so on, and the name of the one that is asked.

    >>> import tempfile
    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy
    >>> pets = build_hierarchy(Document("pets", "Cats sleep. Dogs run."), [SentenceChunker(12, measure=len)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     releases = Releases(folder)
    ...     old = releases.build([pets], CharNgramEmbedder(64))
    ...     releases.activate(old)
    ...     new = releases.build([pets], CharNgramEmbedder(128))  # another model: other vectors
    ...     releases.activate(new)
    ...     releases.names, releases.active, releases.current(CharNgramEmbedder(128)).count()
    (['0001', '0002'], '0002', 3)

    Updates and deletes of documents are commits of one index and need none of this. Another embedder, other sizes or
    other columns change every row: then a second index is built while the first one answers ("blue-green deployment").
    Who has the first one open goes on reading it until it is removed.

    Parameters
    ----------
    folder:
        Where they are; it is made where it is missing.

    Raises ``ValueError`` for what is no path.
    """

    folder: Path | str

    def __post_init__(self) -> None:
        checks.path("folder", self.folder)

    @property
    def names(self) -> list[str]:
        """The finished indexes, oldest first."""
        home = Path(self.folder)
        return sorted(each.name for each in home.glob("*") if _NAME.fullmatch(each.name)) if home.exists() else []

    @property
    def active(self) -> str | None:
        """The name of the index that is asked; ``None`` before the first one is activated."""
        file = Path(self.folder) / _ACTIVE
        return file.read_text(encoding="utf-8").strip() if file.exists() else None

    def build(
        self,
        hierarchies: Iterable[Hierarchy],
        embedder: Embedder,
        *,
        language: Language = "en",
        columns: Columns | None = None,
    ) -> str:
        """Make the next index, and return its name. It gets that name when it is whole, and nobody is sent to it yet.

        Raises ``ValueError`` as ``Index.create`` and ``Index.add`` do; what was begun is taken away then. Raises
        ``BlockingIOError`` while another process or thread builds in this folder.
        """
        made = checks.each("hierarchies", hierarchies, Hierarchy)
        home = Path(self.folder)
        with building(home) as begun:
            Index.create(begun, embedder, language=language, columns=columns).add(made)
            name = f"{max(map(int, self.names), default=0) + 1:04}"
            begun.rename(home / name)
        return name

    def activate(self, name: str) -> None:
        """Send every later ``current`` to this index, a newer or an older one; the change is there at once or not.

        Raises ``ValueError`` for a name that is not there.
        """
        checks.one_of("name", name, self.names)
        write_whole(Path(self.folder) / _ACTIVE, name + "\n")

    def open(self, name: str, embedder: Embedder) -> Index:
        """One of the indexes, to try it before it is activated.

        Raises ``ValueError`` for a name that is not there, and for another embedder than it was built with.
        """
        check_embedder(embedder)
        checks.one_of("name", name, self.names)
        return Index.open(Path(self.folder) / name, embedder)

    def current(self, embedder: Embedder) -> Index:
        """The active index. Raises ``ValueError`` where none was activated, and as ``open`` does."""
        check_embedder(embedder)
        if self.active is None:
            raise ValueError(f"no index in {Path(self.folder).name!r} is active; build one, try it, then activate it")
        return self.open(self.active, embedder)

    def remove(self, name: str) -> None:
        """Delete an index that is no longer wanted. Raises ``ValueError`` for the active one, and one not there."""
        checks.one_of("name", name, self.names)
        if name == self.active:
            raise ValueError(f"name is {name!r}, and this index is asked; activate another one first")
        shutil.rmtree(Path(self.folder) / name)
