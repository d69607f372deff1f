"""One run at a time for each cache directory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
            raise BusyError(f"{path}: another run is under way; wait for it, or set SANDPROOF_CACHE to another directory")
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
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
