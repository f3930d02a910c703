"""Text files, read as UTF-8 and nothing else.

Lesson 01 uses it.
"""

from __future__ import annotations

from pathlib import Path

from hierrag_lessons import checks

_FORMATS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a zip archive, as .docx, .xlsx and .epub files are",
    b"\xd0\xcf\x11\xe0": "a file of an old Office program",
    b"{\\rtf": "a rich text file",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
}
"""What files that hold no plain text begin with, some of which could be read as text without an error."""


def read_bytes(path: Path | str) -> bytes:
    """What a text file holds.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where it begins as a PDF, an archive or an image does.
    """
    path = checks.path("path", path)
    content = path.read_bytes()
    for beginning, kind in _FORMATS.items():
        if content.startswith(beginning):
            raise ValueError(
                f"{path.name} is {kind}; open it with its program, save its text as UTF-8 (.txt, .md) and read that"
            )
    return content


def read_utf8(path: Path | str) -> str:
    """The text of a file as it stands, line ends included, without a byte order mark.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where it is a PDF, an archive or an image, or is not UTF-8, or ``path`` is no path.
    """
    path = checks.path("path", path)
    try:
        return read_bytes(path).decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name} is not UTF-8 (byte {error.start}: {error.reason}); save it as UTF-8 and read it again"
        ) from error
