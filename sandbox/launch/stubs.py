"""Mount points for denied paths: those that do not exist are made before a launch, gone after it, shared between runs at once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.backends.plan import Stub, StubKind
from sandbox.launch import janitor
from sandbox.policy.paths import is_at_or_below


class StubError(Exception):
    """A stub could not be made, or the journal not be had within 5 s. Says which path."""


class Hold:
    """A share in some mount points. `release` gives it back; the last one to do so takes away what was made."""

    def __init__(self, directory: str, locks: int) -> None:
        self._directory = directory
        self._locks = locks
        self._keeper: subprocess.Popen[bytes] | None = None

    def watch_over(self, info: int) -> None:
        """Start the process that cleans up if this one is killed."""
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(janitor.__file__)), self._directory, str(self._locks), str(info), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(self._locks, info),
            start_new_session=True,
            cwd="/",
            env={},
        )

    def release(self, *, clean: bool = True) -> None:
        """Safe to call twice. `clean=False` leaves the stubs to a later run: something may still be mounted over them."""
        if self._locks < 0:
            return
        try:
            if clean:
                with janitor.held_journal(self._directory) as journal:
                    janitor.clean(journal, self._locks)
                    janitor.give_up(self._locks)
        finally:
            if self._keeper is not None:
                self._keeper.kill()
                self._keeper.wait()
            os.close(self._locks)
            self._locks = -1


def state_dir() -> Path:
    """Where locks and journal lie: private to this user. Raises StubError where it is not."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):  # a relative one is to be ignored (XDG base directory specification)
        base = os.path.expanduser("~/.local/state")
    path = Path(base) / "sandproof" / "stubs"
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = os.lstat(path)
    except OSError as error:
        raise StubError(f"state directory {path}: {error.strerror}; set XDG_STATE_HOME to a directory of yours") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise StubError(f"state directory {path}: expected a directory that is yours and that nobody else may write")
    return path


def hold_stubs(roots: Sequence[str], stubs: Sequence[Stub], state: Path | None = None, *, info: int | None = None) -> Hold:
    """Take a share in the mount points `stubs` below the writable `roots` and make those that are missing.

    `info` is the descriptor that the sandbox reports its child to. Raises StubError; then nothing new is left behind.
    """
    directory = os.path.realpath(state or state_dir())
    if any(is_at_or_below(directory, root) for root in roots):
        raise StubError(f"state directory {directory} lies in a writable root; set XDG_STATE_HOME to a directory outside")
    try:
        locks = os.open(os.path.join(directory, "locks"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StubError(f"stubs: {error}") from error
    hold = Hold(directory, locks)
    own_info = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) if info is None else info
    try:
        with janitor.held_journal(directory) as journal:
            janitor.clean(journal, locks)  # what a killed run and its janitor both left, if nobody mounts over it now
            if not janitor.share(locks, (stub.path for stub in stubs)):
                raise StubError("stubs: a lock that only the holder of the journal takes was taken")
            if any(not os.path.lexists(stub.path) for stub in stubs):
                hold.watch_over(own_info)
            for stub in stubs:
                _make(stub, journal)
    except (OSError, StubError) as error:
        hold.release()
        raise error if isinstance(error, StubError) else StubError(f"stubs: {error}") from error
    finally:
        if info is None:
            os.close(own_info)
    return hold


def _make(stub: Stub, journal: int) -> None:
    """Make one stub beneath its root without following any link (bubblewrap below 0.12 does: a launcher that follows a link
    planted by an earlier run creates files wherever the link points). What is there already must be what the plan was made for."""
    *parents, name = os.path.relpath(stub.path, stub.root).split("/")
    here = janitor.open_beneath(stub.root, parents)
    try:
        made = True
        try:
            if stub.kind is StubKind.DIRECTORY:
                os.mkdir(name, 0o755, dir_fd=here)
            else:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=here))
        except FileExistsError:
            made = False
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
    finally:
        os.close(here)
    fits = stat.S_ISDIR(found.st_mode) if stub.kind is StubKind.DIRECTORY else stat.S_ISREG(found.st_mode)
    if not fits:
        raise StubError(f"stub {stub.path}: expected a {stub.kind}; something else has taken its place")
    if made:
        record = {"root": stub.root, "path": stub.path, "directory": stub.kind is StubKind.DIRECTORY}
        janitor.write(journal, record | {"dev": found.st_dev, "ino": found.st_ino})
