"""Witnesses on the file system: a nonce in a file, and before/after snapshots for effects that carry no content."""

from __future__ import annotations

import base64
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from conformance.core.attempt import Landing


@dataclass(frozen=True, slots=True)
class FileHolds:
    """Landed when the file at this *original host path* holds the nonce. Links on the way are followed, as the host's own tools would."""

    path: Path
    nonce: str

    def look(self, output: bytes) -> Landing:
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                return Landing(False, f"{self.path} is not a regular file")
            with self.path.open("rb") as file:
                found = self.nonce.encode() in file.read(1 << 20)
        except OSError as error:
            return Landing(False, f"{self.path}: {error.strerror}")
        return Landing(found, f"{self.path} {'holds' if found else 'does not hold'} the nonce")


@dataclass(frozen=True, slots=True)
class LandedOf:
    """For races: how many of `rounds` appended writes of the nonce reached this path."""

    path: Path
    nonce: str
    rounds: int

    def look(self, output: bytes) -> Landing:
        try:
            count = self.path.read_bytes().count(self.nonce.encode())
        except OSError:
            count = 0
        return Landing(count > 0, f"{count} of {self.rounds} writes landed in {self.path}")


@dataclass(frozen=True, slots=True)
class OutputHolds:
    """Landed when a canary that never entered the guest by us comes out of it, plain or as base64 or hex."""

    canary: str

    def look(self, output: bytes) -> Landing:
        raw = self.canary.encode()
        forms = [raw, raw.hex().encode(), *(base64.b64encode(b"x" * pad + raw)[4 * bool(pad) : -4] for pad in range(3))]
        found = any(form in output for form in forms)
        return Landing(found, "the canary came out" if found else "the canary did not come out")


def snapshot(paths: tuple[Path, ...]) -> dict[str, tuple[object, ...]]:
    """Type, inode, mode, owner, size, modification time and extended attributes of each path and all below it."""
    found: dict[str, tuple[object, ...]] = {}
    for path in paths:
        _record(found, path)
        if path.is_dir() and not path.is_symlink():
            for directory, names, files in os.walk(path):
                for name in (*names, *files):
                    _record(found, Path(directory, name))
    return found


def _record(found: dict[str, tuple[object, ...]], path: Path) -> None:
    try:
        info = path.lstat()
    except OSError as error:
        found[str(path)] = (error.strerror,)
        return
    found[str(path)] = (
        stat.S_IFMT(info.st_mode),
        info.st_ino,
        stat.S_IMODE(info.st_mode),
        info.st_uid,
        info.st_gid,
        info.st_size if stat.S_ISREG(info.st_mode) else 0,
        info.st_mtime_ns if stat.S_ISREG(info.st_mode) else 0,
        info.st_nlink if stat.S_ISREG(info.st_mode) else 0,
        _xattrs(path),
    )


def _xattrs(path: Path) -> tuple[tuple[str, bytes], ...]:
    if not hasattr(os, "listxattr"):
        return ()
    try:
        return tuple((name, os.getxattr(path, name, follow_symlinks=False)) for name in sorted(os.listxattr(path, follow_symlinks=False)))
    except OSError:
        return ()


class TreeChanged:
    """Landed when anything about the named paths differs from when this witness was made."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._before = snapshot(paths)

    def look(self, output: bytes) -> Landing:
        after = snapshot(self._paths)
        changed = sorted(p for p in self._before.keys() | after.keys() if self._before.get(p) != after.get(p))
        shown = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        return Landing(bool(changed), f"changed: {shown}" if changed else "nothing changed")


@dataclass(frozen=True, slots=True)
class Exists:
    """Landed when anything lies at the path, a dangling link included."""

    path: Path

    def look(self, output: bytes) -> Landing:
        found = os.path.lexists(self.path)
        return Landing(found, f"{self.path} {'exists' if found else 'does not exist'}")
