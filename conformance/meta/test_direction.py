"""matrices → conformance → sandbox, and no module that knows both pytest and the operating system."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance

ROOT = Path(conformance.__file__).parent.parent
ORDER = ("sandbox", "conformance", "matrices")
SYSTEM = {"os", "subprocess", "socket", "ctypes", "shutil", "signal", "tempfile", "fcntl", "pty", "select", "selectors"}


def modules(package: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    """Top-level packages of every import, wherever it stands."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level if node.level else (node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("package", ORDER)
def test_imports_go_one_way(package: str) -> None:
    above = {*ORDER[ORDER.index(package) + 1 :], "ci", "."}
    wrong = {name: sorted(imported(tree) & above) for name, tree in modules(package) if imported(tree) & above}
    assert not wrong


def holds_tests(name: str) -> bool:
    return {"meta", "tests"} & set(Path(name).parts) != set()


@pytest.mark.parametrize("package", ORDER)
def test_no_module_knows_pytest_and_the_operating_system(package: str) -> None:
    for name, tree in modules(package):
        if "pytest" in imported(tree) and not holds_tests(name):
            assert not imported(tree) & SYSTEM, name


def test_the_sandbox_knows_nothing_of_pytest() -> None:
    assert [name for name, tree in modules("sandbox") if "pytest" in imported(tree) and not holds_tests(name)] == []


@pytest.mark.parametrize("name", ["agent/agent.py", "core/holder.py"])
def test_what_runs_isolated_needs_the_standard_library_only(name: str) -> None:
    tree = ast.parse((ROOT / "conformance" / name).read_text(encoding="utf-8"))
    assert imported(tree) <= set(sys.stdlib_module_names) | {"__future__"}


def test_tests_are_no_part_of_what_they_test() -> None:
    for package in ORDER:
        for name, tree in modules(package):
            used = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
            assert holds_tests(name) or not any(".meta" in module or ".tests" in module for module in used), name
