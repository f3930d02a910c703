"""One line of the report."""

from __future__ import annotations

from dataclasses import dataclass

INSTALL = "run `make setup`, or `python -m tools.install`, in the course's folder"


@dataclass(frozen=True)
class Finding:
    """One line of the report; ``problem`` says what is wrong and how to mend it, and is empty where all is well.

    A ``note`` is worth knowing, but nothing has to be done about it.
    """

    label: str
    value: str
    problem: str = ""
    note: str = ""
