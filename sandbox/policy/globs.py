"""Filename globs of the policy: `*` and `?` stay within one path component, `**/` spans any number of them."""

from __future__ import annotations

import re
from functools import cache


def is_glob(text: str) -> bool:
    return "*" in text or "?" in text


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    out: list[str] = []
    position = 0
    while position < len(glob):
        if glob.startswith("**/", position) and (position == 0 or glob[position - 1] == "/"):
            out.append("(?:[^/]+/)*")
            position += 3
        elif glob[position] == "*":
            out.append("[^/]*")
            position += 1
        elif glob[position] == "?":
            out.append("[^/]")
            position += 1
        else:
            out.append(re.escape(glob[position]))
            position += 1
    return re.compile("".join(out), re.DOTALL)


def matches(glob: str, path: str) -> bool:
    """Does the whole of `path` (relative, `/`-separated, no leading slash) match? Letters are compared as they are."""
    return _pattern(glob).fullmatch(path) is not None
