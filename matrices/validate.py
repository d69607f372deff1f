"""Does every field hold what its dataclass says?

JSON knows nothing of our types, and neither does an adapter written in Python. The checks are derived from the annotations, so a new
field is checked from its first day.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from matrices.errors import InputError
from matrices.text import cell

_Check = Callable[[Any, str], str]
_MOST = 2**53  # whole numbers up to here are the same in every reader of JSON
_DEEPEST = 8  # levels of a `[claims]` table; it needs three


def check_types(where: str, record: object) -> None:
    """Raises InputError, naming the first field of another type than its annotation says."""
    kind: Any = type(record)
    problem = _check(kind)(record, "")
    if problem:
        raise InputError(f"{where}: {problem}")


@cache
def _check(kind: Any) -> _Check:
    """A check returns "" or what is wrong, for a value and the name of the field that it stands in."""
    if kind in _PLAIN:
        return _plain(*_PLAIN[kind])
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _optional(_check(next(each for each in inner if each is not types.NoneType)))
    if origin is tuple:
        return _tuple(_check(inner[0]))
    if origin is Mapping:
        return _mapping(_check(inner[1]))
    if isinstance(kind, type) and is_dataclass(kind):
        return _record(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _plain(f"one of {', '.join(kind)}", lambda value: isinstance(value, kind))
    raise TypeError(f"no check for {kind!r}; add one to {__name__}")


_PLAIN: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number from 0", lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST),
    float: ("a finite number", lambda value: _is_number(value)),
    Any: ("plain JSON that is not nested deeply", lambda value: _is_json(value, _DEEPEST)),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST and math.isfinite(value)


def _is_json(value: Any, levels: int) -> bool:
    if isinstance(value, dict):
        return levels > 0 and all(isinstance(key, str) and _is_json(inner, levels - 1) for key, inner in value.items())
    if isinstance(value, list):
        return levels > 0 and all(_is_json(inner, levels - 1) for inner in value)
    return value is None or isinstance(value, str | bool) or _is_number(value)


def _plain(expected: str, holds: Callable[[Any], bool]) -> _Check:
    def check(value: Any, name: str) -> str:
        return "" if holds(value) else _wrong(name, expected, value)

    return check


def _optional(inner: _Check) -> _Check:
    return lambda value, name: "" if value is None else inner(value, name)


def _tuple(inner: _Check) -> _Check:
    def check(value: Any, name: str) -> str:
        if not isinstance(value, tuple):
            return _wrong(name, "a list", value)
        return next((problem for i, each in enumerate(value) if (problem := inner(each, f"{name}[{i}]"))), "")

    return check


def _mapping(inner: _Check) -> _Check:
    def check(value: Any, name: str) -> str:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            return _wrong(name, "a table with text for keys", value)
        return next((problem for key, each in value.items() if (problem := inner(each, f"{name}.{cell(key, 60)}"))), "")

    return check


def _record(kind: type) -> _Check:
    fields = [(name, _check(hint)) for name, hint in get_type_hints(kind).items()]

    def check(value: Any, name: str) -> str:
        if not isinstance(value, kind):
            return _wrong(name, kind.__name__, value)
        before = f"{name}." if name else ""
        return next((problem for field, inner in fields if (problem := inner(getattr(value, field), before + field))), "")

    return check


def _wrong(name: str, expected: str, value: Any) -> str:
    """Only small plain values are shown; anything else by its type, as it may be large or nested."""
    shown = cell(repr(value), 60) if isinstance(value, str | float | bool | None) or _is_number(value) else type(value).__name__
    return f"{name or 'record'}: expected {expected}; got {shown}"
