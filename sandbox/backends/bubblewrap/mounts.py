"""What the process sees: the bubblewrap arguments that build its file system, in order. A path that may be written is a bind of
itself; what may be read is in `shown`; what is denied inside a writable tree is in `layout`."""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.backends.bubblewrap.files import Files, Kind
from sandbox.backends.bubblewrap.layout import Cover, Layout
from sandbox.backends.bubblewrap.shown import Veil, show
from sandbox.backends.bubblewrap.world import HOST_SCRATCH, SYSTEM, World
from sandbox.policy.paths import is_at_or_below, is_below
from sandbox.policy.rules import Policy, RuleKind


def mount_arguments(policy: Policy, world: World, layout: Layout, files: Files, *, root: bool = False) -> tuple[str, ...]:
    """All mounts, parents before children, links last, then everything that was only scaffolding made read-only."""
    return tuple(_mounts(policy, world, layout, files, root))


def _mounts(policy: Policy, world: World, layout: Layout, files: Files, root: bool) -> Iterator[str]:
    confined = policy.has(RuleKind.FS_READ_CONFINE) and policy.has(RuleKind.FS_CONFINE)
    scaffolding: list[str] = ["/"] if confined else []
    veil = Veil(world.hidden)
    yield from _base(policy, veil, files, scaffolding)
    yield from _process_and_devices(policy, root)
    # What lies in a writable root is seen with it, and the covers below hide what is denied there.
    outside = [root for root in world.readable if not any(is_at_or_below(root, w) for w in world.writable)]
    for place in _outer(outside):
        yield from show(place, veil, files, scaffolding)
    for place in sorted(world.writable):
        yield from ("--bind", place, place)
    yield from _covers(layout)
    yield from _links(world, files, confined)
    for directory in reversed(scaffolding):
        if not any(is_at_or_below(directory, root) for root in world.writable):
            yield from ("--remount-ro", directory)


def _base(policy: Policy, veil: Veil, files: Files, scaffolding: list[str]) -> Iterator[str]:
    if not policy.has(RuleKind.FS_CONFINE):
        yield from ("--bind", "/", "/")
    elif not policy.has(RuleKind.FS_READ_CONFINE):
        yield from ("--ro-bind", "/", "/")
    else:
        for path in SYSTEM:
            kind = files.kind(path)
            if kind is Kind.LINK:
                yield from ("--symlink", files.target(path), path)
            elif kind is Kind.DIRECTORY:
                yield from show(path, veil, files, scaffolding)


def _process_and_devices(policy: Policy, root: bool) -> Iterator[str]:
    if policy.has(RuleKind.PROC_ISOLATE):
        yield from ("--proc", "/proc")
        # Files below /proc/sys belong to uid 0 and their mode lets uid 0 write even without a capability (sysctl, fs/proc/proc_sysctl.c).
        yield from ("--ro-bind", "/proc/sys", "/proc/sys")
        # Process 1 is bubblewrap's own. By its entry its memory could be written, and its program on the host changed by its owner.
        yield from ("--tmpfs", "/proc/1", "--remount-ro", "/proc/1")
        if root:  # root owns the entries, and the mode of one is the same in every /proc (fs/proc/generic.c, proc_notify_change)
            yield from ("--remount-ro", "/proc")
    else:
        yield from ("--bind", "/proc", "/proc")
    yield from ("--dev", "/dev")
    for path in HOST_SCRATCH:
        if not policy.has(RuleKind.FS_SCRATCH_PRIVATE):
            yield from ("--bind-try", path, path)
        elif path != "/dev/shm":  # --dev has made a private one already
            yield from ("--perms", "1777", "--tmpfs", path)


def _outer(roots: list[str]) -> list[str]:
    return sorted(root for root in roots if not any(is_below(root, other) for other in roots))


def _covers(layout: Layout) -> Iterator[str]:
    for path, cover, directory in layout.covers:
        if cover is Cover.PIN:
            yield from ("--bind", path, path)
        elif cover is Cover.READ_ONLY:
            yield from ("--ro-bind", path, path)
        elif directory:
            yield from ("--perms", "0000", "--tmpfs", path, "--remount-ro", path)
        else:
            # bubblewrap binds with nodev, so opening the null device there is EACCES (mount(8), nodev).
            yield from ("--ro-bind", "/dev/null", path)


def _links(world: World, files: Files, confined: bool) -> Iterator[str]:
    """An allowed root that was written through a link must be found under that spelling too."""
    done: set[str] = set()
    for literal in world.literals:
        for link, target in files.links_on(literal):
            shown = (*world.readable, *world.writable, *(SYSTEM if confined else ()))
            parent = link.rpartition("/")[0] or "/"
            visible = any(is_at_or_below(parent, root) for root in shown)
            if link in done or visible or (not confined and not any(is_at_or_below(parent, s) for s in HOST_SCRATCH)):
                continue
            done.add(link)
            yield from ("--symlink", target, link)
