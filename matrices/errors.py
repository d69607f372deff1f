"""Bad input, told in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 5


class InputError(Exception):
    """Something a person gave cannot be used.

    The message is one line: where, what was expected, what came, what to do next. `exit_code` is that of the command.
    """

    exit_code = 2


class BusyError(InputError):
    """Another run is under way in this cache directory."""

    exit_code = 3


class SuiteError(InputError):
    """The suite could not be run to its end."""

    exit_code = 4


def near(word: str, known: Iterable[str]) -> str:
    """`; near matches: a, b` for a misspelt or unfinished word, or "" where nothing is near."""
    words = list(known)
    inside = [each for each in words if word and word in each]
    matches = dict.fromkeys([*difflib.get_close_matches(word, words, n=_MOST, cutoff=0.5), *inside])
    return f"; near matches: {', '.join(list(matches)[:_MOST])}" if matches else ""
