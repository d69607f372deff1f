"""`ci/expected.toml`: which hosts belong into a matrix, and what reference backends must show.

hosts = ["linux/root", "linux/user", "macos/user", "windows/user"]

[enforced]                        # reference adapter → globs over attempt ids; each must be `enforced` (ordinary
work: `works`) native = ["fs.*", "proc.*"]       # on every host where the adapter was available

[not-enforced.native]             # exceptions from these globs: attempt id or glob → the reason
"fs.hardlink*" = "refused before start: the rule cannot be held without a filter"

[false-denials.native]            # attempt id or glob → the reason why this denial is accepted
"work.build-in-tmp" = "scratch is private"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from matrices.errors import InputError, near
from sandbox.host import Host

_TABLES = ("hosts", "enforced", "not-enforced", "false-denials")
_Reasons = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """The file as read; `where` is its name for messages."""

    where: str = "no expectation file"
    hosts: tuple[str, ...] = ()
    enforced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_enforced: _Reasons = field(default_factory=dict)
    false_denials: _Reasons = field(default_factory=dict)

    @property
    def adapters(self) -> frozenset[str]:
        """Those that the file speaks of."""
        return frozenset((*self.enforced, *self.not_enforced, *self.false_denials))

    def must_be_enforced(self, adapter: str, attempt: str) -> bool:
        return _match(attempt, self.enforced.get(adapter, ())) and not _match(attempt, self.not_enforced.get(adapter, ()))

    def accepts_denial(self, adapter: str, attempt: str) -> bool:
        return _match(attempt, self.false_denials.get(adapter, ()))


NOTHING_EXPECTED = Expected()


def read_expected(path: Path) -> Expected:
    """Raises InputError for a missing or malformed file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: expected a readable TOML file of expectations; {error}") from error
    for name in table:
        if name not in _TABLES:
            raise InputError(f"{path}: expected {', '.join(_TABLES)}; got {name!r}{near(name, _TABLES)}")
    return Expected(
        where=str(path),
        hosts=_hosts(path, table.get("hosts", [])),
        enforced={adapter: _texts(path, adapter, globs) for adapter, globs in _table(path, table, "enforced").items()},
        not_enforced=_reasons(path, table, "not-enforced"),
        false_denials=_reasons(path, table, "false-denials"),
    )


def unmatched(globs: Iterable[str], attempts: Iterable[str]) -> tuple[str, ...]:
    """The globs that name no attempt: misspelt, or of attempts that were not in the run."""
    ids = tuple(attempts)
    return tuple(glob for glob in globs if not any(fnmatchcase(attempt, glob) for attempt in ids))


def _match(attempt: str, globs: Iterable[str]) -> bool:
    return any(fnmatchcase(attempt, glob) for glob in globs)


def _table(path: Path, table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"{path}: {name}: expected a table; got {type(value).__name__}")
    return value


def _texts(path: Path, name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{path}: {name}: expected an array of text; got {value!r}")
    return tuple(value)


def _hosts(path: Path, value: Any) -> tuple[str, ...]:
    hosts = _texts(path, "hosts", value)
    for host in hosts:
        try:
            Host.parse(host)
        except ValueError as error:
            raise InputError(f"{path}: hosts: {error}") from None
    return hosts


def _reasons(path: Path, table: Mapping[str, Any], name: str) -> _Reasons:
    found = _table(path, table, name)
    for adapter, reasons in found.items():
        if not isinstance(reasons, dict) or not all(isinstance(reason, str) and reason for reason in reasons.values()):
            raise InputError(f"{path}: {name}.{adapter}: expected attempt ids with a reason each; got {reasons!r}")
    return found
