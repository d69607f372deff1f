"""Which runs a command speaks of: the files given, the last run, or every run in the cache."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import matrices
from matrices.build.expected import NOTHING_EXPECTED, Expected, read_expected
from matrices.build.load import LoadedRun, load_runs
from matrices.build.merge import merge
from matrices.build.model import Cell, Matrix
from matrices.commands.files import runs_dir
from matrices.errors import InputError, near
from matrices.text import visible


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUNFILE", help="run files; default: the last run in the cache")
    parser.add_argument("--all", action="store_true", help="every run file in the cache; the newest run of each adapter and host")
    add_expected(parser)


def add_expected(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--expected", type=Path, metavar="FILE", help="expected hosts and cells; default: ci/expected.toml of this tree")


def selected(options: argparse.Namespace, *, only_of_ours: bool = False) -> tuple[Matrix, Expected, list[Path]]:
    """The matrix of the selected runs, what is expected of it, and the run files it was made from. `only_of_ours`: where no file of
    expectations was given, the tree's own is left alone unless an adapter that it speaks of took part."""
    if options.all and options.runs:
        raise InputError("--all: expected no run files beside it; give one or the other")
    paths = cached() if options.all else list(options.runs) or last()
    try:
        runs = load_runs(paths)
    except InputError as error:
        if options.runs:
            raise
        raise InputError(f"{error}, or move this one out of the cache") from error
    if options.all:
        runs = _of_one_suite(runs)
    expected = expectation(options.expected)
    if only_of_ours and options.expected is None:
        took_part = {record.variant for loaded in runs for record in loaded.run.header.adapters}
        expected = expected if took_part & expected.adapters else NOTHING_EXPECTED
    matrix = merge(runs, expected, newest_wins=options.all)
    return matrix, expected, paths


def say_which(options: argparse.Namespace, paths: Sequence[Path]) -> None:
    """Where no run file was named, say on stderr which were taken."""
    if not options.runs and not options.all:
        others = len(cached()) - len(paths)
        more = f"; --all speaks of the {others} older run files in the cache as well" if others else ""
        print(visible(f"sandproof {options.command}: of the last run only, {', '.join(map(str, paths))}{more}"), file=sys.stderr)


def expectation(path: Path | None) -> Expected:
    """The file given, else `ci/expected.toml` of the tree that this package was imported from, else nothing."""
    default = Path(matrices.__file__).resolve().parent.parent / "ci" / "expected.toml"
    if path is None and not default.exists():
        return NOTHING_EXPECTED
    return read_expected(path or default)


def cached() -> list[Path]:
    """Every run file in the cache, oldest first: their names begin with a UTC time."""
    found = sorted(runs_dir().glob("*.jsonl"))
    if not found:
        raise InputError(f"{runs_dir()}: expected at least one run file; there is none; next: sandproof run")
    return found


def last() -> list[Path]:
    """The newest run. One command may have made several files of one time: a column for each user (`ci matrix`)."""
    found = cached()
    stamp = found[-1].name.partition("-")[0]
    return [path for path in found if path.name.partition("-")[0] == stamp]


def find(matrix: Matrix, name: str, *, only_last: bool = False) -> Cell:
    """The cell of a name. Raises InputError with near matches; `only_last`: no other run was looked into."""
    cells = {cell.name: cell for cell in matrix.cells}
    if name not in cells:
        others = "; --all looks into the older run files too" if only_last else ""
        raise InputError(f"cell: expected ADAPTER|HOST|ATTEMPT of this run; got {name!r}{near(name, cells)}{others}")
    return cells[name]


def _of_one_suite(runs: Sequence[LoadedRun]) -> tuple[LoadedRun, ...]:
    """The runs of the newest run's suite. Runs of older suites stay in a cache after every update, and that is no
    mistake."""
    newest = max(runs, key=lambda loaded: loaded.run.header.started)
    same = tuple(loaded for loaded in runs if loaded.run.header.suite == newest.run.header.suite)
    if len(same) < len(runs):
        print(
            f"sandproof: {len(runs) - len(same)} of {len(runs)} run files are of another suite and left out",
            file=sys.stderr,
        )
    return same
