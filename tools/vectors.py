"""Keep the vectors that come with the repository: ``python -m tools.vectors``, or ``make vectors``.

Every notebook is executed and every test is run, and each process notes which texts it has embedded
(``ASKED_TEXTS``). The vectors of those texts, and of no others, become the files in ``data/vectors``. With
``--check FOLDER`` nothing is run or written: the notes of a run that has been are compared with the files.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from hierrag_lessons.embedding import CachedEmbedder, MiniLMEmbedder
from hierrag_lessons.embedding.shipped import row_type, shipped_vectors, vectors_file, write_vectors
from hierrag_lessons.reading import python_reference_checksum
from tools.execution import JOBS
from tools.notebooks import ROOT, Edition, NotebookError, editions
from tools.verify_notebooks import run

MOST_BYTES = 40_000_000
"""What the files may hold: everyone who clones the repository downloads them."""

NAME, DIM = MiniLMEmbedder().name, MiniLMEmbedder.dim
REFERENCE = vectors_file(NAME).with_suffix(".reference")
"""Beside the vectors: the checksum of the Python reference whose texts are among them."""


def course_embedder() -> CachedEmbedder:
    """Make the embedder whose vectors come with the repository, with the cache of this machine."""
    return CachedEmbedder(MiniLMEmbedder())


def asked(folder: Path) -> dict[bytes, str]:
    """Read what processes noted in a folder: the keys of all texts, with the text where it had no vector."""
    lines = (line.split("\t") for path in folder.glob("*.tsv") for line in path.read_text("utf-8").splitlines())
    return {bytes.fromhex(key): json.loads(text or '""') for name, key, text in lines if name == NAME}


def problems(texts: Collection[bytes]) -> list[str]:
    """Say what is missing from the files, and what stands there and was not asked for."""
    if REFERENCE.read_text("utf-8").strip() != python_reference_checksum():
        return []  # another Python has other texts in its reference
    shipped = shipped_vectors(NAME, DIM)
    new = sum(key not in shipped for key in texts)
    unused = len(shipped) - (len(texts) - new)
    found = [f"{new} texts are embedded whose vectors are not in data/vectors"] * (new > 0)
    return found + [f"{unused} vectors in data/vectors belong to texts that nothing embeds"] * (unused > 0)


def write(texts: Mapping[bytes, str]) -> int:
    """Write the vectors of these texts, by their keys, and return the file's bytes; what is new is embedded.

    Raises ``ValueError`` where the vectors need more than ``MOST_BYTES``. Nothing is written then.
    """
    size = len(texts) * row_type(DIM).itemsize
    if size > MOST_BYTES:
        raise ValueError(f"{len(texts):,} vectors take {size:,} bytes, and {MOST_BYTES:,} are allowed; embed less")
    shipped, embedder = shipped_vectors(NAME, DIM), course_embedder()
    entries = {key: shipped[key] for key in texts if key in shipped}
    new = [key for key in texts if key not in entries]
    embedder.encode([texts[key] for key in new])
    entries |= embedder.kept(new)
    write_vectors(vectors_file(NAME), entries, DIM)
    REFERENCE.write_text(f"{python_reference_checksum()}\n", encoding="utf-8")
    return size


def _execute(edition: Edition) -> str:
    try:
        return f"{edition}: {run(edition, edition.notebook()):.0f} s"
    except NotebookError as error:
        return f"{edition}: {error}"


def run_everything() -> None:
    """Execute every notebook and run every other test, and print what takes how long."""
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(_execute, edition) for edition in editions()]):
            print(future.result(), flush=True)
    tests = ["--numprocesses", str(JOBS), "--ignore", "tests/notebooks/test_notebooks.py"]
    subprocess.run([sys.executable, "-m", "pytest", *tests], cwd=ROOT, check=False)


def main() -> int:
    """Write the files, or check them; 1 where they are not as they should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", type=Path, metavar="FOLDER", help="compare the notes of a run with the files")
    if folder := parser.parse_args().check:
        found = problems(asked(folder))
        print("\n".join([*found, "Run `make vectors` and commit data/vectors."] if found else ["data/vectors: ok"]))
        return 1 if found else 0
    with tempfile.TemporaryDirectory() as notes:
        os.environ["ASKED_TEXTS"] = notes
        run_everything()
        texts = asked(Path(notes))
    os.environ.pop("ASKED_TEXTS")
    changes = problems(texts) if REFERENCE.exists() else []
    size = write(texts)
    print("\n".join([*changes, f"data/vectors: {len(texts):,} vectors, {size / 1e6:.1f} MB"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
