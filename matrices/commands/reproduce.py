"""`sandproof reproduce CELL`: that one attempt again, its scene kept, and what was seen."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from matrices.build.explain import lines
from matrices.build.load import load_runs
from matrices.build.merge import merge
from matrices.commands import suite
from matrices.commands.cellname import add_cell, cell_parts
from matrices.commands.files import cache_dir, must_take_files
from matrices.commands.launch import Launch, run_suite
from matrices.commands.lock import only_one
from matrices.commands.run import default_file
from matrices.errors import InputError
from sandbox.host import Host


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("reproduce", help="run one cell again and keep its scene", description=__doc__)
    add_cell(parser)
    parser.add_argument("--adapter", metavar="A", help="TOML file or module:object of the adapter, where it is not built in")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    adapter, host_label, attempt = cell_parts(options.cell)
    host = Host.detect()
    if host.label != host_label:
        raise InputError(f"cell: expected a cell of this host, {host.label}; got {host_label}; run it on such a host")
    suite.check_attempts([attempt])
    if options.adapter is None:
        suite.check_own(adapter)
    text = options.adapter or adapter
    record, _, unavailable = suite.check_adapter(text, host)
    if record.variant != adapter:
        raise InputError(f"--adapter {text}: expected adapter {adapter}; got {record.variant}")
    if unavailable:
        print(f"sandproof reproduce: {record.variant}: adapter-unavailable: {unavailable}", file=sys.stderr)
    run_file = _run_file(host)
    with only_one(cache_dir()):
        status = run_suite(Launch(adapters=[text], attempts=[attempt], run_file=run_file, keep_scene=True))
    matrix = merge(load_runs([run_file]))
    for cell in matrix.cells:
        if (cell.adapter, cell.attempt.id) == (adapter, attempt):
            print("\n".join(lines(cell)))
    return status


def _run_file(host: Host) -> Path:
    """Apart from the runs: one cell must not become the last run that a matrix is made of."""
    directory = cache_dir() / "reproduced"
    directory.mkdir(exist_ok=True)
    must_take_files(directory)
    return default_file(directory, host)
