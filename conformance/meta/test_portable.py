"""The catalogue, the claims and the reports are read on every platform, also where Unix's modules are missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import conformance

TREE = Path(conformance.__file__).parent.parent

WITHOUT_UNIX = """
import signal, sys
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
del signal.SIGSYS, signal.SIGKILL
import ctypes
ctypes.CDLL = None
from conformance.adapters.registry import BUILT_IN, load_adapter
from conformance.core.catalogue import load_attempts
from sandbox.host import Host
host = Host(platform="windows")
assert len(load_attempts()) > 60
assert not any(attempt.applies_to(host) for attempt in load_attempts())
for name in BUILT_IN:
    load_adapter(name).record(host)
assert "not offered on this platform" in load_adapter("native").availability(host)
"""


def test_the_suite_is_read_without_unix() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_UNIX], cwd=TREE, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
