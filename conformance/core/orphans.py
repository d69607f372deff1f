"""Processes that a sandbox leaves behind become ours, so that they can be waited for, seen, and ended.

A sandbox that copies its results out in the background would otherwise be judged before it has done so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


class Orphans:
    """What was not here before. `any` looks, `end` kills and reaps; both cost one look at the process table of our own children."""

    def __init__(self) -> None:
        self._before = children()

    def any(self) -> bool:
        self._reap()
        return bool(children() - self._before)

    def end(self) -> None:
        for pid in children() - self._before:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def _reap(self) -> None:
        for pid in children() - self._before:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


@contextlib.contextmanager
def adopted() -> Iterator[Orphans]:
    """Orphans of the enclosed code come to this process (prctl(2), PR_SET_CHILD_SUBREAPER); what is left at the end is killed.
    Elsewhere than on Linux nothing is adopted."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    orphans = Orphans()
    try:
        yield orphans
    finally:
        orphans.end()


def children() -> frozenset[int]:
    """Pids of the children of all our threads (proc(5), task/TID/children); none where the kernel does not tell."""
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.update(int(pid) for pid in task.read_text(encoding="ascii").split())
    return frozenset(found)
