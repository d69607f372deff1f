"""Readable trees. A directory in which something must stay hidden, now or later, is *spelled out*: an empty read-only tmpfs into which
each visible entry is bound, so that what appears on the host afterwards does not appear inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandbox.backends.bubblewrap.files import Files, Kind
from sandbox.policy.paths import is_at_or_below

MOST_ENTRIES = 1000
"""bubblewrap reads its mount table again for each bind: 500 entries take about 1 s, 2,000 about 15 s, and it takes at most 9,000
arguments (bubblewrap.c, MAX_ARGS)."""


class Veil:
    """The read-denied paths, in every spelling, asked quickly."""

    def __init__(self, hidden: Iterable[str]) -> None:
        self._hidden = frozenset(hidden)
        self._above: set[str] = set()
        for path in self._hidden:
            while path not in ("", "/"):
                path = path.rpartition("/")[0] or "/"
                self._above.add(path)

    def hides(self, path: str) -> bool:
        """Is `path` denied itself?"""
        return path in self._hidden

    def covers(self, path: str) -> bool:
        """Is `path` denied, or in something that is?"""
        return any(is_at_or_below(path, hidden) for hidden in self._hidden)

    def touches(self, directory: str) -> bool:
        """Must anything strictly below `directory` stay hidden?"""
        return directory in self._above


def show(root: str, veil: Veil, files: Files, scaffolding: list[str]) -> Iterator[str]:
    """Arguments that show `root` read-only but for what is hidden. Spelled-out directories are added to `scaffolding`, to be made
    read-only once everything is mounted."""
    if not veil.covers(root):
        yield from _show(root, veil, files, scaffolding)


def _show(path: str, veil: Veil, files: Files, scaffolding: list[str]) -> Iterator[str]:
    if files.kind(path) is not Kind.DIRECTORY or not veil.touches(path):
        # `-try`: an entry that goes away before the launch is no reason to fail; denied paths are never bound this way.
        yield from ("--ro-bind-try", path, path)
        return
    scaffolding.append(path)
    yield from ("--tmpfs", path)
    for name in files.entries(path):
        yield from _entry(f"{path.rstrip('/')}/{name}", veil, files, scaffolding)


def _entry(path: str, veil: Veil, files: Files, scaffolding: list[str]) -> Iterator[str]:
    if veil.hides(path):
        return
    kind = files.kind(path)
    if kind is Kind.LINK:
        target = files.target(path)
        if target:
            yield from ("--symlink", target, path)
    elif kind in (Kind.DIRECTORY, Kind.FILE):
        yield from _show(path, veil, files, scaffolding)
    # Sockets, FIFOs and devices are left out: a read-only mount does not stop connect(2) on a socket.


def too_many(root: str, veil: Veil, files: Files) -> int:
    """How many entries would have to be spelled out, if that is more than can be; else 0."""
    count, todo = 0, [root] if veil.touches(root) else []
    while todo:
        directory = todo.pop()
        names = files.entries(directory)
        count += len(names)
        paths = [f"{directory.rstrip('/')}/{name}" for name in names]
        todo += [p for p in paths if veil.touches(p) and not veil.hides(p) and files.kind(p) is Kind.DIRECTORY]
    return count if count > MOST_ENTRIES else 0
