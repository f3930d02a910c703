"""The command line: ``python -m hierrag_lessons COMMAND``.

Lesson 26 uses it.

What a command takes and does stands in its room's ``commands.py``; a new command is a line in ``_COMMANDS`` here and a
function in ``COMMANDS`` there. Nothing of a room is loaded before its command is asked for, so that ``--help`` comes at
once.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

_COMMANDS = {
    "ask": ("own_documents", "search a folder of your own files, and print passages with file and lines"),
    "compare": ("own_documents", "measure which method suits your own files, and write a report"),
    "label": ("own_documents", "make questions with quoted evidence, to measure with"),
    "drill": ("interview", "practise interview questions, or sit a mock interview"),
}
"""Each command with the room that has it, and what it does."""

_STOPPED = "\ninterrupted; what was embedded or saved is kept, run the same command again to go on"
_FAILED, _INTERRUPTED = 1, 130  # 2 is argparse's own code for a command that cannot be read


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code: 0 where it did its work, 1 where it could not, 130 where it was stopped.

    Ends the program with code 2 where the command cannot be read, and with 0 after ``--help``, as argparse does.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _speak_utf8()
    warnings.showwarning = _note
    try:
        parser = _parser(given)
        chosen = parser.parse_args(given)
        if not hasattr(chosen, "run"):
            parser.print_help()
            return 0
        code = int(chosen.run(chosen))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print(_STOPPED, file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:  # whoever reads has seen enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(f"error: {_visible(str(error))}", file=sys.stderr)
        return _FAILED


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hierrag_lessons",
        description="Hierarchical RAG on your own documents, measured, and interview practice; all without a network.",
        epilog="python -m hierrag_lessons COMMAND --help says what a command takes.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name, (room, what) in _COMMANDS.items():
        own = commands.add_parser(name, help=what)
        if name in given[:1]:
            import_module(f"hierrag_lessons.{room}.commands").COMMANDS[name](own)
    return parser


def _speak_utf8() -> None:
    """Print every character, whatever the terminal says that it knows; what is no text comes as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")


def _note(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as a line of its own, without the line of code that gave it; the form is that of ``warnings``."""
    print(f"note: {_visible(' '.join(str(message).split()))}", file=sys.stderr)


def _visible(text: str) -> str:
    from hierrag_lessons.text.invisible import visible  # not before there is something to say

    return visible(text)


if __name__ == "__main__":
    sys.exit(main())
