"""Take away the mount points that runs needed on the host. Stdlib only: it also runs alone, as the process that outlives a launcher
which was killed.

A run holds a shared flock(2) on the inode of each mount point that may have to go, because removing one on the host detaches the mount
inside every other run (unlink(2), since Linux 3.18). The lock is on the thing itself, so runs of other users, or with another state
directory, count too. `journal` in the state directory has one JSON line for each stub:
`{"root": …, "path": …, "directory": bool, "dev": …, "ino": …}`. Only what nobody mounts over, is still empty and still the same
inode goes; what the host has filled meanwhile is the host's.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import stat
import sys
import time
from collections.abc import Iterable, Iterator

try:
    import fcntl
except ImportError:  # Windows reads this package too, and launches nothing through it
    pass

WAIT_SECONDS = 5.0


class Busy(OSError):
    """The journal was not free within 5 s."""


def try_lock(fd: int, kind: int) -> bool:
    """`kind`: LOCK_SH or LOCK_EX. On failure a lock that was there before is lost."""
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def give_up(shares: list[int]) -> None:
    """Drop every share. Call with the journal held, so that the last one out is the last one in the journal."""
    while shares:
        share = shares.pop()
        fcntl.flock(share, fcntl.LOCK_UN)  # not only closed: the launcher and its keeper share the lock
        os.close(share)


@contextlib.contextmanager
def held_journal(directory: str) -> Iterator[int]:
    """The journal, open for reading and appending, for one holder at a time. Raises Busy."""
    journal = os.open(
        os.path.join(directory, "journal"), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Busy(f"{directory}/journal was not free within {WAIT_SECONDS:g} s") from None
                time.sleep(0.001)
        yield journal
    finally:
        os.close(journal)


def clean(journal: int) -> None:
    """Remove every journalled stub that nobody mounts over, deepest first; keep the others' records."""
    os.lseek(journal, 0, os.SEEK_SET)
    with os.fdopen(os.dup(journal), "rb") as lines:
        records = [json.loads(line) for line in lines if line.endswith(b"\n")]
    if not records:
        return
    kept = [r for r in sorted(records, key=lambda r: len(r["path"]), reverse=True) if not _remove(r)]
    os.ftruncate(journal, 0)
    for record in kept:
        write(journal, record)


def write(journal: int, record: dict[str, object]) -> None:
    os.write(journal, (json.dumps(record) + "\n").encode("ascii"))


def open_beneath(root: str, parts: Iterable[str]) -> int:
    """A directory below `root`, reached without following any link: whoever may write in the tree may plant one."""
    here = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    for part in parts:
        try:
            below = os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def look(parent: int, name: str) -> int:
    """The entry itself, open for locking: a link is not followed, and a FIFO or device is not waited for."""
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, dir_fd=parent)


def _remove(record: dict[str, object]) -> bool:
    """False if somebody mounts over it. What is gone, replaced, or no longer empty is not ours any more."""
    root, path = str(record["root"]), str(record["path"])
    *parents, name = os.path.relpath(path, root).split("/")
    with contextlib.suppress(OSError), contextlib.ExitStack() as undo:
        parent = open_beneath(root, parents)
        undo.callback(os.close, parent)
        stub = look(parent, name)
        undo.callback(os.close, stub)
        found = os.fstat(stub)
        if (found.st_dev, found.st_ino) != (record["dev"], record["ino"]):
            return True
        if not try_lock(stub, fcntl.LOCK_EX):
            return False
        now = os.stat(name, dir_fd=parent, follow_symlinks=False)
        if (now.st_dev, now.st_ino) != (found.st_dev, found.st_ino):
            return True
        if record["directory"]:
            os.rmdir(name, dir_fd=parent)
        elif stat.S_ISREG(now.st_mode) and now.st_size == 0:
            os.unlink(name, dir_fd=parent)
    return True


def first_process(info: int) -> int:
    """A pidfd of the sandbox's first process, -1 if it is dead or never was.

    `info` holds what bwrap wrote for `--info-fd`; by its namespace a process that has been given the same number since is told apart.
    """
    try:
        said = json.loads(os.pread(info, 4096, 0) or b"{}")
        pid, namespace = int(said["child-pid"]), said.get("pid-namespace")
        process = os.pidfd_open(pid)
    except (ValueError, KeyError, TypeError, OSError):
        return -1
    with contextlib.suppress(OSError):
        if namespace is not None and os.stat(f"/proc/{pid}/ns/pid").st_ino != namespace:
            os.close(process)
            return -1
    return process


def kill(process: int) -> None:
    """SIGKILL to the first process of a PID namespace, which takes all others along (pid_namespaces(7)). That it dies with its
    launcher is not enough: it is a process inside, and others inside may have reached it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        signal.pidfd_send_signal(process, signal.SIGKILL)


def ends(process: int, seconds: float = WAIT_SECONDS) -> bool:
    """Wait for the death of a first process, and with it of every process in its namespace.

    The program that we started dies first: while its child is still dying, a process inside could write where a mount point has just
    been taken away.
    """
    poll = select.poll()
    poll.register(process, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def main() -> None:
    """Arguments: state directory, descriptor of the info, the launcher's process id, and a descriptor of each mount point. Waits for
    the launcher's death; a launcher that lives cleans up itself and then kills this."""
    directory, info, launcher = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    shares = [int(word) for word in sys.argv[4:]]
    with contextlib.suppress(OSError):
        parent = os.pidfd_open(launcher)
        poll = select.poll()
        poll.register(parent, select.POLLIN)
        while os.getppid() == launcher and not poll.poll():
            pass
    gone = True
    for _ in range(2):  # the report may be written a moment after the launcher's death, by a program that is just starting
        first = first_process(info)
        if first >= 0:
            kill(first)
            gone = ends(first)
            os.close(first)
        time.sleep(0.1)
    if gone:
        with held_journal(directory) as journal:
            give_up(shares)
            clean(journal)


if __name__ == "__main__":
    main()
