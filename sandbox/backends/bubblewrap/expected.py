"""What must be mounted, read off the arguments that mount it: after the launch the kernel's own table is compared with this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sandbox.backends.plan import Mounted

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
"""What `--dev` binds from the host (bubblewrap.c, SETUP_MOUNT_DEV)."""
COVERED = ("sys", "sysrq-trigger", "irq", "bus")
"""What `--proc` makes read-only where it could be written (bubblewrap.c, SETUP_MOUNT_PROC)."""

WORDS = {"--symlink": 2, "--perms": 1}
"""Options that mount nothing, and how many words follow."""


def expected_mounts(arguments: Sequence[str], real: Callable[[str], str], scratch: Sequence[str]) -> tuple[Mounted, ...]:
    """Raises ValueError for an option that is not known here.

    Paths are taken as written, never resolved: what they were resolved to when the policy was compiled is what must be mounted. Only
    the host's own `scratch` directories may be links.
    """
    out = [Mounted(point="/", type="tmpfs", root="/newroot", optional="/" in _destinations(arguments))]
    words = iter(arguments)
    for option in words:
        if option in ("--bind", "--ro-bind", "--bind-try", "--ro-bind-try"):
            source, point = next(words), next(words)
            if source in scratch:
                source, point = real(source), real(point)
            out.append(Mounted(point=point, source=source, read_only="ro-" in option, optional=option.endswith("-try")))
        elif option == "--tmpfs":
            out.append(Mounted(point=next(words), type="tmpfs"))
        elif option == "--proc":
            point = next(words)
            out.append(Mounted(point=point, type="proc"))
            out += [Mounted(point=f"{point}/{n}", type="proc", root=f"/{n}", read_only=True, optional=True) for n in COVERED]
        elif option == "--dev":
            out += _devices(next(words))
        elif option == "--remount-ro":
            point = next(words)
            last = max(i for i, mount in enumerate(out) if mount.point == point)
            out[last] = replace(out[last], read_only=True)
        elif option in WORDS:
            for _ in range(WORDS[option]):
                next(words)
        else:
            raise ValueError(f"expected mounts: unknown option {option!r}")
    return tuple(out)


def _destinations(arguments: Sequence[str]) -> set[str]:
    return {arguments[i + 2] for i, word in enumerate(arguments[:-2]) if word in ("--bind", "--ro-bind")}


def _devices(point: str) -> list[Mounted]:
    nodes = [Mounted(point=f"{point}/{name}", source=f"/dev/{name}", device=True) for name in DEVICES]
    # The console is the launcher's terminal, where standard output is one.
    console = [Mounted(point=f"{point}/console", type=kind, root="", optional=True) for kind in ("devpts", "devtmpfs")]
    return [Mounted(point=point, type="tmpfs"), *nodes, Mounted(point=f"{point}/pts", type="devpts"), *console]
