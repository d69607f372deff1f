"""Becomes a plain user in a private mount namespace, then the given program. Started by `ci.plainuser` as root, in its own process.

Everything it mounts is seen by this process and its children only and is gone with the last of them; the machine's account files,
`/home` and folders are never written.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ci.view import plan_view

UNAVAILABLE = 120
"""Exit code: the user could not be set up here (the reason is on standard error). No program of ours ends with it."""

# <sched.h>, <sys/mount.h>, <sys/prctl.h> of Linux; the same on every architecture. `os.unshare` came with Python 3.12 only.
_CLONE_NEWNS = 0x00020000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_MS_RELATIME = 1 << 21
_PR_SET_PDEATHSIG = 1
_KEYCTL_JOIN_SESSION_KEYRING = 1
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "ppc64le": 271, "s390x": 280}
"""keyctl(2)'s number by machine, from the kernel's system call tables; libc has no function for it."""


class EnterError(Exception):
    """A step of becoming the user failed. Says what was expected, what was found, what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """Who to become and what to start. `work` holds `home`, `passwd` and `group`; `wanted` must be readable, and the checkout (the
    first of them) is read-only; `argv` is started in the checkout with exactly `env`."""

    name: str
    uid: int
    work: str
    home_parent: str
    wanted: tuple[str, ...]
    argv: tuple[str, ...]
    env: Mapping[str, str]

    def dump(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> Order:
        fields = json.loads(text)
        return cls(**{**fields, "wanted": tuple(fields["wanted"]), "argv": tuple(fields["argv"])})


class _Kernel:
    """The three system calls that Python 3.11 lacks. Each raises EnterError."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)

    def unshare_mounts(self) -> None:
        self._check(self._libc.unshare(_CLONE_NEWNS), "a private mount namespace")

    def mount(self, source: str, target: Path, kind: str = "none", flags: int = 0, data: str = "") -> None:
        arguments = (os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), data.encode())
        self._check(self._libc.mount(*arguments), f"to mount {source} on {target}")

    def die_with_parent(self) -> None:
        self._check(self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "to be ended with the parent")

    def new_session_keyring(self) -> None:
        """As a login does: the user must not possess the keys of root's session. Without effect where the kernel has no keys."""
        number = _KEYCTL.get(os.uname().machine)
        if number is not None:
            self._libc.syscall(ctypes.c_long(number), ctypes.c_int(_KEYCTL_JOIN_SESSION_KEYRING), None)

    @staticmethod
    def _check(result: int, expected: str) -> None:
        if result:
            reason = os.strerror(ctypes.get_errno())
            raise EnterError(
                f"expected {expected}; got: {reason}. In a container, this needs the right to mount (CAP_SYS_ADMIN). "
                "next: run the same command once more as a plain user"
            )


def enter(order: Order) -> None:
    """Never returns: ends as the program, or raises EnterError or OSError."""
    parent = os.getppid()
    os.umask(0o022)
    _build(order, _Kernel())
    os.setgroups([])
    os.setresgid(order.uid, order.uid, order.uid)
    os.setresuid(order.uid, order.uid, order.uid)
    _Kernel().die_with_parent()  # after the change of user, which would undo it
    if os.getppid() != parent:
        raise EnterError("expected the starting command to wait; it has ended. next: start it again")
    _Kernel().new_session_keyring()
    os.chdir(order.wanted[0])
    _check_readable(Path(order.wanted[0]))
    os.execve(order.argv[0], order.argv, dict(order.env))


def _build(order: Order, kernel: _Kernel) -> None:
    kernel.unshare_mounts()
    kernel.mount("none", Path("/"), flags=_MS_REC | _MS_PRIVATE)
    work, home_parent, checkout = Path(order.work), Path(order.home_parent), Path(order.wanted[0])
    view = plan_view((Path(p) for p in order.wanted), home_parent)
    # Sources are held open first: a folder that is covered can no longer be reached by its name.
    sources = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in (*view.binds, *view.copies, checkout)}
    home = os.open(work / "home", os.O_PATH | os.O_CLOEXEC)
    for account_file in ("passwd", "group"):
        kernel.mount(str(work / account_file), Path("/etc") / account_file, flags=_MS_BIND)
    for cover in view.covers:
        kernel.mount("tmpfs", cover, kind="tmpfs", flags=_MS_NOSUID | _MS_NODEV, data="mode=0755")
    for path in view.binds:
        _bind(kernel, sources[path], path)
    for path in view.copies:
        path.parent.mkdir(parents=True, exist_ok=True)
        _copy_open(f"/proc/self/fd/{sources[path]}", path)
    if not any(cover == checkout or cover in checkout.parents for cover in view.covers):
        _bind(kernel, sources[checkout], checkout)
    _bind(kernel, home, home_parent / order.name, read_only=False)
    for cover in view.covers:
        _read_only(kernel, cover)


def _bind(kernel: _Kernel, source: int, target: Path, *, read_only: bool = True) -> None:
    handle = Path(f"/proc/self/fd/{source}")
    if not target.exists():
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        if handle.is_dir():
            target.mkdir(mode=0o755)
        else:
            target.touch(mode=0o644)
    kernel.mount(str(handle), target, flags=_MS_BIND | _MS_REC)
    if read_only:
        _read_only(kernel, target)


def _copy_open(source: str, target: Path) -> None:
    """Copy a file or tree that only root can read, as one that everybody can."""
    if not os.path.isdir(source):
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.stat(source).st_mode & 0o100 else 0o644)
        return
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), target / entry.name)
            else:
                _copy_open(entry.path, target / entry.name)


def _read_only(kernel: _Kernel, target: Path) -> None:
    # Flags that the mount already has must be named again, or a container's kernel refuses to drop them.
    present = os.statvfs(target).f_flag
    kept = present & 0xC0E | (_MS_RELATIME if present & 4096 else 0)
    kernel.mount("none", target, flags=_MS_REMOUNT | _MS_BIND | _MS_RDONLY | kept)


def _check_readable(checkout: Path) -> None:
    for package in ("sandbox", "conformance", "matrices", "ci"):
        for folder, _, files in os.walk(checkout / package, onerror=_closed):
            for name in files:
                if not os.access(os.path.join(folder, name), os.R_OK):
                    _closed(PermissionError(13, "not readable by others", os.path.join(folder, name)))


def _closed(error: OSError) -> None:
    raise EnterError(
        f"expected a checkout that other users may read; got {error.filename}: {error.strerror}. next: chmod -R go+rX ."
    ) from error


def main() -> int:
    try:
        enter(Order.load(sys.argv[1]))
    except EnterError as error:
        print(f"plain user: {error}", file=sys.stderr)
    except OSError as error:
        print(f"plain user: {error} next: see that other users may read the checkout and the Python", file=sys.stderr)
    return UNAVAILABLE


if __name__ == "__main__":
    sys.exit(main())
