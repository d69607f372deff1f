"""`sandproof diff A B`: the cells that changed between two run files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from matrices.build.diff import lines
from matrices.build.load import load_runs
from matrices.build.merge import merge


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("diff", help="the cells that changed between two runs", description=__doc__)
    parser.add_argument("before", type=Path, metavar="A")
    parser.add_argument("after", type=Path, metavar="B")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """0 where nothing changed, 1 where something did, as `diff` does. Different suites can be compared; that is
    said."""
    before, after = (merge(load_runs([path])) for path in (options.before, options.after))
    if before.suite != after.suite:
        print("sandproof diff: the two runs are of different suites", file=sys.stderr)
    changed = list(lines(before, after))
    for line in changed:
        print(line)
    return 1 if changed else 0
