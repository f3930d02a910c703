"""A folder of one's own files as documents, and what could not be read of it.

Lesson 24 uses it.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Language
from hierrag_lessons.reading import read_dialogue, read_html, read_markdown, read_pdf, read_text

GENERATOR = "hierrag_lessons compare"
"""What stands in the head of a report, so that a report is never read as one of the documents."""

CHINESE_FROM = 0.25
"""The share of Han characters among the letters from which on a text counts as Chinese."""

_CONVERT = "convert it: iconv -f latin1 -t utf-8 OLD > NEW, with gb18030 in place of latin1 for Chinese"
_UTF16 = "UTF-16, not UTF-8; convert it: iconv -f utf-16 -t utf-8 OLD > NEW, or save it as UTF-8 in its program"
_OUTSIDE = "a link to a file outside this folder; copy that file here if it is one of your documents"
_LOCKED = "asks for a password; open it with that, and print it to a new PDF"
_DAMAGED = "cannot be read, because it is damaged; open it in its program, and save or print it to a new file"
_LETTER = regex.compile(r"\p{L}")
_HAN = regex.compile(r"\p{Han}")


def _dialogues(path: Path, *, language: Language, doc_id: str) -> list[Document]:
    return read_dialogue(path, language=language, doc_id=doc_id)


def _one(read: Callable[..., Document]) -> Callable[..., list[Document]]:
    return lambda path, *, language, doc_id: [read(path, language=language, doc_id=doc_id)]


_READERS: dict[str, Callable[..., list[Document]]] = {
    ".md": _one(read_markdown),
    ".markdown": _one(read_markdown),
    ".html": _one(read_html),
    ".htm": _one(read_html),
    ".txt": _one(read_text),
    ".pdf": _one(read_pdf),
    ".jsonl": _dialogues,
}


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is not among the documents, by its path in the folder, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Folder:
    """The documents of a folder, sorted by ``doc_id``, and the files that are none, sorted by path.

    ``doc_id`` is the path inside the folder, with slashes: ``guide/install.md``.
    """

    path: Path
    documents: tuple[Document, ...]
    unread: tuple[Unread, ...]


def guess_language(text: str) -> Language:
    """``"zh"`` where at least a quarter of the letters are Han characters, else ``"en"``.

    >>> guess_language("The invoice is due."), guess_language("发票 PDF 已到期，请付款。")
    ('en', 'zh')
    """
    checks.text("text", text)
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) >= CHINESE_FROM * letters else "en"


def read_folder(path: Path | str, language: Language | None = None) -> Folder:
    """Read every file of a folder and of the folders inside it.

    The ending says what a file is: ``.md`` and ``.markdown`` Markdown, ``.html`` and ``.htm`` a web page, ``.txt``
    text, ``.pdf`` a PDF with text in it, ``.jsonl`` dialogue as :func:`~hierrag_lessons.reading.read_dialogue` reads
    it. No file is dropped without a word: what has another ending, is hidden, empty, damaged or the copy of another one
    stands in ``unread`` with the reason. A hidden folder stands there as one entry.

    Parameters
    ----------
    path:
        The folder, or one file.
    language:
        Of all documents; guessed for each where not given, see :func:`guess_language`.

    Raises
    ------
    ValueError
        Where there is no such folder, or nothing in it can be read; the message says why for the first files.
    """
    folder = checks.path("path", path)
    checks.one_of("language", language, Language, none="a guess for each document")
    if not folder.exists():
        raise ValueError(f"path is {str(folder)!r}, where there is nothing; give the folder that holds your documents")
    documents: dict[str, Document] = {}
    texts: dict[str, str] = {}  # a text with the document that has it
    unread: list[Unread] = []
    base = folder if folder.is_dir() else folder.parent
    for file, refusal in _files(folder):
        name = _shown(file.relative_to(base).as_posix())
        try:
            if refusal:
                raise ValueError(refusal)
            for document in _read(file, name, language):
                first = texts.setdefault(document.text.strip(), document.doc_id)
                if first != document.doc_id:
                    unread.append(Unread(document.doc_id, f"the same text as {first}, which is read"))
                elif documents.setdefault(first, document) is not document:
                    unread.append(Unread(first, "another file is shown under the same name; rename one"))
        except OSError as error:
            unread.append(Unread(name, f"cannot be opened ({error.strerror or type(error).__name__})"))
        except ValueError as error:
            unread.append(Unread(name, _flat(str(error))))
        except Exception:  # what a damaged file makes a library raise has no end, and one file must not end all
            unread.append(Unread(name, _DAMAGED))
    unread.sort(key=lambda item: item.path)
    if not documents:
        reasons = "; ".join(f"{item.path}: {item.reason}" for item in unread[:3]) or "it is empty"
        raise ValueError(
            f"path is {str(folder)!r}, and none of its {len(unread)} files can be read ({reasons}); give a folder with "
            f"files that end in {', '.join(_READERS)}"
        )
    return Folder(folder, tuple(documents[name] for name in sorted(documents)), tuple(unread))


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Every file with the reason not to open it, or an empty text; a hidden or linked folder as one entry."""
    if not folder.is_dir():
        yield folder, ""
        return
    inside = folder.resolve()
    hidden = "hidden, because its name begins with a dot; rename it if it is one of your documents"
    closed: list[OSError] = []
    for here, folders, files in os.walk(folder, onerror=closed.append):
        place = Path(here)
        for name in sorted(folders):
            if name.startswith("."):
                yield place / name, hidden
            elif (place / name).is_symlink():
                yield place / name, "a link to a folder; give that folder itself, or copy it here"
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            outside = (place / name).is_symlink() and not (place / name).resolve().is_relative_to(inside)
            yield place / name, hidden if name.startswith(".") else _OUTSIDE if outside else ""
    for error in closed:
        yield Path(error.filename), f"a folder that cannot be opened ({error.strerror})"


def _read(path: Path, name: str, language: Language | None) -> list[Document]:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        kind = f"files that end in {path.suffix} are" if path.suffix else "a file without an ending is"
        raise ValueError(f"{kind} not read; save it as one of {', '.join(_READERS)}")
    if not path.is_file():  # a pipe or a device would wait for ever
        raise ValueError("no regular file, or a link that leads nowhere")
    if path.suffix.lower() in (".html", ".htm") and GENERATOR.encode() in path.read_bytes()[:1000]:
        raise ValueError("a report that this command has written")
    if path.suffix.lower() == ".pdf" and not _begins(path, b"%PDF-"):
        raise ValueError("does not begin with %PDF, so it is no PDF or a damaged one; open it and save it as PDF again")
    if _begins(path, codecs.BOM_UTF16_LE) or _begins(path, codecs.BOM_UTF16_BE):
        raise ValueError(_UTF16)
    try:
        found = reader(path, language=language or "en", doc_id=name)
    except ValueError as error:
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise ValueError(f"not UTF-8 (byte {error.__cause__.start}); {_CONVERT}") from error
        if isinstance(error.__cause__, Exception):  # a library's words, which say nothing of what to do
            raise ValueError(_LOCKED if _is_locked(error.__cause__) else _DAMAGED) from error
        raise
    for document in found:
        if not document.text.strip():
            raise ValueError("holds no text")
        if "\0" in document.text:
            raise ValueError("holds zero bytes, so it is UTF-16 or no text; save it as UTF-8 text")
    if language is not None:
        return found
    return [replace(document, language=guess_language(document.text)) for document in found]


def _is_locked(error: BaseException) -> bool:
    """Whether a PDF asks for a password."""
    from pypdf.errors import FileNotDecryptedError, WrongPasswordError  # only who reads a PDF need wait for it

    return isinstance(error, FileNotDecryptedError | WrongPasswordError)


def _begins(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _shown(name: str) -> str:
    """A file name as text: bytes in it that are no UTF-8 become replacement characters."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _flat(text: str) -> str:
    return " ".join(text.split())
