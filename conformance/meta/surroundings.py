"""What lies around a run of the suite, before and after it. Run as a program inside a small world of its own (see test_controls.py):
it looks, runs the command in its arguments, looks again, and prints both as JSON. Stdlib only."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SCRATCH = ("/tmp", "/dev/shm", "/var/tmp")


def tree(root: str) -> dict[str, list[int]]:
    """Mode, links, size and modification time of everything below."""
    found = {}
    for directory, names, files in os.walk(root):
        for path in (directory, *(os.path.join(directory, name) for name in (*names, *files))):
            info = os.lstat(path)
            found[path] = [info.st_mode, info.st_nlink, info.st_size, info.st_mtime_ns]
    return found


def names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def processes() -> list[str]:
    """Command names of all processes but this one and process 1."""
    pids = [entry for entry in os.listdir("/proc") if entry.isdigit() and int(entry) not in (1, os.getpid())]
    return sorted(name for pid in pids for name in lines(f"/proc/{pid}/comm"))


LOOKS: dict[str, Callable[[], object]] = {
    "home": lambda: tree(os.environ["HOME"]),
    "checkout": lambda: tree(os.getcwd()),
    "scratch": lambda: {place: names(place) for place in SCRATCH},
    "temporary files": lambda: names(os.environ["TMPDIR"]),
    "scenes": lambda: names(os.path.join(os.environ["SANDPROOF_CACHE"], "scenes")),
    "System V objects": lambda: [lines(f"/proc/sysvipc/{kind}")[1:] for kind in ("shm", "sem", "msg")],
    "mounts": lambda: len(lines("/proc/self/mountinfo")),
    "host name": socket.gethostname,
    "interfaces": lambda: [name for _, name in socket.if_nameindex()],
    "abstract sockets": lambda: [line.split()[-1] for line in lines("/proc/net/unix") if line.split()[-1].startswith("@")],
    "processes": processes,
}


def look() -> dict[str, object]:
    return {what: function() for what, function in LOOKS.items()}


def main() -> None:
    before = look()
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    ends = time.monotonic() + 3
    while processes() and time.monotonic() < ends:  # what was killed needs a moment to be reaped by process 1
        time.sleep(0.05)
    print(json.dumps({"before": before, "after": look(), "code": done.returncode, "said": done.stdout[-4000:]}))


if __name__ == "__main__":
    main()
