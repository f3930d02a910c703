"""One way to refuse a bad value: a ``ValueError`` that names the parameter, shows the value and says what to give.

Each function returns without a word where the value will do, so that a class calls them in ``__post_init__`` and a
function in its first lines. ``none`` says what None stands for where it is allowed; without it None is refused, too.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from difflib import get_close_matches
from math import inf, isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from reprlib import Repr
from types import UnionType
from typing import Any, TypeGuard, cast, get_args

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 80
_LARGEST = 2**63 - 1  # what arrays and indexes hold
_WHAT = {str: "a text", bool: "True or False", Mapping: "a mapping"}


def whole(
    name: str, value: object, least: int | None = None, most: int | None = None, *, none: str | None = None
) -> None:
    """Refuse anything but a whole number from ``least`` to ``most``, of 63 bits at most; True and 1.0 are none.

    >>> whole("max_size", 400, 1)
    >>> whole("max_size", 0, 1)
    Traceback (most recent call last):
    ValueError: max_size is 0; give 1 or more
    >>> whole("level", "2", 0, none="the leaves")
    Traceback (most recent call last):
    ValueError: level is '2'; give a whole number, 0 or more, or None for the leaves
    """
    if value is None and none is not None:
        return
    if not _is_whole(value):
        raise _refused(name, value, _range("a whole number", least, most), none)
    if not _inside(value, least, most):
        raise _refused(name, value, _range("", least, most), none)
    if not -_LARGEST <= value <= _LARGEST:
        raise _refused(name, value, f"a number of at most 63 bits, {-_LARGEST} to {_LARGEST}", none)


def number(
    name: str,
    value: object,
    least: float | None = None,
    most: float | None = None,
    *,
    above: float | None = None,
    none: str | None = None,
) -> None:
    """Refuse anything but a finite number from ``least`` to ``most``, or more than ``above``; True and NaN are none.

    It is an int or a float. A fraction breaks NumPy's arithmetic, and a float of 16 or 32 bits makes it coarse.

    >>> number("price", 2.5, 0)
    >>> number("threshold", 0, most=1, above=0)
    Traceback (most recent call last):
    ValueError: threshold is 0; give more than 0 and at most 1
    >>> number("price", float("nan"), 0)
    Traceback (most recent call last):
    ValueError: price is nan; give a finite number, 0 or more
    """
    if value is None and none is not None:
        return
    if not _is_whole(value) and not _is_finite(value):
        other = isinstance(value, Real) and not isinstance(value, bool | float) and -inf < cast("Any", value) < inf
        advice = f", as an int or a float: float({name})" if other else ""
        raise _refused(name, value, _range("a finite number", least, most, above), none, advice)
    if _is_whole(value):
        whole(name, value)
    if not _inside(value, least, most, above):
        raise _refused(name, value, _range("", least, most, above), none)


def odd(name: str, value: object) -> None:
    """Refuse anything but an odd whole number, 1 or more: only such a number of things has one in the middle.

    >>> odd("smoothing", 4)
    Traceback (most recent call last):
    ValueError: smoothing is 4; give an odd number, 1 or more
    """
    whole(name, value, 1)
    if _is_whole(value) and value % 2 == 0:
        raise _refused(name, value, "an odd number, 1 or more")


def share(name: str, value: object, *, none: str | None = None) -> None:
    """Refuse anything but a number from 0 to 1.

    >>> share("alpha", 0.7)
    >>> share("alpha", 70)
    Traceback (most recent call last):
    ValueError: alpha is 70; give a number from 0 to 1
    """
    number(name, value, 0, 1, none=none)


def one_of(name: str, value: object, options: Any, *, none: str | None = None) -> None:
    """Refuse anything but one of ``options``: a ``Literal``, an enumeration, or a collection.

    >>> from typing import Literal
    >>> one_of("kind", "md", Literal["text", "markdown", "dialogue"])
    Traceback (most recent call last):
    ValueError: kind is 'md'; give one of text, markdown, dialogue; did you mean 'markdown'?
    """
    if value is None and none is not None:
        return
    allowed = get_args(options) or tuple(options)
    if isinstance(value, Hashable) and not isinstance(value, bool) and value in allowed:
        return
    near = get_close_matches(value.lower(), map(str, allowed), 1, cutoff=0.4) if isinstance(value, str) else []
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise _refused(name, value, f"one of {', '.join(map(str, allowed))}", none, meant)


def text(name: str, value: object, *, none: str | None = None) -> None:
    """Refuse anything but a text, a str; an empty one will do.

    >>> text("query", "When does the lease end?")
    >>> text("query", ["When does the lease end?"])
    Traceback (most recent call last):
    ValueError: query is ['When does the lease end?']; give a text
    """
    instance(name, value, str, none=none)


def texts(name: str, value: object) -> list[str]:
    """The texts as a list. Refuses one text in place of several, and anything in them that is no text.

    >>> texts("queries", ("lease", "rent"))
    ['lease', 'rent']
    >>> texts("queries", "lease")
    Traceback (most recent call last):
    ValueError: queries is 'lease'; give a list of texts
    """
    return each(name, value, str)


def each(name: str, value: object, kind: type) -> list[Any]:
    """The members of ``value`` as a list. Refuses what is no list of ``kind``; a set, too, for it has no order.

    With ``object`` any members will do.

    >>> each("sizes", (1, "2"), int)
    Traceback (most recent call last):
    ValueError: sizes holds '2'; give a list of int
    """
    wanted = {object: "a list", str: "a list of texts"}.get(kind, f"a list of {kind.__name__}")
    unordered = isinstance(value, str | bytes | Mapping | set | frozenset)
    if not isinstance(value, Iterable) or unordered or getattr(value, "ndim", 1) == 0:
        raise _refused(name, value, wanted)
    members = list(value)
    for member in members:
        if not isinstance(member, kind):
            raise ValueError(f"{name} holds {shown(member)}; give {wanted}")
    return members


def instance(name: str, value: object, kind: type | UnionType, *, none: str | None = None) -> None:
    """Refuse anything but an instance of a class.

    >>> instance("metadata", [1], Mapping)
    Traceback (most recent call last):
    ValueError: metadata is [1]; give a mapping
    """
    if not isinstance(value, kind) and (value is not None or none is None):
        raise _refused(name, value, _what(kind), none)


def path(name: str, value: object) -> Path:
    """The path of a file or folder. Refuses what is no path.

    >>> path("path", "notes/lease.md").name
    'lease.md'
    >>> path("path", 3)
    Traceback (most recent call last):
    ValueError: path is 3; give a path, as a text or a pathlib.Path
    """
    if not isinstance(value, str | PathLike):
        raise _refused(name, value, "a path, as a text or a pathlib.Path")
    return Path(value)


def able(name: str, value: object, *methods: str, none: str | None = None) -> None:
    """Refuse what lacks one of ``methods``; a class in place of what it makes, and a text, too.

    >>> able("chunker", "recursive", "chunk")
    Traceback (most recent call last):
    ValueError: chunker is 'recursive'; give an object with the method chunk
    """
    if value is None and none is not None:
        return
    if isinstance(value, type):
        raise _refused(name, value, f"what the class makes: {value.__name__}(...)", none)
    # A text has methods such as encode, and is only the name of what is wanted.
    lacking = [name for name in methods if isinstance(value, str) or not callable(getattr(value, name, None))]
    if lacking:
        raise _refused(name, value, f"an object with the method {' and '.join(lacking)}", none)


def measure(name: str, value: object) -> None:
    """Refuse what cannot measure a text, because it cannot be called.

    >>> measure("measure", len)
    >>> measure("measure", "tokens")
    Traceback (most recent call last):
    ValueError: measure is 'tokens'; give a function from a text to its size, for example count_tokens or len
    """
    if not callable(value):
        raise _refused(name, value, "a function from a text to its size, for example count_tokens or len")


def span(name: str, value: object, size: int) -> None:
    """Refuse what is no span of a text of ``size`` characters.

    >>> from hierrag_lessons.model import Span
    >>> span("within", Span(0, 10), 12)
    >>> span("within", Span(4, 20), 12)
    Traceback (most recent call last):
    ValueError: within is 4-20; give a Span of the text's 12 characters, 0 <= start <= end <= 12
    """
    start, end = getattr(value, "start", None), getattr(value, "end", None)
    given = f"{start}-{end}" if _is_whole(start) and _is_whole(end) else shown(value)
    if not (_is_whole(start) and _is_whole(end) and 0 <= start <= end <= size):
        raise ValueError(f"{name} is {given}; give a Span of the text's {size} characters, 0 <= start <= end <= {size}")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, (int, Integral)) and not isinstance(value, bool)  # int first: it is quick


def has_members(value: object) -> TypeGuard[Collection[Any]]:
    """Whether a value is a collection; no text, and no array without a dimension, which says that it is one.

    >>> has_members({1, 2}), has_members("ab"), has_members(7)
    (True, False, False)
    """
    return isinstance(value, Collection) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def shown(value: object) -> str:
    """Write a value for a message: its ``repr``, cut where it is long or nested."""
    return _SHORT.repr(value)


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and isfinite(value)


def _inside(value: Any, least: float | None, most: float | None, above: float | None = None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most) and (above is None or value > above)


def _range(noun: str, least: float | None, most: float | None, above: float | None = None) -> str:
    """What may be given, in words: "a whole number, 1 or more", or only "1 or more" where there is no noun."""
    if least is not None and most is not None:
        return f"{noun or 'a number'} from {least} to {most}"
    ends = [] if above is None else [f"more than {above}"]
    ends += [] if least is None else [f"{least} or more"]
    ends += [] if most is None else [f"at most {most}"]
    return ", ".join(filter(None, [noun, " and ".join(ends)]))


def _what(kind: type | UnionType) -> str:
    """The class in words: "a text", "a Document", "an Index", "a text or a Path"."""
    if isinstance(kind, UnionType):
        return " or ".join(map(_what, get_args(kind)))
    return _WHAT.get(kind) or f"a{'n' if kind.__name__[0] in 'AEIOaeio' else ''} {kind.__name__}"


def _refused(name: str, value: object, wanted: str, none: str | None = None, advice: str = "") -> ValueError:
    other = "" if none is None else f", or None for {none}"
    return ValueError(f"{name} is {shown(value)}; give {wanted}{other}{advice}")
