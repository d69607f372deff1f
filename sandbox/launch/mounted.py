"""The kernel's mount table (proc_pid_mountinfo(5)), compared with what a plan expects. Pure."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sandbox.backends.plan import Mounted

DELETED = "//deleted"


@dataclass(frozen=True, slots=True)
class Entry:
    """`device`: major:minor. `root`: the directory of that file system which is seen at `point`."""

    device: str
    root: str
    point: str
    options: frozenset[str]
    type: str


def parse(table: bytes) -> tuple[Entry, ...]:
    """Raises ValueError for a line that is not one of mountinfo's."""
    out = []
    for line in table.splitlines():
        fields = line.split(b" ")
        try:
            type_ = fields[fields.index(b"-", 6) + 1]
            options = frozenset(os.fsdecode(fields[5]).split(","))
            out.append(Entry(os.fsdecode(fields[2]), _plain(fields[3]), _plain(fields[4]), options, os.fsdecode(type_)))
        except (IndexError, ValueError):
            raise ValueError(f"mountinfo: not a line of it: {line!r}") from None
    return tuple(out)


def _plain(field: bytes) -> str:
    if b"\\" in field:
        field = re.sub(rb"\\([0-7]{3})", lambda m: bytes((int(m[1], 8),)), field)
    return os.fsdecode(field)


def difference(expected: Sequence[Mounted], seen: Iterable[Entry], host: Iterable[Entry]) -> str:
    """What is mounted and should not be, or the other way round; "" if all is as planned.

    `host` is the table that the binds were made from. A mount that nobody planned is right only where it came along with a planned
    bind: the host has the same thing at the same place.
    """
    at: dict[str, list[Entry]] = defaultdict(list)
    for entry in host:
        at[entry.point].append(entry)
    planned: dict[str, list[Mounted]] = defaultdict(list)
    for mount in expected:
        planned[mount.point].append(mount)
    found: set[Mounted] = set()
    for entry in seen:
        fits = [mount for mount in planned.get(entry.point, ()) if _fits(mount, entry, at)]
        found.update(fits)
        if not fits and not _came_along(entry, planned, at):
            return f"{entry.root!r} of {entry.device} ({entry.type}, {_access(entry)}) at {entry.point!r} is not in the plan"
    for mount in expected:
        if not mount.optional and mount not in found:
            return f"{mount.source or mount.type!r} is not mounted at {mount.point!r} as planned"
    return ""


def _access(entry: Entry) -> str:
    return "ro" if "ro" in entry.options else "rw"


def _fits(mount: Mounted, entry: Entry, at: Mapping[str, list[Entry]]) -> bool:
    if mount.read_only and "ro" not in entry.options:
        return False
    if not mount.source:
        return entry.type == mount.type and (not mount.root or mount.root == entry.root)
    # What is shown read-only may be replaced on the host at any time; the old one is then still what was at that path.
    root = entry.root.removesuffix(DELETED) if mount.read_only and mount.optional else entry.root
    return (entry.device, root) in _origins(mount.source, at)


def _origins(source: str, at: Mapping[str, list[Entry]]) -> Iterator[tuple[str, str]]:
    """Where `source` may lie: on which device, and at which path in its file system. A mount hidden by a later one is among them; what
    it hides cannot be reached by anybody."""
    point = source
    while True:
        for entry in at.get(point, ()):
            rest = source[len(point.rstrip("/")) :]
            yield entry.device, (entry.root.rstrip("/") + rest) or "/"
        if point == "/":
            return
        point = point.rpartition("/")[0] or "/"


def _came_along(entry: Entry, planned: Mapping[str, list[Mounted]], at: Mapping[str, list[Entry]]) -> bool:
    if not any((known.device, known.root) == (entry.device, entry.root) for known in at.get(entry.point, ())):
        return False
    point = entry.point
    while point != "/":
        point = point.rpartition("/")[0] or "/"
        if any(mount.source == mount.point for mount in planned.get(point, ())):
            return True
    return False
