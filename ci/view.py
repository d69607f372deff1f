"""What a fresh user must be shown of a machine whose folders may be closed to it. Pure but for the look at modes and folders.

The user column runs the same interpreter, environment and checkout as root, at the *same paths*: virtual environments, entry points and
shared libraries hold absolute paths. Where such a path lies below a closed folder (`/root`, a `mktemp -d`), that folder is
covered by an empty one, in a private mount namespace, and the wanted path is bound back below it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

NOT_NEEDED = frozenset((".git", "build"))
"""Entries of a closed checkout that the suite does not use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """`covers`: folders to cover with an empty one, none below another. `binds`: paths to put back below them, as they are.
    `copies`: entries that are closed themselves (a checkout made under a private umask); they are put back as open copies."""

    covers: tuple[Path, ...]
    binds: tuple[Path, ...]
    copies: tuple[Path, ...] = ()


def plan_view(wanted: Iterable[Path], home_parent: Path) -> View:
    """`wanted` are resolved paths that the user must be able to read; `home_parent` (`/home`) is covered too, which makes room for a
    home that does not exist on the machine and hides those of others. Raises OSError for a wanted path that is not there."""
    paths = sorted(set(wanted))
    closed = {top for path in paths if (top := _topmost_closed(path)) is not None}
    covers = _outermost(closed | {home_parent})
    parts = _outermost(part for path in paths if _below(path, covers) for part in _open_parts(path))
    closed_parts = tuple(part for part in parts if not _open(part))
    return View(covers=covers, binds=tuple(part for part in parts if part not in closed_parts), copies=closed_parts)


def _topmost_closed(path: Path) -> Path | None:
    for ancestor in reversed(path.parents):
        if ancestor != ancestor.parent and not _others(ancestor, stat.S_IXOTH):
            return ancestor
    return None if _open(path) else path


def _open_parts(path: Path) -> tuple[Path, ...]:
    """The path, or its entries where the folder itself is closed: binding a closed folder elsewhere would not open it."""
    return (path,) if _open(path) else tuple(sorted(entry for entry in path.iterdir() if entry.name not in NOT_NEEDED))


def _open(path: Path) -> bool:
    return _others(path, stat.S_IXOTH | stat.S_IROTH) if path.is_dir() else _others(path, stat.S_IROTH)


def _others(path: Path, bits: int) -> bool:
    return os.stat(path).st_mode & bits == bits


def _below(path: Path, folders: Iterable[Path]) -> bool:
    return any(path == folder or folder in path.parents for folder in folders)


def _outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    kept: list[Path] = []
    for path in sorted(paths):
        if not _below(path, kept):
            kept.append(path)
    return tuple(kept)
