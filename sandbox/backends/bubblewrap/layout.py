"""What must be mounted over a writable tree so that denied paths in it hold: pins, read-only binds, masks, and the stubs under them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from sandbox.backends.bubblewrap.files import Files, Kind
from sandbox.backends.plan import Stub, StubKind
from sandbox.policy.baseline import DIRECTORIES
from sandbox.policy.paths import ancestors, is_at_or_below, is_below


class Cover(IntEnum):
    """Weakest first; where two rules meet on a path the strongest wins.

    A PIN is a writable bind of a directory onto itself: a mount point cannot be renamed or removed (EBUSY, rename(2)), so the
    denied path below it cannot be moved away together with its parent.
    """

    PIN = 0
    READ_ONLY = 1
    MASK = 2


@dataclass(frozen=True, slots=True)
class Denied:
    """A path inside a writable root, in its resolved spelling."""

    root: str
    path: str
    cover: Cover


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """`covers`: path, cover, is it a directory; parents first. `stubs`: what must exist, and be of the
    kind that was seen, before they can be mounted."""

    covers: tuple[tuple[str, Cover, bool], ...]
    stubs: tuple[Stub, ...]


def link_in_the_way(denied: Denied, files: Files) -> str | None:
    """The first symlink on the way from the root down to the path itself. Such a link lies in a writable directory, so it can be
    replaced, and mount(2) follows it: no mount can hold the name. None where there is none."""
    for step in (*ancestors(denied.path, denied.root), denied.path):
        if files.kind(step) is Kind.LINK:
            return step
    return None


def _thing_in_the_way(denied: Denied, files: Files) -> str | None:
    """The first step above the path that is neither a directory nor absent, a `.git` file for one. Nothing can exist below it, and
    nothing can take its name while it is a mount point."""
    kinds = ((step, files.kind(step)) for step in ancestors(denied.path, denied.root))
    return next((step for step, kind in kinds if kind not in (Kind.DIRECTORY, Kind.ABSENT)), None)


def lay_out(denied: Iterable[Denied], files: Files) -> Layout:
    """Mounts and stubs for the given paths, which have no link in the way."""
    covers: dict[str, Cover] = {}
    roots: dict[str, str] = {}
    for item in denied:
        blocking = _thing_in_the_way(item, files)
        target, cover = (item.path, item.cover) if blocking is None else (blocking, Cover.READ_ONLY)
        for step in ancestors(target, item.root):
            covers[step] = max(covers.get(step, Cover.PIN), Cover.PIN)
            roots.setdefault(step, item.root)
        covers[target] = max(covers.get(target, cover), cover)
        roots.setdefault(target, item.root)
    ordered = sorted(covers.items())
    kinds = {path: _kind(path, covers, files) for path in covers}
    kept = [
        (path, cover, kinds[path] is StubKind.DIRECTORY)
        for path, cover in ordered
        if not any(_shadows(above, kind, path, cover) for above, kind in ordered)
    ]
    stubs = [Stub(root=roots[path], path=path, kind=kind) for path, _, _ in kept if (kind := kinds[path]) is not None]
    return Layout(covers=tuple(kept), stubs=tuple(stubs))


def _kind(path: str, covers: Mapping[str, Cover], files: Files) -> StubKind | None:
    """What the mount point is, or will be made. None for a socket, FIFO or device: these are there and cannot be made."""
    kind = files.kind(path)
    if kind is Kind.ABSENT:
        above = any(is_below(other, path) for other in covers)
        return StubKind.DIRECTORY if above or path.rpartition("/")[2] in DIRECTORIES else StubKind.FILE
    return {Kind.DIRECTORY: StubKind.DIRECTORY, Kind.FILE: StubKind.FILE}.get(kind)


def _shadows(above: str, kind: Cover, path: str, cover: Cover) -> bool:
    """Below something read-only a pin would open it again and a second read-only bind adds nothing; below a mask nothing exists."""
    if not is_below(path, above):
        return False
    return kind is Cover.MASK or (kind is Cover.READ_ONLY and cover is not Cover.MASK)


def outermost(path: str, roots: Iterable[str]) -> str | None:
    """The outermost of the writable roots that contain `path`: from there down every ancestor could be renamed."""
    containing = [root for root in roots if is_at_or_below(path, root)]
    return min(containing, key=len) if containing else None
