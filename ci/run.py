"""Starts a program of the environment and shows what it says as it says it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ci.paths import ROOT


def shown(argv: Sequence[str | Path], *, take: Callable[[str], None] | None = None) -> int:
    """Run in the checkout without standard input; give back the exit code.

    Its output goes straight to ours, or line by line, both streams as one, to `take`.
    """
    command = [str(a) for a in argv]
    if take is None:
        return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            take(line.rstrip("\n"))
    return process.returncode
