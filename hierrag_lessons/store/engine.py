"""LanceDB's calls: run to their end, and what goes wrong in its files said in a sentence.

Lesson 02 uses it.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from lancedb.background_loop import LOOP

T = TypeVar("T")

# Where in its own source code the library noticed it, on the machine that built the library.
_SOURCE = re.compile(r"(, )?\S*\.rs:\d+:\d+")
_WRAPPING = re.compile(r"(lance error|External error|Wrapped error|LanceError\(\w+\)|Generic [\w/]+ error): ")
_LANCE = re.compile(r"lance error|LanceError|failed to decode")
_FOLDER = re.compile(r"[^\s,]*/(?=\w+\.lance/)")
_ADVICE = {
    errno.ENOSPC: "make room on the disk and try again",
    errno.EDQUOT: "make room on the disk and try again",
    errno.EACCES: "whoever runs this must be allowed to read its folder, and to write to it for add and delete",
    errno.EPERM: "whoever runs this must be allowed to read its folder, and to write to it for add and delete",
    errno.EROFS: "its folder lies on a disk that can only be read; copy it to another one to add or delete",
}


def wait(answer: Coroutine[Any, Any, T]) -> T:
    """Run a call of LanceDB's asynchronous interface to its end, also where an event loop runs, as in a notebook.

    LanceDB's synchronous interface does the same, but hands every query over to its thread six times instead of once.
    Raises ``OSError`` as ``readable_faults`` does.
    """
    with readable_faults():
        return cast("T", LOOP.run(answer))  # type: ignore[no-untyped-call]


@contextmanager
def readable_faults() -> Iterator[None]:
    """Raise ``OSError`` with a sentence in place of the errors that LanceDB raises for files that it cannot use."""
    try:
        yield
    except (RuntimeError, OSError, ValueError) as error:
        if isinstance(error, RuntimeError) or _LANCE.search(str(error)):
            raise _fault(str(error)) from None
        raise


def _fault(said: str) -> OSError:
    short = _FOLDER.sub("", _WRAPPING.sub("", _SOURCE.sub("", said)))
    if found := re.search(r"os error (\d+)", said):
        number = int(found[1])
        advice = _ADVICE.get(number, f"LanceDB says: {short}")
        return OSError(number, f"the files of the index cannot be used: {os.strerror(number)}; {advice}")
    return OSError(
        f"the files of the index cannot be used: {short}. One of them may be missing or damaged: delete the folder, "
        "make the index anew with Index.create and add the documents again. Or this was a snapshot, and a commit that "
        "came later has replaced its files: take a new one."
    )
