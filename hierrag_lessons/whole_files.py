"""Files that are there as a whole or not at all, whatever ends the program.

Lesson 24 uses it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from secrets import token_hex

from hierrag_lessons import checks

__all__ = ["write_whole"]

UNFINISHED = ".new"
"""What the name of a file ends in that is being written; it begins with a dot."""


def write_whole(path: Path | str, content: bytes | str) -> None:
    """Write a file, in the place of an earlier one where there is one.

    The content is written to a file beside it, and that file is renamed: nobody ever sees half of it, and where writing
    fails, the earlier file is as it was. Of several programs or threads that write at once the last one wins. A link
    stays a link, an earlier file's permissions stay, and folders that are missing are made.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "kept", "lease.txt"), "Pets need consent.")
    ...     Path(folder, "kept", "lease.txt").read_text(encoding="utf-8")
    'Pets need consent.'

    Parameters
    ----------
    path:
        The file.
    content:
        Bytes, or a text, which is written as UTF-8 with its line ends as they are.

    Raises
    ------
    ValueError
        For what is no path or no content, and for a text with lone surrogates, which UTF-8 cannot write.
    OSError
        Where the file cannot be written.
    """
    target = checks.path("path", path).resolve()
    checks.instance("content", content, bytes | str)
    written = content.encode("utf-8") if isinstance(content, str) else content
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{token_hex(8)}{UNFINISHED}")  # short: the name itself may be as long as can be
    try:
        with unfinished.open("xb") as file:
            file.write(written)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
