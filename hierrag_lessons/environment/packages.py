"""The packages that the course needs: their versions, and which build of PyTorch it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from hierrag_lessons.environment.finding import INSTALL, Finding

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"
DISTRIBUTION = "hierrag-lessons"


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
    """The versions of the packages that the course needs: those of the requirements file, or of the installed wheel."""
    if requirements.exists():
        return check_versions(read_pins(requirements))
    try:
        wanted = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        problem = f"neither requirements.txt nor an installed {DISTRIBUTION} says which versions are needed; {INSTALL}"
        return [Finding("requirements.txt", "missing", problem)]
    return check_versions(dict(line.split("==") for line in wanted))


def check_torch() -> list[Finding]:
    """Which build of PyTorch this is, and the megabytes that it takes with the libraries that came with it."""
    name = "torch build"
    spec = find_spec("torch")
    if spec is None or spec.origin is None:  # check_requirements says so
        return []
    # Importing torch would take seconds; this file of it is four assignments.
    told = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    cuda = re.search(r"^cuda\b.*= '([^']+)'", told, re.MULTILINE)
    parts = re.compile(r"(torch|triton|nvidia-.*|cuda-.*)", re.IGNORECASE)
    sizes = [
        file.size or 0
        for distribution in metadata.distributions()
        if parts.fullmatch(distribution.metadata["Name"])
        for file in distribution.files or []
    ]
    size = f"{sum(sizes) / 1e9:.1f} GB"
    if cuda is None:
        return [Finding(name, f"CPU, {size}")]
    note = (
        f"torch is a CUDA build of {size}; it works, but the course computes on the CPU, and the CPU build is smaller: "
        "where PyTorch's own index can be reached, `make clean setup` gets it"
    )
    return [Finding(name, f"CUDA {cuda[1]}, {size}", note=note)]
