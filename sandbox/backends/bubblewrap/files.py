"""A look at the disk. Compiling a policy needs to know what exists; this is all it may ask, and nothing here changes anything."""

from __future__ import annotations

import os
import stat
from enum import StrEnum
from functools import cache


class Kind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"
    ABSENT = "absent"


class Files:
    """The real disk. Tests use a subclass or a scratch directory."""

    def kind(self, path: str) -> Kind:
        """What lies at `path` itself; links are not followed. What cannot be looked at (no permission, a dead network or FUSE mount)
        is `absent` to us: it is not shown, and where it is denied its stub cannot be made."""
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            return Kind.ABSENT
        if stat.S_ISLNK(mode):
            return Kind.LINK
        if stat.S_ISDIR(mode):
            return Kind.DIRECTORY
        return Kind.FILE if stat.S_ISREG(mode) else Kind.OTHER

    def entries(self, directory: str) -> tuple[str, ...]:
        """Names in a directory, sorted; none where it may not be listed."""
        try:
            return tuple(sorted(os.listdir(directory)))
        except OSError:
            return ()

    def target(self, link: str) -> str:
        """Where a link points; "" if it is gone meanwhile."""
        try:
            return os.readlink(link)
        except OSError:
            return ""

    def real(self, path: str) -> str:
        """The symlink-free spelling; components that do not exist stay as written."""
        return os.path.realpath(path)

    def links_on(self, path: str) -> tuple[tuple[str, str], ...]:
        """Every symlink met on the way to `path`, as (absolute path of the link, its target), in the order met; at most 40
        (the kernel's own limit, path_resolution(7))."""
        found: list[tuple[str, str]] = []
        done, rest = "", [part for part in path.split("/") if part]
        while rest and len(found) < 40:
            part = rest.pop(0)
            if part == "..":
                done = os.path.dirname(done)
                continue
            here = f"{done}/{part}"
            if self.kind(here) is not Kind.LINK:
                done = here
                continue
            target = self.target(here)
            found.append((here, target))
            rest = [p for p in target.split("/") if p and p != "."] + rest
            if target.startswith("/"):
                done = ""
        return tuple(found)


class Glance(Files):
    """Asks another `Files` each question once: a plan is made from one look at the disk."""

    def __init__(self, files: Files) -> None:
        self.kind = cache(files.kind)  # type: ignore[method-assign]
        self.entries = cache(files.entries)  # type: ignore[method-assign]
        self.target = cache(files.target)  # type: ignore[method-assign]
        self.real = cache(files.real)  # type: ignore[method-assign]
