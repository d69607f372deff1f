"""A host trigger that is an interactive shell must not take the person's terminal, nor stop the run that started it."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

import conformance

TREE = Path(conformance.__file__).parent.parent

TRIGGER = """
import sys
from conformance.core.attempt import HostTrigger
from conformance.core.scene import Scene
from conformance.core.shot import _trigger
scene = Scene()
try:
    worked = _trigger(HostTrigger(argv=("bash", "-i", "-c", "true")), scene)
finally:
    scene.close()
sys.exit(0 if worked else 3)
"""

IN_BACKGROUND = f"""
import subprocess, sys
sys.exit(subprocess.run([sys.executable, "-c", {TRIGGER!r}], process_group=0, timeout=20).returncode)
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on PATH")
def test_an_interactive_trigger_in_the_background_of_a_terminal_ends() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(TREE)
        os.execv(sys.executable, [sys.executable, "-c", IN_BACKGROUND])
    try:
        ends = time.monotonic() + 15
        ended, status = 0, 0
        while not ended and time.monotonic() < ends:
            ended, status = os.waitpid(pid, os.WNOHANG)
            time.sleep(0.05)
        assert ended, "it hangs: a shell has stopped the process group"
        assert os.waitstatus_to_exitcode(status) == 0
    finally:
        if not ended:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(terminal)
