"""`sandproof explain CELL`: everything that is known of one cell."""

from __future__ import annotations

import argparse
from pathlib import Path

from matrices.build.explain import lines
from matrices.commands.cellname import add_cell, cell_parts
from matrices.commands.select import add_expected, find, say_which, selected


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("explain", help="everything that is known of one cell", description=__doc__)
    add_cell(parser)
    parser.add_argument("--run", dest="runs", action="append", type=Path, default=[], metavar="RUNFILE", help="default: the last run")
    parser.add_argument("--all", action="store_true", help="look in every run file in the cache")
    add_expected(parser)
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    name = "|".join(cell_parts(options.cell))
    matrix, _, paths = selected(options)
    print("\n".join(lines(find(matrix, name, only_last=not options.runs and not options.all))))
    say_which(options, paths)
    return 0
