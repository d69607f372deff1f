"""Version ranges of claims: `>=0.8`, `>=0.8, <1.0`. Numbers only; a suffix like `-rc1` is not looked at."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from matrices.errors import InputError

_Version = tuple[int, ...]
_NUMBERS = r"[0-9]{1,18}(?:\.[0-9]{1,18})*(?![0-9])"
_PART = re.compile(rf"\s*(>=|<=|==|!=|>|<)\s*({_NUMBERS})\s*")
_OPERATORS: dict[str, Callable[[_Version, _Version], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def check_range(text: str) -> None:
    """Raises InputError for a text that is not a version range."""
    _parts(text)


def in_range(found: str, text: str) -> bool:
    """Is a version as its tool prints it (`bubblewrap 0.8.0`) within the range? An unknown version is in no range."""
    parts = _parts(text)
    numbers = re.search(rf"(?<![0-9]){_NUMBERS}", found)
    if numbers is None:
        return False
    version = _version(numbers[0])
    return all(_OPERATORS[sign](version, bound) for sign, bound in parts)


def _parts(text: str) -> list[tuple[str, _Version]]:
    matches = [_PART.fullmatch(part) for part in text.split(",")]
    parts = [(match[1], _version(match[2])) for match in matches if match is not None]
    if len(parts) != len(matches):
        raise InputError(f"versions: expected comparisons like '>=0.8' or '>=0.8, <1.0'; got {text!r}")
    return parts


def _version(text: str) -> _Version:
    numbers = [int(part) for part in text.split(".")]
    while numbers and numbers[-1] == 0:  # 1.0 and 1 are the same version
        numbers.pop()
    return tuple(numbers)
