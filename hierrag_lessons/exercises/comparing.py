"""When two answers count as the same, and where they differ first."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from numbers import Real

import numpy as np

RELATIVE = 1e-5  # single precision: the embeddings of the course are float32
ABSOLUTE = 1e-6


def same(returned: object, expected: object) -> bool:
    """Whether ``returned`` is as good as ``expected``.

    Decimals may differ by rounding, lists and tuples are interchangeable, arrays are compared by shape and values,
    and dataclasses field by field. A bool is no number: ``1`` is not accepted for ``True``.
    """
    if isinstance(returned, bool | np.bool_) or isinstance(expected, bool | np.bool_):
        both = isinstance(returned, bool | np.bool_) and isinstance(expected, bool | np.bool_)
        return both and bool(returned) == bool(expected)
    if isinstance(returned, Real) and isinstance(expected, Real):
        return _same_number(returned, expected)
    if isinstance(returned, np.ndarray) or isinstance(expected, np.ndarray):
        return _same_array(returned, expected)
    if isinstance(returned, list | tuple) and isinstance(expected, list | tuple):
        return len(returned) == len(expected) and all(map(same, returned, expected))
    if isinstance(returned, Mapping) and isinstance(expected, Mapping):
        return returned.keys() == expected.keys() and all(same(returned[key], expected[key]) for key in expected)
    if dataclasses.is_dataclass(expected) and not isinstance(expected, type):
        return type(returned) is type(expected) and all(
            same(getattr(returned, field.name), getattr(expected, field.name)) for field in dataclasses.fields(expected)
        )
    return bool(returned == expected)


def _same_number(returned: Real, expected: Real) -> bool:
    if isinstance(returned, int | np.integer) and isinstance(expected, int | np.integer):
        return int(returned) == int(expected)
    a, b = float(returned), float(expected)
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (math.isnan(a) and math.isnan(b))


def _same_array(returned: object, expected: object) -> bool:
    a, b = np.asarray(returned), np.asarray(expected)
    if a.shape != b.shape:
        return False
    if np.issubdtype(a.dtype, np.number) and np.issubdtype(b.dtype, np.number):
        return bool(np.allclose(a, b, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True))
    return bool(np.array_equal(a, b))


def difference(returned: object, expected: object) -> str:
    """One sentence about where two answers differ first, or ``""`` where seeing both says enough."""
    if isinstance(returned, np.ndarray) and isinstance(expected, np.ndarray) and returned.shape != expected.shape:
        return f"Your array has the shape {returned.shape}, expected is {expected.shape}."
    if isinstance(returned, str) and isinstance(expected, str):
        part = next((i for i, (a, b) in enumerate(zip_longest(returned, expected)) if a != b), 0)
        if part < 40:  # a reader finds an early difference without help
            return ""
        return f"They differ first at character {part}: {returned[part:][:30]!r} is not {expected[part:][:30]!r}."
    if isinstance(returned, list | tuple) and isinstance(expected, list | tuple):
        at = next((i for i, (a, b) in enumerate(zip(returned, expected, strict=False)) if not same(a, b)), None)
        lengths = f"Yours has {_items(returned)}, expected {_items(expected)}" if len(returned) != len(expected) else ""
        first = f"they differ first at index {at}" if at is not None else ""
        if first and _reordered(returned, expected):
            return f"The items are the right ones, in another order: {first}. A set keeps no order."
        return "; ".join(filter(None, (lengths, first))).capitalize() + "." if lengths or first else ""
    if isinstance(returned, np.ndarray) and isinstance(expected, list | tuple):  # it may be an array as well
        return difference(returned.tolist(), expected)
    if _is_number(returned) and _is_number(expected):
        return ""
    if returned is not None and type(returned) is not type(expected):
        return f"Yours is of type {type(returned).__name__}, expected is {type(expected).__name__}."
    return ""


def _reordered(returned: Sequence[object], expected: Sequence[object]) -> bool:
    """Whether both have the same items."""
    left = list(expected)
    for item in returned:
        at = next((i for i, other in enumerate(left) if same(item, other)), None)
        if at is None:
            return False
        del left[at]
    return not left


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _items(values: list[object] | tuple[object, ...]) -> str:
    return "1 item" if len(values) == 1 else f"{len(values)} items"


def changed(before: object, after: object) -> bool:
    """Whether a function changed its argument: ``after`` is the copy that it was given.

    Looks into lists, tuples, sets, dicts and arrays. Other objects are taken to be unchanged, since many of them
    only compare by identity.
    """
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        return len(before) != len(after) or any(map(changed, before, after))
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() != after.keys() or any(changed(before[key], after[key]) for key in before)
    if isinstance(before, np.ndarray) and isinstance(after, np.ndarray):
        return not np.array_equal(before, after, equal_nan=bool(np.issubdtype(before.dtype, np.floating)))
    if isinstance(before, set | str | int | float | bytes | None):
        return before is not after and before != after
    return False
