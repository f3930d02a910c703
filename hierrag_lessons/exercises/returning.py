"""How a function comes to return ``None``: by saying so, or by coming to its end."""

from __future__ import annotations

import ast
import dis
import inspect
import sys
import textwrap
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any

from hierrag_lessons.exercises.running import run


def is_empty(function: object) -> bool:
    """Whether a function's body is only a docstring, ``pass`` or ``...``.

    These compile to the same as ``return None``, which is an answer: where the source can be read, it decides.
    """
    if type(function) is not FunctionType:
        return False
    steps = [step for step in dis.get_instructions(function) if step.opname not in {"RESUME", "NOP"}]
    if not all(step.opname in {"LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"} and step.argval is None for step in steps):
        return False
    source = _source(function)
    return source is None or all(node.value is None for node in _returns(source[0]))


def ends_without_return(function: Callable[..., object], arguments: tuple[object, ...]) -> bool:
    """Whether this call comes to the end of the function's body; ``False`` also where the source can't be read."""
    if not isinstance(function, FunctionType) or (source := _source(function)) is None:
        return False
    (tree, first), code = source, function.__code__
    last_lines: list[int] = []

    def watch(frame: FrameType, event: str, _argument: object) -> Any:
        if frame.f_code is not code:
            return None
        if event == "return":
            last_lines.append(frame.f_lineno - first + 1)
        return watch

    def watched(*given: object) -> None:
        before = sys.gettrace()
        sys.settrace(watch)
        try:
            function(*given)
        finally:
            sys.settrace(before)

    run(watched, arguments, seconds=2)
    if not last_lines:
        return False
    return not any(node.lineno <= last_lines[-1] <= (node.end_lineno or 0) for node in _returns(tree))


def _source(function: FunctionType) -> tuple[ast.AST, int] | None:
    """The definition, and the number of its first line; ``None`` for a lambda and where the source can't be read."""
    if function.__name__ == "<lambda>":
        return None
    try:
        lines, first = inspect.getsourcelines(function)
        return ast.parse(textwrap.dedent("".join(lines))), first
    except (OSError, SyntaxError):
        return None


def _returns(tree: ast.AST) -> list[ast.Return]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Return)]
