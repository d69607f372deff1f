"""`sandproof run`: attempts against adapters, on this host, into a run file."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from conformance.core.runfile import Run
from conformance.core.words import Reason
from matrices.build.load import load_runs
from matrices.commands import suite
from matrices.commands.files import cache_dir, must_not_exist, must_take_files, program, runs_dir
from matrices.commands.launch import Launch, run_suite
from matrices.commands.lock import only_one
from matrices.errors import InputError
from matrices.text import cell, counted, visible
from sandbox.host import Host

_LONGEST = 500  # characters of a problem
_CODES = (
    "Exit codes: 0 the run is whole and no cell is dishonest · 1 it is whole, and a cell overclaims, a reference backend let something"
    " escape, or the harness failed; one line each · 2 bad input; nothing was started · 3 another run is under way · 4 the suite did not"
    " come to its end. What escapes where nothing is claimed fails nothing."
)
_MOST_JOBS = 8  # more workers than this wait for each other's namespaces


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("run", help="run attempts against adapters on this host", description=__doc__, epilog=_CODES)
    option = parser.add_argument
    option("--adapter", action="append", metavar="A", help="built-in name, TOML file or module:object; repeatable")
    option("--attempt", action="append", default=[], metavar="ID", help="only this attempt; repeatable")
    option("--repeat", type=_count, default=1, metavar="N", help="shots of every attempt")
    option("--run-file", type=Path, metavar="F", help="a new file; default: in the cache")
    option("--jobs", type=_count, default=min(os.cpu_count() or 1, _MOST_JOBS), metavar="N", help="workers")
    option("--keep-scene", action="store_true", help="leave the scenes where they are")
    option("--quiet-next", action="store_true", help="do not say where the run file is and what to do with it")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    host = Host.detect()
    suite.check_attempts(options.attempt)
    adapters = tuple(options.adapter or suite.built_in())
    named: dict[str, str] = {}
    for text in adapters:
        record, _, unavailable = suite.check_adapter(text, host)
        if record.variant in named:
            twice = f"{record.variant!r} of {named[record.variant]} and of {text}"
            raise InputError(f"--adapter: expected every id once; got {twice}; leave one out, or give it another id")
        named[record.variant] = text
        if unavailable:
            print(f"sandproof run: {record.variant}: not-run: adapter-unavailable: {unavailable}", file=sys.stderr)
    with only_one(cache_dir()):
        run_file = (options.run_file or default_file(runs_dir(), host)).absolute()
        must_not_exist(run_file)
        must_take_files(run_file.parent)
        launch = Launch(
            adapters=adapters,
            attempts=options.attempt,
            run_file=run_file,
            repeat=options.repeat,
            jobs=options.jobs,
            keep_scene=options.keep_scene,
        )
        status = run_suite(launch)
    (loaded,) = load_runs([run_file])
    told = list(problems(loaded.run))
    made = f"{counted(len(loaded.run.evidence), 'cell')} made, {counted(len(told), 'problem')}"
    print("\n".join((*told, made)), file=sys.stderr)
    if not options.quiet_next:
        # The last one in the cache needs no name.
        us, file = program(), f" {shlex.quote(str(options.run_file))}" if options.run_file else ""
        print(visible(f"run file: {run_file}"), file=sys.stderr)
        print(visible(f"next: {us} matrix{file}, {us} matrix --html FILE{file}, {us} gate{file}"), file=sys.stderr)
    return status


def problems(run: Run) -> Iterator[str]:
    """One line for each cell whose test failed: what was dishonest, or what of the harness broke."""
    from matrices.pytest_gate import pytest_sandproof_evidence  # pytest is needed to run, and not to read reports

    records = {record.variant: record for record in run.header.adapters}
    for evidence in run.evidence:
        told = pytest_sandproof_evidence(evidence=evidence, record=records[evidence.adapter])
        if evidence.verdict.reason is Reason.HARNESS_ERROR:
            told = f"the harness failed: {evidence.note}"
        if told:
            yield cell(f"{evidence.adapter}|{evidence.host}|{evidence.attempt}: {told}", _LONGEST)


def default_file(directory: Path, host: Host) -> Path:
    """`20260131T235959Z-linux-root.jsonl`: names sort by time."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return directory / f"{now}-{host.label.replace('/', '-')}.jsonl"


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1; got {text!r}")
    return int(text)
