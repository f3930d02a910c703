"""Execute a notebook as a learner's machine would, offline and without a key, and clean what comes out."""

from __future__ import annotations

import asyncio
import base64
import copy
import os
import re
import signal
import struct
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.font_manager  # noqa: F401  builds its cache here, not with a message in a learner's first figure
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbclient.util import ensure_async
from nbformat import NotebookNode

from hierrag_lessons.embedding.cache import cache_folder
from hierrag_lessons.environment.machine import usable_cores
from hierrag_lessons.reading import python_reference_checksum
from tools.notebooks import METADATA, NotebookError, code_cells
from tools.structure import alt_texts

TIMEOUT = 1800  # seconds for a whole notebook: a guard against one that hangs, not a measure of how long it may take
JOBS = 2  # notebooks at the same time

_SECRET = re.compile(
    r"OPENAI|HIERRAG|ANTHROPIC|API_?KEY|TOKEN|^MPLBACKEND$|^PYTHON(HASHSEED|WARNINGS|STARTUP)$|_proxy$", re.I
)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_TEXT_CHUNKS = {b"tEXt", b"zTXt", b"iTXt", b"tIME", b"eXIf"}


@dataclass(frozen=True)
class Execution:
    """An executed notebook and how long it took."""

    notebook: NotebookNode
    seconds: float


Watch = Callable[[int, str | None], None]
"""Is told the number of a cell, and the line that long work in it draws; None where the cell begins."""


def execute(notebook: NotebookNode, folder: Path, watch: Watch | None = None) -> Execution:
    """Run every cell in a fresh kernel that works in ``folder`` and can't reach another machine.

    The notebook is changed in place: it gets its outputs, and ``metadata.hierrag.python_reference`` where it read this
    Python's language reference, whose wording the outputs then depend on. With ``watch``, long work says how far it is.

    Raises
    ------
    NotebookError
        Where a cell raises without the tag ``raises-exception``, or the notebook takes longer than ``TIMEOUT``.
    KeyboardInterrupt
        Where somebody stops it, with what the kernel said to that; the kernel is shut down then.
    """
    started = time.monotonic()
    # Kept here, because a kernel that dies takes the news of what it had begun with it. A dead start counts as cell 1.
    started_cells = [1]

    def begin(cell: NotebookNode, cell_index: int) -> None:
        started_cells.append(cell_index + 1)
        if watch is not None:
            watch(cell_index + 1, None)

    with tempfile.TemporaryDirectory() as scratch:
        marker = Path(scratch) / "python-reference-was-read"
        _write_startup_file(Path(scratch), marker)
        client = _Client(
            notebook,
            watch=watch,
            kernel_name="python3",
            startup_timeout=TIMEOUT,
            # One limit for the notebook: each cell may use what the cells before it have left.
            timeout_func=lambda _cell: max(1, int(TIMEOUT - (time.monotonic() - started))),
            coalesce_streams=True,
            record_timing=False,
            store_widget_state=False,
            on_cell_start=begin,
            extra_arguments=["--IPKernelApp.log_level=40"],  # it warns of its own loopback connection
        )
        try:
            client.execute(cwd=str(folder), env=_environment(Path(scratch), watched=watch is not None))
        except CellExecutionError as error:
            if client.stopped:
                raise KeyboardInterrupt(error.evalue) from None
            text = _ANSI.sub("", error.traceback or str(error))
            raise NotebookError(f"cell {started_cells[-1]} raised {error.ename}: {error.evalue}\n{text}") from None
        except (CellTimeoutError, DeadKernelError) as error:
            raise NotebookError(
                f"cell {started_cells[-1]}: {str(error).splitlines()[0]} A notebook may take {TIMEOUT} seconds."
            ) from None
        if time.monotonic() - started > TIMEOUT:  # each of the last cells was quick enough to end in its last second
            raise NotebookError(f"it took longer than {TIMEOUT} seconds")
        if marker.exists():
            notebook.metadata["hierrag"] = {"python_reference": python_reference_checksum()}
    notebook.metadata.update(copy.deepcopy(METADATA))
    for cell in code_cells(notebook):
        for output in cell.outputs:
            _clean(output)
        if alt := "".join(alt_texts(cell)):
            cell.metadata["mystnb"] = {"image": {"alt": alt}}
    return Execution(notebook, time.monotonic() - started)


class _Client(NotebookClient):
    """A client that takes the lines which are drawn over out of the outputs, and hands them to ``watch``."""

    def __init__(self, notebook: NotebookNode, watch: Watch | None, **options: Any) -> None:
        super().__init__(notebook, **options)
        self._watch = watch
        self.stopped = False
        self.on_notebook_start = self._listen

    def _listen(self, **_: object) -> None:
        """Hand Ctrl-C to the kernel. On its own nbclient would shut it down twice, in a cell that still runs."""
        with suppress(RuntimeError):  # no such signals on Windows, and none in another thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._stop)

    def _stop(self) -> None:
        self.stopped = True
        if self.km is not None:
            self._stopping = asyncio.ensure_future(ensure_async(self.km.interrupt_kernel()))

    def output(self, outs: list[NotebookNode], msg: dict[str, Any], display_id: str | None, cell_index: int) -> Any:
        if self._watch is not None and msg["msg_type"] == "stream":
            # What is printed ends in a line break, and such a line never has one.
            kept, *pieces = msg["content"]["text"].split("\r")
            for piece in pieces:
                if "\n" in piece:
                    kept += piece
                else:
                    self._watch(cell_index + 1, piece.rstrip())
            if not kept:
                return None
            msg["content"]["text"] = kept
        return super().output(outs, msg, display_id, cell_index)


def _write_startup_file(ipython: Path, marker: Path) -> None:
    # A folder of its own for IPython also keeps the author's settings and startup files out.
    startup = ipython / "profile_default" / "startup"
    startup.mkdir(parents=True)
    code = Path(__file__).with_name("offline.py").read_text(encoding="utf-8") + f"\ninstall({str(marker)!r})\n"
    (startup / "00-offline.py").write_text(f"exec({code!r}, {{}})\n", encoding="utf-8")


def _environment(ipython: Path, *, watched: bool) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    nowhere = "http://127.0.0.1:9"  # for libraries that open sockets without Python, and for child processes
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        environment |= {name: nowhere, name.upper(): nowhere}
    if os.environ.get("HIERRAG_CACHE"):  # where its vectors are is no secret, and the kernel works in another folder
        environment["HIERRAG_CACHE"] = str(cache_folder().absolute())
    if not watched:
        environment["TQDM_DISABLE"] = "1"  # how far long work is belongs in nobody's outputs
    return environment | {
        "NO_PROXY": "localhost,127.0.0.1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "OMP_NUM_THREADS": str(max(1, usable_cores() // JOBS)),
        "IPYTHONDIR": str(ipython),
        "HIERRAG_PROGRESS": "off",  # neither read nor written: the learner's own file is none of a notebook's business
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def _clean(output: NotebookNode) -> None:
    """Remove what differs from machine to machine, but means nothing."""
    if output.output_type == "error":
        output["traceback"] = [f"{output.ename}: {output.evalue}"]
    for mime, data in output.get("data", {}).items():
        if mime == "image/png":
            output["data"][mime] = base64.b64encode(without_text(base64.b64decode(data))).decode("ascii")


def without_text(png: bytes) -> bytes:
    """A PNG file without its text and time chunks, which name the software and its version."""
    kept = [png[:8]]
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] not in _TEXT_CHUNKS:
            kept.append(png[at : at + 12 + length])
        at += 12 + length
    return b"".join(kept)
