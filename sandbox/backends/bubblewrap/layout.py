"""What must be mounted over a writable tree so that denied paths in it hold: pins, read-only binds, masks, and the stubs under them."""

from __future__ import annotations

from collections.abc import Iterable
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
    """`covers`: path → cover, parents first. `stubs`: what must exist before they can be mounted."""

    covers: tuple[tuple[str, Cover, bool], ...]
    stubs: tuple[Stub, ...]


def link_in_the_way(denied: Denied, files: Files) -> str | None:
    """The first symlink on the way from the root down to the path itself. Such a link lies in a writable directory, so it can be
    replaced, and mount(2) follows it: no mount can hold the name. None where there is none."""
    for step in (*ancestors(denied.path, denied.root), denied.path):
        if files.kind(step) is Kind.LINK:
            return step
    return None


def lay_out(denied: Iterable[Denied], files: Files) -> Layout:
    """Mounts and stubs for the given paths, which have no link in the way."""
    covers: dict[str, Cover] = {}
    stubs: dict[str, Stub] = {}
    for item in denied:
        for step in ancestors(item.path, item.root):
            covers[step] = max(covers.get(step, Cover.PIN), Cover.PIN)
            _stub(stubs, item.root, step, files, StubKind.DIRECTORY)
        covers[item.path] = max(covers.get(item.path, item.cover), item.cover)
        name = item.path.rpartition("/")[2]
        _stub(stubs, item.root, item.path, files, StubKind.DIRECTORY if name in DIRECTORIES else StubKind.FILE)
    ordered = sorted(covers.items())
    kept = [
        (path, cover, _is_directory(path, stubs, files))
        for path, cover in ordered
        if not any(_shadows(above, kind, path, cover) for above, kind in ordered)
    ]
    mounted = {path for path, _, _ in kept}
    return Layout(covers=tuple(kept), stubs=tuple(stubs[p] for p in sorted(stubs) if p in mounted))


def _shadows(above: str, kind: Cover, path: str, cover: Cover) -> bool:
    """Below something read-only a pin would open it again and a second read-only bind adds nothing; below a mask nothing exists."""
    if not is_below(path, above):
        return False
    return kind is Cover.MASK or (kind is Cover.READ_ONLY and cover is not Cover.MASK)


def _stub(stubs: dict[str, Stub], root: str, path: str, files: Files, kind: StubKind) -> None:
    if files.kind(path) is Kind.ABSENT:
        known = stubs.get(path)
        if known is None or kind is StubKind.DIRECTORY:
            stubs[path] = Stub(root=root, path=path, kind=kind)


def _is_directory(path: str, stubs: dict[str, Stub], files: Files) -> bool:
    return stubs[path].kind is StubKind.DIRECTORY if path in stubs else files.kind(path) is Kind.DIRECTORY


def outermost(path: str, roots: Iterable[str]) -> str | None:
    """The outermost of the writable roots that contain `path`: from there down every ancestor could be renamed."""
    containing = [root for root in roots if is_at_or_below(path, root)]
    return min(containing, key=len) if containing else None
