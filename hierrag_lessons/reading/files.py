"""Text files, read as UTF-8 and nothing else."""

from __future__ import annotations

from pathlib import Path


def read_utf8(path: Path | str) -> str:
    """The text of a file as it stands, line ends included, without a byte order mark.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where the file is not UTF-8.
    """
    path = Path(path)
    try:
        # newline="" keeps CRLF as it stands in the file: offsets must count what is really there.
        with path.open(encoding="utf-8", newline="") as file:
            return file.read().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name} is not UTF-8 (byte {error.start}: {error.reason}); save it as UTF-8 and read it again"
        ) from error
