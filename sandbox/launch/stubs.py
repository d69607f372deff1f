"""Mount points for denied paths that do not exist yet: made before a launch, gone after it, shared between runs at once.

Everyone who runs on a tree holds its lock shared. Removing a mount point on the host would detach the mount inside the other runs
(rename(2), unlink(2) since Linux 3.18), so only the last one out, the one that gets the lock alone, removes.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sandbox.backends.plan import Stub, StubKind
from sandbox.launch import janitor

WAIT_SECONDS = 5.0


class StubError(Exception):
    """A stub could not be made, or the lock not be had within 5 s. Says which path."""


class Hold:
    """A share in the stubs of some trees. `release` gives it back; the last one to do so cleans up."""

    def __init__(self, journals: list[int], keeper: subprocess.Popen[bytes] | None) -> None:
        self._journals = journals
        self._keeper = keeper

    def release(self) -> None:
        for journal in self._journals:
            janitor.clean(journal)
            os.close(journal)
        self._journals = []
        if self._keeper is not None:
            assert self._keeper.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._keeper.stdin.write(b"done")
                self._keeper.stdin.close()
            self._keeper.wait(timeout=WAIT_SECONDS)
            self._keeper = None


def state_dir() -> Path:
    """Where the journals lie: private to this user, never inside a tree that a sandbox may write."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    path = Path(base) / "sandproof" / "stubs"
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def hold_stubs(roots: Sequence[str], stubs: Sequence[Stub], state: Path | None = None) -> Hold:
    """Take a share in `roots` and make the missing `stubs`. Raises StubError; then nothing new is left behind."""
    directory = state or state_dir()
    journals: dict[str, int] = {}
    try:
        for root in dict.fromkeys(roots):
            journals[root] = _open_shared(directory, root)
        keeper = _start_keeper(list(journals.values())) if stubs else None
    except (OSError, StubError) as error:
        for journal in journals.values():
            os.close(journal)
        raise StubError(f"stubs: {error}") from error
    hold = Hold(list(journals.values()), keeper)
    try:
        for stub in stubs:
            _make(stub, journals[stub.root])
    except OSError as error:
        hold.release()
        raise StubError(f"stub {stub.path}: {error}") from error
    return hold


def _open_shared(directory: Path, root: str) -> int:
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    journal = os.open(directory / name, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        janitor.clean(journal)  # what a killed run and its janitor both left, if nobody runs here now
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                fcntl.flock(journal, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StubError(f"the lock of {root} was not free within {WAIT_SECONDS:g} s") from None
                time.sleep(0.01)
            else:
                return journal
    except BaseException:
        os.close(journal)
        raise


def _start_keeper(journals: list[int]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(janitor.__file__)), *map(str, journals)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=journals,
        start_new_session=True,
        cwd="/",
        env={},
    )


def _make(stub: Stub, journal: int) -> None:
    """Make one stub beneath its root without following any link (bubblewrap below 0.12 does: a launcher that follows a link
    planted by an earlier run creates files wherever the link points)."""
    parts = os.path.relpath(stub.path, stub.root).split("/")
    here = os.open(stub.root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            below = os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        try:
            if stub.kind is StubKind.DIRECTORY:
                os.mkdir(parts[-1], 0o755, dir_fd=here)
            else:
                os.close(os.open(parts[-1], os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=here))
        except FileExistsError:
            return  # another run or the host was quicker; then it exists, which is all that is needed
        made = os.stat(parts[-1], dir_fd=here, follow_symlinks=False)
    finally:
        os.close(here)
    record = {"path": stub.path, "directory": stub.kind is StubKind.DIRECTORY, "dev": made.st_dev, "ino": made.st_ino}
    os.write(journal, (json.dumps(record) + "\n").encode("ascii"))
