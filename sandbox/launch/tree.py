"""All processes that descend from one, seen from the host through /proc (proc_pid_stat(5)), and signals to all of them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def _parents_and_sessions() -> dict[int, tuple[int, int]]:
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in parentheses may itself hold spaces and parentheses: the fields begin after the last one.
            fields = Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
            found[int(entry)] = (int(fields[1]), int(fields[3]))
    return found


def members(leader: int) -> set[int]:
    """`leader`, what descends from it, and what is still in its session though its parent is gone."""
    table = _parents_and_sessions()
    tree = {pid for pid, (_, session) in table.items() if session == leader or pid == leader}
    while True:
        more = {pid for pid, (parent, _) in table.items() if parent in tree} - tree
        if not more:
            return tree
        tree |= more


def stop(leader: int) -> None:
    """SIGSTOP to the whole tree, again until nobody new has been born meanwhile. In a PID namespace a stop from outside reaches its
    first process too (pid_namespaces(7))."""
    stopped: set[int] = set()
    while new := members(leader) - stopped:
        for pid in new:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
        stopped |= new


def resume(leader: int) -> None:
    for pid in members(leader):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)


def kill(leader: int) -> None:
    """SIGKILL to the whole tree, stopped first so that nothing is born between the look and the blow."""
    stop(leader)
    for pid in members(leader):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
