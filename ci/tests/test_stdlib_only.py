"""Nothing of `ci` but its tests and benchmarks may need an installed package: it runs before there are any."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parent.parent
SHARED = {"conformance.core.cache": CI.parent / "conformance" / "core" / "cache.py"}
"""What `ci` may take from the packages; it must keep the same rule."""
BEFORE = [*sorted(CI.glob("*.py")), *SHARED.values()]


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", BEFORE, ids=lambda p: p.name)
def test_imports_the_standard_library_and_itself_only(path: Path) -> None:
    for name in imported(path):
        if name in SHARED:
            continue
        top = name.partition(".")[0]
        assert top == "ci" or top in sys.stdlib_module_names, f"{path.name} imports {name}"
        assert not name.startswith(("ci.bench", "ci.tests")), f"{path.name} imports {name}"


def test_the_start_needs_nothing_installed() -> None:
    """As on a fresh machine: isolated from site-packages (-S) and from the environment (-E)."""
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-m", "ci", "--help"], cwd=CI.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "matrix" in done.stdout


def test_an_older_python_can_read_the_start() -> None:
    for name in ("__init__.py", "__main__.py"):
        ast.parse((CI / name).read_text(encoding="utf-8"), feature_version=(3, 7))
