"""What the process sees: the bubblewrap arguments that build its file system, in order.

A path that may be written is a bind of itself. A directory in which something must stay hidden, now or later, is *spelled out*: an empty
read-only tmpfs into which each visible entry is bound, so that what appears on the host afterwards does not appear inside.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.backends.bubblewrap.files import Files, Kind
from sandbox.backends.bubblewrap.layout import Cover, Layout
from sandbox.backends.bubblewrap.world import World
from sandbox.policy.paths import is_at_or_below, is_below
from sandbox.policy.rules import Policy, RuleKind

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
"""Where a distribution keeps programs and their settings. Nothing else of the host is seen unless a rule names it."""

HOST_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")


def mount_arguments(policy: Policy, world: World, layout: Layout, files: Files) -> tuple[str, ...]:
    """All mounts, parents before children, links last, then everything that was only scaffolding made read-only."""
    return tuple(_mounts(policy, world, layout, files))


def _mounts(policy: Policy, world: World, layout: Layout, files: Files) -> Iterator[str]:
    confined = policy.has(RuleKind.FS_READ_CONFINE) and policy.has(RuleKind.FS_CONFINE)
    yield from _base(policy, files)
    yield from _process_and_devices(policy)
    scaffolding: list[str] = ["/"] if confined else []
    for root in _outer(world.readable):
        yield from _readable(root, world, files, scaffolding)
    for root in sorted(world.writable):
        yield from ("--bind", root, root)
    yield from _covers(layout)
    yield from _links(world, files, confined)
    for directory in reversed(scaffolding):
        yield from ("--remount-ro", directory)


def _base(policy: Policy, files: Files) -> Iterator[str]:
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
                yield from ("--ro-bind", path, path)


def _process_and_devices(policy: Policy) -> Iterator[str]:
    if policy.has(RuleKind.PROC_ISOLATE):
        yield from ("--proc", "/proc")
        # Files below /proc/sys belong to uid 0 and their mode lets uid 0 write even without a capability (sysctl, fs/proc/proc_sysctl.c).
        yield from ("--ro-bind", "/proc/sys", "/proc/sys")
    else:
        yield from ("--bind", "/proc", "/proc")
    yield from ("--dev", "/dev")
    for path in HOST_SCRATCH:
        if not policy.has(RuleKind.FS_SCRATCH_PRIVATE):
            yield from ("--bind-try", path, path)
        elif path != "/dev/shm":  # --dev has made a private one already
            yield from ("--perms", "1777", "--tmpfs", path)


def _outer(roots: tuple[str, ...]) -> list[str]:
    return sorted(root for root in roots if not any(is_below(root, other) for other in roots))


def _readable(root: str, world: World, files: Files, scaffolding: list[str]) -> Iterator[str]:
    if any(is_at_or_below(root, hidden) for hidden in world.hidden):
        return
    if files.kind(root) is not Kind.DIRECTORY:
        yield from ("--ro-bind", root, root)
        return
    if not any(is_below(hidden, root) for hidden in world.hidden):
        yield from ("--ro-bind", root, root)
        return
    scaffolding.append(root)
    yield from ("--tmpfs", root)
    for name in files.entries(root):
        yield from _entry(f"{root.rstrip('/')}/{name}", world, files, scaffolding)


def _entry(path: str, world: World, files: Files, scaffolding: list[str]) -> Iterator[str]:
    if path in world.hidden:
        return
    kind = files.kind(path)
    if kind is Kind.LINK:
        yield from ("--symlink", files.target(path), path)
    elif kind is Kind.DIRECTORY:
        yield from _readable(path, world, files, scaffolding)
    elif kind is Kind.FILE:
        yield from ("--ro-bind", path, path)
    # Sockets, FIFOs and devices are left out: a read-only mount does not stop connect(2) on a socket.


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
