"""`sandproof matrix`: claimed and observed, on the terminal or as a page."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from matrices.build import columnar, markdown, terminal, tsv, webpage
from matrices.build.model import Matrix
from matrices.commands.files import must_not_be_input, program, write
from matrices.commands.select import add_runs, say_which, selected


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("matrix", help="claimed and observed", description=__doc__)
    add_runs(parser)
    parser.add_argument(
        "--cells",
        action="store_true",
        help="one cell a line: adapter host attempt claim observed reason grade honesty, separated by tabs",
    )
    for name in ("markdown", "html", "json"):
        parser.add_argument(f"--{name}", type=Path, metavar="F", help=f"write {name} to F")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    matrix, _, paths = selected(options)
    pages = {name: path for name in ("markdown", "html", "json") if (path := getattr(options, name))}
    for path in pages.values():
        must_not_be_input(path, paths)
    for name, path in pages.items():
        _write(name, path, matrix)
        print(f"{name}: {path}", file=sys.stderr)
    if options.cells:
        for line in tsv.lines(matrix):
            print(line)
    elif not pages:
        print(terminal.render(matrix, shutil.get_terminal_size((100, 24)).columns, program()), end="")
    say_which(options, paths)
    return 0


def _write(name: str, path: Path, matrix: Matrix) -> None:
    if name == "markdown":
        write(path, markdown.render(matrix))
    elif name == "html":
        write(path, webpage.render(matrix))
    else:
        beside = evidence_path(path)
        document, evidence = columnar.render(matrix, beside.name)
        write(beside, evidence)
        write(path, document)


def evidence_path(path: Path) -> Path:
    """Where the evidence lies that a JSON matrix points into."""
    return path.with_name(f"{path.stem}.evidence.jsonl")
