"""Where things are in a checkout."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
REPORT = ROOT / "build" / "report"


def venv_program(name: str, venv: Path = VENV) -> Path:
    """A program of the virtual environment, in the place that this platform uses."""
    return venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name


def shown(path: Path) -> str:
    """A path as a person would type it: relative to the folder they are in when it lies below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
