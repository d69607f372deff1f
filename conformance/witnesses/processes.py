"""Witnesses on processes: decoys of the host that must stay as they are, and things of the guest that must be gone."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from conformance.core.attempt import Landing

DECOY = """
import ctypes, os, signal, sys, time
secret = ctypes.create_string_buffer(sys.stdin.readline().strip().encode())
hidden = os.memfd_create("decoy")
os.write(hidden, secret.value)
signal.signal(signal.SIGUSR1, lambda *_: os._exit(42))
print(ctypes.addressof(secret), hidden, flush=True)
time.sleep(120)
"""


class Decoy:
    """A process of the host. `canary` is in its memory and behind descriptor `fd`; `named` is in its argv, `env` in its environment.
    SIGUSR1 ends it with status 42. It ends by itself after two minutes."""

    def __init__(self, canary: str, *, named: str = "decoy", env: dict[str, str] | None = None) -> None:
        self.canary = canary
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", DECOY, named],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env or {},
            cwd="/",
            start_new_session=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(canary.encode() + b"\n")
        self.process.stdin.close()
        address, fd = self.process.stdout.readline().split()
        self.address, self.fd = int(address), int(fd)

    @property
    def pid(self) -> int:
        return self.process.pid

    def look(self, output: bytes) -> Landing:
        status = self.process.poll()
        return Landing(status is not None, "the decoy lives" if status is None else f"the decoy ended with {status}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Survives:
    """Landed when the file still grows after the end of the session. The cookie, a process name, is for finding and ending what is left
    where the sandbox lets names through."""

    def __init__(self, cookie: str, path: Path) -> None:
        self._cookie = cookie
        self._path = path

    def look(self, output: bytes) -> Landing:
        time.sleep(0.15)  # what a signal has hit needs a moment to be gone
        before = self._size()
        time.sleep(0.3)
        grows = self._size() > before
        alive = [pid for pid, name in named_processes() if name == self._cookie]
        return Landing(grows, f"its file {'grows' if grows else 'does not grow'}, {len(alive)} of its processes seen by name")

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def close(self) -> None:
        """End what survived: only processes that carry this scene's own cookie."""
        for pid, name in named_processes():
            if name == self._cookie:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)


def named_processes() -> Iterator[tuple[int, str]]:
    """(pid, name) of every process that this user can see (proc(5), comm)."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                yield int(entry), Path("/proc", entry, "comm").read_text(encoding="utf-8", errors="replace").strip()
