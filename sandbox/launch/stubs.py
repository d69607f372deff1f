"""Mount points for denied paths: those that do not exist are made before a launch, gone after it, shared between runs at once."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sandbox.backends.plan import Stub, StubKind
from sandbox.launch import janitor
from sandbox.policy.paths import is_at_or_below

try:
    import fcntl
except ImportError:  # Windows reads this package too, and launches nothing through it
    pass


class StubError(Exception):
    """A stub could not be made, or the journal not be had within 5 s. Says which path."""


class Hold:
    """A share in some mount points. `release` gives it back; the last one to do so takes away what was made."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self.shares: list[int] = []
        self._keeper: subprocess.Popen[bytes] | None = None
        self._held = True

    def watch_over(self, info: int) -> None:
        """Start the process that cleans up if this one is killed."""
        words = [self._directory, *map(str, (info, os.getpid(), *self.shares))]
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(janitor.__file__)), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(info, *self.shares),
            start_new_session=True,
            cwd="/",
            env={},
        )

    def release(self, *, clean: bool = True) -> None:
        """Safe to call twice. `clean=False` leaves the stubs to a later run: something may still be mounted over them."""
        if not self._held:
            return
        self._held = False
        try:
            if clean:
                with janitor.held_journal(self._directory) as journal:
                    janitor.give_up(self.shares)
                    janitor.clean(journal)
        finally:
            if self._keeper is not None:
                self._keeper.kill()
                self._keeper.wait()
            janitor.give_up(self.shares)


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
    hold = Hold(directory)
    own_info = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) if info is None else info
    try:
        with janitor.held_journal(directory) as journal:
            janitor.clean(journal)  # what a killed run and its janitor both left, if nobody mounts over it now
            for stub in stubs:
                _take(stub, journal, hold.shares)
            if hold.shares:
                hold.watch_over(own_info)
    except (OSError, StubError) as error:
        hold.release()
        raise error if isinstance(error, StubError) else StubError(f"stubs: {error}") from error
    finally:
        if info is None:
            os.close(own_info)
    return hold


def _take(stub: Stub, journal: int, shares: list[int]) -> None:
    """Make one stub, or find it, beneath its root without following any link (bubblewrap below 0.12 does: a launcher that follows a
    link planted by an earlier run creates files wherever the link points), and take a share in it.

    What is there already must be what the plan was made for. If it is another run's stub, whoever holds it last takes it away.
    """
    *parents, name = os.path.relpath(stub.path, stub.root).split("/")
    here = janitor.open_beneath(stub.root, parents)
    deadline = time.monotonic() + janitor.WAIT_SECONDS
    try:
        while not _try_take(stub, here, name, journal, shares):
            if time.monotonic() > deadline:
                raise StubError(f"stub {stub.path}: somebody keeps it locked or takes it away again and again")
            time.sleep(0.001)
    finally:
        os.close(here)


def _try_take(stub: Stub, here: int, name: str, journal: int, shares: list[int]) -> bool:
    made = _make(stub, here, name)
    with contextlib.ExitStack() as undo:
        try:
            fd = janitor.look(here, name)
        except FileNotFoundError:
            return False
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                raise _other_thing(stub) from error
            if error.errno == errno.EACCES:
                return _unreadable(stub, here, name)
            raise
        undo.callback(os.close, fd)
        found = os.fstat(fd)
        if not _fits(stub, found.st_mode):
            raise _other_thing(stub)
        if not made and not found.st_mode & stat.S_ISVTX:
            return True  # somebody's own: nobody will take it away
        record = {"root": stub.root, "path": stub.path, "directory": stub.kind is StubKind.DIRECTORY}
        janitor.write(journal, record | {"dev": found.st_dev, "ino": found.st_ino})
        if not janitor.try_lock(fd, fcntl.LOCK_SH):
            return False
        try:
            now = os.stat(name, dir_fd=here, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if (now.st_dev, now.st_ino) != (found.st_dev, found.st_ino):
            return False
        undo.pop_all()
        shares.append(fd)
        return True


def _make(stub: Stub, here: int, name: str) -> bool:
    """False if something is there. The sticky bit, without a meaning here, is set from the first moment on: by it other runs, also those
    that share no journal with this one, tell a stub from somebody's own empty file. Inside nobody can set it on what is denied."""
    try:
        if stub.kind is StubKind.DIRECTORY:
            os.mkdir(name, 0o1755, dir_fd=here)
        else:
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o1644, dir_fd=here))
    except FileExistsError:
        return False
    return True


def _fits(stub: Stub, mode: int) -> bool:
    return stat.S_ISDIR(mode) if stub.kind is StubKind.DIRECTORY else stat.S_ISREG(mode)


def _other_thing(stub: Stub) -> StubError:
    return StubError(f"stub {stub.path}: expected a {stub.kind}; something else has taken its place")


def _unreadable(stub: Stub, here: int, name: str) -> bool:
    """What we may not even read is no stub of ours and no other user's: stubs are made readable."""
    if not _fits(stub, os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
        raise _other_thing(stub)
    return True
