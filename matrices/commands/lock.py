"""One run at a time for each cache directory."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from matrices.errors import BusyError, InputError


@contextmanager
def only_one(directory: Path) -> Iterator[None]:
    """Hold `run.lock` there. The kernel lets go of it when this process ends, however it ends. Raises BusyError when it
    is held."""
    path = directory / "run.lock"
    try:
        file = path.open("a+b")
    except OSError as error:
        raise InputError(f"{path}: expected a cache directory that can be written to; {error.strerror}; set SANDPROOF_CACHE") from error
    with file:
        if not _lock(file.fileno()):
            raise BusyError(
                f"{path}: another run is under way{_holder(path)}; wait for it, or set SANDPROOF_CACHE to another directory:"
                " each user and each cache directory has one lock"
            )
        file.truncate(0)
        file.write(f"process {os.getpid()}, since {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n".encode())
        file.flush()
        yield


def _holder(path: Path) -> str:
    """` (process 12, since DATE)` as the holder wrote it, or "" where it did not come to that."""
    try:
        with path.open("rb") as file:
            text = file.read(100).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return f" ({text})" if re.fullmatch(r"process \d+, since [0-9TZ:-]+", text) else ""


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 20

    def _lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, _FAR, os.SEEK_SET)  # what is locked there cannot be read, and it is locked from where one stands
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
