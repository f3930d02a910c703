"""An index for as long as a ``with`` block lasts.

Lesson 13 uses it.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hierrag_lessons.embedding import TruncationWarning, default_embedder
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Embedder, Hierarchy
from hierrag_lessons.store.columns import Columns
from hierrag_lessons.store.index import Index


@contextmanager
def temporary_index(
    hierarchies: Iterable[Hierarchy], *, embedder: Embedder | None = None, columns: Columns | None = None
) -> Iterator[Index]:
    """An index of the hierarchies that is there for the ``with`` block only.

    Where texts are longer than the embedder reads, the rest of them is not embedded. That is part of what the lessons
    measure, so it is not warned of here.

    Parameters
    ----------
    hierarchies:
        Of documents in one language.
    embedder:
        The default one of that language where not given.
    columns:
        Metadata to filter by, as in ``Index.create``.

    Raises ``ValueError`` where there are no hierarchies, or documents of two languages.
    """
    made = list(with_progress(hierarchies, "documents"))
    languages = {hierarchy.document.language for hierarchy in made}
    if len(languages) != 1:
        raise ValueError(f"the documents are in {sorted(languages) or 'no language'}; give those of one language")
    language = languages.pop()
    with tempfile.TemporaryDirectory() as folder:
        embedder = embedder or default_embedder(language)
        index = Index.create(Path(folder) / "index", embedder, language=language, columns=columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TruncationWarning)
            index.add(made)
        yield index
