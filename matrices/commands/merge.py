"""`sandproof merge A B -o F`: run files of several hosts become one JSON matrix."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from matrices.build import columnar
from matrices.build.load import load_runs
from matrices.build.merge import check_no_holes, merge
from matrices.commands.files import must_not_exist, write_new
from matrices.commands.matrix import evidence_path
from matrices.commands.select import add_expected, expectation


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("merge", help="several run files into one JSON matrix", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUNFILE")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="F", help="a new file; the evidence goes beside it")
    add_expected(parser)
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """Stricter than `matrix`: a truncated run is a hole, and holes are not merged."""
    runs = load_runs(options.runs)
    check_no_holes(runs)
    matrix = merge(runs, expectation(options.expected))
    beside = evidence_path(options.output)
    must_not_exist(options.output)
    must_not_exist(beside)
    document, evidence = columnar.render(matrix, beside.name)
    write_new(beside, evidence)
    write_new(options.output, document)
    print(f"json: {options.output}", file=sys.stderr)
    return 0
