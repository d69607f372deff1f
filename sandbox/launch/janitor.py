"""Take away the mount points that runs needed on the host. Stdlib only: it also runs alone, as the process that outlives a launcher
which was killed.

Two files in the state directory. `locks` is empty: a run holds a shared lock on the byte that stands for each path it mounts over
(open file description locks, fcntl(2)), because removing a mount point on the host detaches the mount inside every other run
(unlink(2), since Linux 3.18). `journal` has one JSON line for each stub that was made:
`{"root": …, "path": …, "directory": bool, "dev": …, "ino": …}`. Only what nobody mounts over, is still empty and still the same
inode goes; what the host has filled meanwhile is the host's.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import select
import stat
import struct
import sys
import time
from collections.abc import Iterable, Iterator

WAIT_SECONDS = 5.0


class Busy(OSError):
    """The journal was not free within 5 s."""


def _set_lock(locks: int, kind: int, start: int, length: int) -> bool:
    request = struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0)  # struct flock, 64-bit Linux
    try:
        fcntl.fcntl(locks, fcntl.F_OFD_SETLK, request)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _byte(path: str) -> int:
    return int.from_bytes(hashlib.sha256(os.fsencode(path)).digest()[:8], "big") >> 2


def share(locks: int, paths: Iterable[str]) -> bool:
    """Hold every path shared. Call with the journal held."""
    return all([_set_lock(locks, fcntl.F_RDLCK, _byte(path), 1) for path in paths])


def give_up(locks: int) -> None:
    """Drop every share. Call with the journal held, so that the last one out is the last one in the journal."""
    _set_lock(locks, fcntl.F_UNLCK, 0, 0)


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


def clean(journal: int, locks: int) -> None:
    """Remove every journalled stub that nobody but `locks` mounts over, deepest first; keep the others' records."""
    os.lseek(journal, 0, os.SEEK_SET)
    with os.fdopen(os.dup(journal), "rb") as lines:
        records = [json.loads(line) for line in lines if line.endswith(b"\n")]
    if not records:
        return
    kept = []
    for record in sorted(records, key=lambda r: len(r["path"]), reverse=True):
        if _set_lock(locks, fcntl.F_WRLCK, _byte(record["path"]), 1):
            _remove(record)
            _set_lock(locks, fcntl.F_UNLCK, _byte(record["path"]), 1)
        else:
            kept.append(record)
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


def _remove(record: dict[str, object]) -> None:
    root, path = str(record["root"]), str(record["path"])
    *parents, name = os.path.relpath(path, root).split("/")
    with contextlib.suppress(OSError):  # gone, replaced, or no longer empty: then it is not ours any more
        parent = open_beneath(root, parents)
        try:
            found = os.stat(name, dir_fd=parent, follow_symlinks=False)
            if (found.st_dev, found.st_ino) != (record["dev"], record["ino"]):
                return
            if record["directory"]:
                os.rmdir(name, dir_fd=parent)
            elif stat.S_ISREG(found.st_mode) and found.st_size == 0:
                os.unlink(name, dir_fd=parent)
        finally:
            os.close(parent)


def wait_gone(info: int, seconds: float = WAIT_SECONDS) -> bool:
    """Wait until the sandbox's first process is dead, and with it every process in its PID namespace (pid_namespaces(7)).

    `info` holds what bwrap wrote for `--info-fd`. The program that we started dies first: while its child is still dying, a process
    inside could write where a mount point has just been taken away. True if it is gone, or never was.
    """
    try:
        said = json.loads(os.pread(info, 4096, 0) or b"{}")
        pid, namespace = int(said["child-pid"]), said.get("pid-namespace")
        process = os.pidfd_open(pid)
    except (ValueError, KeyError, TypeError, OSError):
        return True
    try:
        with contextlib.suppress(OSError):
            if namespace is not None and os.stat(f"/proc/{pid}/ns/pid").st_ino != namespace:
                return True  # the number has been given to somebody else
        poll = select.poll()
        poll.register(process, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(process)


def main() -> None:
    """Arguments: state directory, descriptor of `locks`, descriptor of the info, the launcher's process id. Waits for the launcher's
    death; a launcher that lives cleans up itself and then kills this."""
    directory, locks, info, launcher = sys.argv[1], *map(int, sys.argv[2:5])
    with contextlib.suppress(OSError):
        parent = os.pidfd_open(launcher)
        poll = select.poll()
        poll.register(parent, select.POLLIN)
        while os.getppid() == launcher and not poll.poll():
            pass
    time.sleep(0.2)  # the launcher's death kills the sandbox at once, its processes go a moment later
    if wait_gone(info):
        with held_journal(directory) as journal:
            clean(journal, locks)
            give_up(locks)


if __name__ == "__main__":
    main()
