"""The suite, run by pytest in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matrices.errors import SuiteError

# What fails is told in one line each from the run file, without the source and the objects of the test.
_QUIET = ("-qq", "--tb=no", "-rN")
# Where they are installed, their entry points have these names too, so that pytest takes none twice.
_PLUGINS = ("-p", "conformance.plugin", "-p", "matrices.pytest_gate")


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """What to run. `jobs` is the number of workers; with one there are none beside pytest itself."""

    adapters: Sequence[str]
    attempts: Sequence[str]
    run_file: Path
    repeat: int = 1
    jobs: int = 1
    keep_scene: bool = False


def run_suite(launch: Launch) -> int:
    """0, or 1 where a test failed. Raises SuiteError where the suite did not come to its end or left no run file."""
    Path.cwd()  # pytest cannot start in a directory that is gone, and tells it in many lines; this raises FileNotFoundError
    # Options that a person keeps for other projects must not reach this run.
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    status = subprocess.run(command(launch), env=environment, check=False).returncode
    if status not in (0, 1):
        raise SuiteError(f"expected pytest to end with 0 or 1; got {status}; what it printed says why")
    if not launch.run_file.exists():
        raise SuiteError(f"{launch.run_file}: expected a run file; the suite left none; what pytest printed says why")
    return status


def command(launch: Launch) -> list[str]:
    from conformance.suite import SUITE_PATH

    argv = [sys.executable, "-m", "pytest", *_PLUGINS, "-p", "no:cacheprovider", *_QUIET]
    if launch.jobs > 1:
        argv += ["-n", str(launch.jobs), "--dist", "loadgroup"]
    argv += [part for adapter in launch.adapters for part in ("--adapter", adapter)]
    argv += [part for attempt in launch.attempts for part in ("--attempt", attempt)]
    argv += ["--run-file", str(launch.run_file), "--repeat", str(launch.repeat)]
    return [*argv, *(["--keep-scene"] if launch.keep_scene else []), str(SUITE_PATH)]
