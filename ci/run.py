"""Starts a program of the environment and shows what it says as it says it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ci.paths import ROOT

_PATIENCE = 15.0


def shown(
    argv: Sequence[str | Path], *, take: Callable[[str], None] | None = None, extra: Mapping[str, str] | None = None
) -> int:
    """Run in the checkout without standard input, `extra` added to the environment; give back the exit code.

    Its output goes straight to ours, or line by line, both streams as one, to `take`. An interruption is passed on to the program
    and everything it started, which get 15 seconds to clean up.
    """
    pipe = None if take is None else subprocess.PIPE
    with subprocess.Popen(
        [str(a) for a in argv],
        cwd=ROOT,
        env={**os.environ, **(extra or {})},
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=None if take is None else subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        process_group=None if os.name == "nt" else 0,  # so that the program's own children can be told as well
    ) as process:
        try:
            for line in process.stdout or ():
                if take is not None:
                    take(line.rstrip("\n"))
            return process.wait()
        except BaseException:  # an interruption; it is raised again
            _end(process)
            raise


def _end(process: subprocess.Popen[str]) -> None:
    if os.name == "nt":
        process.terminate()
        return
    _tell(process.pid, signal.SIGINT)
    try:
        process.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    _tell(process.pid, signal.SIGKILL)


def _tell(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass
