"""Take away the mount points that a run needed on the host. Stdlib only: it also runs alone, as the process that outlives a
launcher which was killed.

Journal: one JSON line for each stub, `{"path": …, "directory": bool, "dev": …, "ino": …}`. Only what is still empty and still the same
inode goes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import sys
import time


def clean(journal: int) -> bool:
    """Remove every journalled stub if nobody else shares the lock on this open file; deepest first. False if others do."""
    try:
        fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    with os.fdopen(os.dup(journal), encoding="utf-8") as lines:
        lines.seek(0)
        records = [json.loads(line) for line in lines if line.endswith("\n")]
    for record in sorted(records, key=lambda r: len(r["path"]), reverse=True):
        _remove(record)
    os.ftruncate(journal, 0)
    return True


def _remove(record: dict[str, object]) -> None:
    path = str(record["path"])
    with contextlib.suppress(OSError):  # gone, replaced, or no longer empty: then it is not ours any more
        found = os.lstat(path)
        if (found.st_dev, found.st_ino) != (record["dev"], record["ino"]):
            return
        if record["directory"]:
            os.rmdir(path)
        elif stat.S_ISREG(found.st_mode) and found.st_size == 0:
            os.unlink(path)


def main() -> None:
    """Wait on stdin; `done` means that the launcher has cleaned up. Its end without a word means that it was killed."""
    journals = [int(fd) for fd in sys.argv[1:]]
    if sys.stdin.read(4) == "done":
        return
    time.sleep(0.3)  # the launcher's death kills the sandbox at once; its mounts go a moment later
    for journal in journals:
        clean(journal)


if __name__ == "__main__":
    main()
