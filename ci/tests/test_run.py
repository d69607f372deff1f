"""Starting programs, and ending them and what they started."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from ci import run

posix = pytest.mark.skipif(os.name == "nt", reason="process groups are a POSIX thing")


def test_lines_and_exit_code() -> None:
    lines: list[str] = []
    code = run.shown([sys.executable, "-c", "import sys; print('a'); print('b', file=sys.stderr); sys.exit(3)"], take=lines.append)
    assert code == 3
    assert sorted(lines) == ["a", "b"]


def test_there_is_no_standard_input() -> None:
    lines: list[str] = []
    assert run.shown([sys.executable, "-c", "print(repr(input()))"], take=lines.append) == 1
    assert "EOFError" in lines[-1]


@posix
def test_an_interruption_reaches_the_children_of_the_program(tmp_path: Path) -> None:
    mark = tmp_path / "cleaned"
    child = f"""
import time
try:
    print('up', flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    open({str(mark)!r}, 'w').close()
"""
    program = f"""
import subprocess, sys
process = subprocess.Popen([sys.executable, '-c', {child!r}])
try:
    process.wait()
except KeyboardInterrupt:
    process.wait()
"""

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    started = time.monotonic()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of xdist ignore it, and so would their children
    try:
        with pytest.raises(KeyboardInterrupt):
            run.shown([sys.executable, "-c", program], take=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 10
    assert mark.exists()
