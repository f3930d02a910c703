"""An index of your documents that is kept between two questions and follows the files.

Lesson 24 uses it.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import rmtree
from typing import Literal

from filelock import FileLock, Timeout

from hierrag_lessons import checks
from hierrag_lessons.chunkers import build_hierarchy, course_hierarchy, make_units
from hierrag_lessons.embedding import TruncationWarning
from hierrag_lessons.embedding.cache import cache_folder, with_tilde
from hierrag_lessons.model import Document, Embedder, Hierarchy, Language
from hierrag_lessons.own_documents.ahead import embed_ahead
from hierrag_lessons.own_documents.methods import flat_chunker
from hierrag_lessons.store import Index
from hierrag_lessons.store.rows import embedded_texts
from hierrag_lessons.whole_files import UNFINISHED, write_whole

Cut = Literal["units", "recursive 400"]

_MARKS = "documents.json"
_FORMS = {"units": "course hierarchy with units, 1", "recursive 400": "recursive 400, 1"}
_PATIENCE = 600.0  # seconds to wait for another process that embeds the same documents


def kept_folder(path: Path | str) -> Path:
    """Where the index of the documents in ``path`` is kept: in the cache folder, see ``HIERRAG_CACHE``.

    Raises ``ValueError`` for what is no path.
    """
    real = checks.path("path", path).expanduser().resolve()
    mark = hashlib.sha256(str(real).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_folder() / "own" / mark


def place_in(keep: Path, language: Language, embedder: Embedder, cut: Cut = "units") -> Path:
    """Where in ``keep`` the index of a language is kept, each embedder's apart: two can be used at once."""
    mark = hashlib.sha256(embedder.name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return keep / "-".join([language, mark, *(["400"] if cut == "recursive 400" else [])])


def kept_index(
    documents: Sequence[Document],
    folder: Path | str,
    embedder: Embedder,
    language: Language,
    cut: Cut = "units",
    tell: Callable[[str], None] | None = None,
) -> Index:
    """The index of the documents in ``folder``: what is new or changed since the last call is added.

    What is in it and not among ``documents`` is deleted. An index that this version of the package, or this embedder,
    cannot read is made anew. It can be deleted at any time.

    Parameters
    ----------
    documents:
        All of one language.
    folder:
        Where it is kept: new, empty, or from an earlier call.
    embedder:
        For passages and questions.
    language:
        Of the documents.
    cut:
        Units of the course hierarchy, or flat chunks.
    tell:
        Called with a sentence on how long the embedding takes.

    Raises
    ------
    ValueError
        Where the folder holds anything else.
    OSError
        Where it cannot be used.
    """
    documents = checks.each("documents", documents, Document)
    folder = checks.path("folder", folder)
    checks.able("embedder", embedder, "encode")
    checks.one_of("language", language, Language)
    checks.one_of("cut", cut, tuple(_FORMS))
    marks, place = folder / _MARKS, folder / "index"
    if _holds_something_else(folder):
        raise ValueError(f"folder is {with_tilde(folder)!r}, which holds something else; give a new or empty folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not marks.is_file():
            write_whole(marks, "{}")
    except OSError as error:
        raise OSError(
            f"no index can be kept in {with_tilde(folder)} ({error.strerror}); give another folder, or set "
            "HIERRAG_CACHE to one that can be written"
        ) from error
    try:
        with FileLock(folder / "lock", timeout=_PATIENCE):
            header = _header(embedder, cut)
            known = _read(marks, header)
            index = _opened(place, embedder) if known else None
            if index is None:
                known = {}
                rmtree(place, ignore_errors=True)
                index = Index.create(place, embedder, language=language)
            wanted = {document.doc_id: _mark(document) for document in documents}
            changed = [document for document in documents if known.get(document.doc_id) != wanted[document.doc_id]]
            if gone := set(index.doc_ids()) - wanted.keys():
                index.delete(sorted(gone))
            if changed:
                # Marks go first and come back last: whatever ends this run, the next one adds the rest.
                stay = {name: mark for name, mark in known.items() if wanted.get(name) == mark}
                write_whole(marks, json.dumps(header | {"documents": stay}, indent=1))
                trees = [_tree(document, cut) for document in changed]
                embed_ahead(
                    (t for tree in trees for t in embedded_texts(tree, language)), embedder, tell or (lambda line: None)
                )
                with warnings.catch_warnings():
                    # What a chunk has beyond what the embedder reads is still found by its words.
                    warnings.simplefilter("ignore", TruncationWarning)
                    index.add(trees)
            write_whole(marks, json.dumps(header | {"documents": wanted}, indent=1))
            return index
    except Timeout:
        raise OSError(
            f"another process has worked on {with_tilde(folder)} for {_PATIENCE:.0f} s; wait until it ends"
        ) from None


def _holds_something_else(folder: Path) -> bool:
    if not folder.is_dir() or (folder / _MARKS).is_file():
        return folder.is_file()
    # A run that was ended in its first moment has begun these.
    return any(path.name != "lock" and path.suffix != UNFINISHED for path in folder.iterdir())


def _opened(place: Path, embedder: Embedder) -> Index | None:
    try:
        return Index.open(place, embedder)
    except (ValueError, FileNotFoundError):  # of another version, or half deleted
        return None


def _tree(document: Document, cut: str) -> Hierarchy:
    if cut == "units":
        return make_units(course_hierarchy(document))
    return build_hierarchy(document, [flat_chunker("recursive", 400)])


def _header(embedder: Embedder, cut: str) -> dict[str, object]:
    try:
        package = version("hierrag-lessons")
    except PackageNotFoundError:  # used from a folder, not installed
        package = ""
    return {"form": _FORMS[cut], "embedder": embedder.name, "package": package}


def _mark(document: Document) -> str:
    """What a document's nodes depend on."""
    what = [document.kind, document.language, document.text, dict(document.metadata)]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _read(marks: Path, header: Mapping[str, object]) -> dict[str, str]:
    """The marks of the documents in the index; none where they say nothing of this embedder and version."""
    try:
        found = json.loads(marks.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # cut short by a crash
        return {}
    if not isinstance(found, dict) or any(found.get(name) != value for name, value in header.items()):
        return {}
    documents = found.get("documents")
    return documents if isinstance(documents, dict) else {}
