"""All checks, and the report that is made of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from hierrag_lessons.environment.files import check_cache, check_model, check_python_reference, check_vocabulary
from hierrag_lessons.environment.finding import INSTALL, Finding
from hierrag_lessons.environment.machine import check_system
from hierrag_lessons.environment.packages import check_requirements, check_torch
from hierrag_lessons.environment.settings import check_settings

CHECKS: Sequence[Callable[[], list[Finding]]] = (
    check_system,
    check_requirements,
    check_torch,
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
    """The findings as text: one line for each, then the notes, then the problems, numbered."""
    width = max(len(finding.label) for finding in findings)
    lines = [f"{finding.label:<{width}}  {finding.value}" for finding in findings]
    for finding in findings:
        if finding.note:
            lines += ["", f"Note: {finding.note}."]
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
