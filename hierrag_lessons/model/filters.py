"""Filters: which documents and nodes a search may find, said in values.

Lesson 18 uses it.

A filter is a mapping from a field to what its value must be; all fields must fit. The store turns it into a filter of
LanceDB; here is what it means.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from hierrag_lessons import checks

Value = str | int | float | bool

_DEEPEST = 20  # AllOf inside AllOf; what reads a filter calls itself for each


@dataclass(frozen=True, slots=True)
class Prefix:
    """In a filter: any text that begins with ``start``, for example ``{"doc_id": Prefix("reports/2024-")}``.

    >>> allows(Prefix("en/"), "en/handbook"), allows(Prefix("en/"), "zh/handbook")
    (True, False)

    Raises ``ValueError`` for what is no text.
    """

    start: str

    def __post_init__(self) -> None:
        checks.text("start", self.start)


@dataclass(frozen=True, slots=True)
class AllOf:
    """In a filter: what each of ``wanted`` allows, for example ``{"speakers": AllOf(("Ann", "Bob"))}``.

    >>> allows(AllOf(("Ann", "Bob")), ["Bob", "Cid"]), allows(AllOf(("Ann", "Bob")), ["Bob", "Ann"])
    (False, True)

    Raises ``ValueError`` for what is no tuple, an empty one, and one inside another more than 20 deep.
    """

    wanted: tuple[Any, ...]

    def __post_init__(self) -> None:
        checks.instance("wanted", self.wanted, tuple)
        if not self.wanted:
            raise ValueError("wanted is empty; give AllOf what a value must all be, for example AllOf(('Ann', 'Bob'))")
        if (depth := _depth(self)) > _DEEPEST:
            raise ValueError(f"wanted is AllOf inside AllOf, {depth} deep; give one AllOf of what they all hold")


Wanted: TypeAlias = Value | Prefix | AllOf | range | Collection[str] | Collection[int] | Collection[float]
"""One value, any of several, a range of numbers, the beginning of a text, or all of several of these."""

Where = Mapping[str, Wanted]


def allows(wanted: Wanted, value: object) -> bool:
    """Whether a filter that asks for ``wanted`` lets ``value`` through.

    >>> allows("7.2", "7.2"), allows(["7.2", "7.3"], "7.4"), allows(range(3, 9), 9), allows("Ann", ["Ann", "Bob"])
    (True, False, False, True)

    Of a value that is a list one member is enough, if it is no list itself. Nothing lets ``None`` through, a value that
    is missing. A range with a step of 1 is everything from its start to before its stop, fractions too; with another
    step it is its numbers.
    """
    if value is None:
        return False
    if isinstance(wanted, AllOf):
        return all(allows(each, value) for each in wanted.wanted)
    if isinstance(value, list | tuple):
        return any(allows(wanted, member) for member in value if not isinstance(member, list | tuple))
    if isinstance(wanted, Prefix):
        return isinstance(value, str) and value.startswith(wanted.start)
    if isinstance(wanted, range) and wanted.step == 1:
        return isinstance(value, int | float) and wanted.start <= value < wanted.stop
    if checks.has_members(wanted):
        return value in wanted
    return value == wanted


def both(first: Where | None, second: Where | None) -> dict[str, Any]:
    """One filter that lets through what both let through.

    >>> both({"year": 2024}, {"page": range(3, 9)})
    {'year': 2024, 'page': range(3, 9)}
    >>> both({"year": 2024}, {"year": [2023, 2024]})
    {'year': AllOf(wanted=(2024, [2023, 2024]))}

    Raises ``ValueError`` for what is no mapping.
    """
    checks.instance("first", first, Mapping, none="no filter")
    checks.instance("second", second, Mapping, none="no filter")
    joined: dict[str, Any] = dict(first or {})
    for name, wanted in (second or {}).items():
        joined[name] = AllOf((joined[name], wanted)) if name in joined else wanted
    return joined


def _depth(wanted: object) -> int:
    return 1 + max(map(_depth, wanted.wanted)) if isinstance(wanted, AllOf) else 0


def frozen(where: Where | None) -> Where:
    """A copy of a filter that nobody can change and that equals other ones, each field with a sorted tuple of values.

    >>> dict(frozen({"year": [2024, 2023], "edition": "7.2"}))
    {'year': (2023, 2024), 'edition': ('7.2',)}
    """
    return MappingProxyType({field: _frozen(wanted) for field, wanted in (where or {}).items()})


def _frozen(wanted: Any) -> Any:
    if isinstance(wanted, AllOf):
        return AllOf(tuple(map(_frozen, wanted.wanted)))
    if isinstance(wanted, range | Prefix):
        return wanted
    values = tuple(wanted) if isinstance(wanted, Collection) and not isinstance(wanted, str) else (wanted,)
    try:
        return tuple(sorted(set(values)))
    except TypeError:  # of several types, which the index refuses
        return values
