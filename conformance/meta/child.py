"""Run the suite in a process of its own, as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import conformance
from conformance.suite import SUITE_PATH

ROOT = Path(conformance.__file__).parent.parent
PLUGINS = ("-p", "conformance.plugin", "-p", "matrices.pytest_gate")


def environment(**extra: str) -> dict[str, str]:
    """This one's, without what pytest and its workers leave in it; the tree can be imported from anywhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    path = os.pathsep.join((str(ROOT), *(entry for entry in sys.path if entry)))
    return {**kept, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **extra}


def suite(
    *words: str, cwd: Path = ROOT, plugins: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """pytest on the suite's one file. In the tree, the conftest registers the plugins; elsewhere `plugins` has to."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *plugins, str(SUITE_PATH), *words]
    return subprocess.run(command, cwd=cwd, env=environment(**(env or {})), capture_output=True, text=True, timeout=120, check=False)
