"""The commands of the course: ``python -m hierrag_lessons drill``.

Lesson 26 uses it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from hierrag_lessons.interview.commands import add_drill


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m hierrag_lessons", description=__doc__)
    add_drill(parser.add_subparsers(required=True, metavar="COMMAND"))
    parsed = parser.parse_args(arguments)
    status: int = parsed.run(parsed)
    return status


if __name__ == "__main__":
    sys.exit(main())
