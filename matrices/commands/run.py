"""`sandproof run`: attempts against adapters, on this host, into a run file."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from matrices.build.load import load_runs
from matrices.commands import suite
from matrices.commands.files import cache_dir, must_not_exist, must_take_files, runs_dir
from matrices.commands.launch import Launch, run_suite
from matrices.commands.lock import only_one
from sandbox.host import Host

_MOST_JOBS = 8  # more workers than this wait for each other's namespaces


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("run", help="run attempts against adapters on this host", description=__doc__)
    option = parser.add_argument
    option("--adapter", action="append", metavar="A", help="built-in name, TOML file or module:object; repeatable")
    option("--attempt", action="append", default=[], metavar="ID", help="only this attempt; repeatable")
    option("--repeat", type=_count, default=1, metavar="N", help="shots of every attempt")
    option("--run-file", type=Path, metavar="F", help="a new file; default: in the cache")
    option("--jobs", type=_count, default=min(os.cpu_count() or 1, _MOST_JOBS), metavar="N", help="workers")
    option("--keep-scene", action="store_true", help="leave the scenes where they are")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    host = Host.detect()
    suite.check_attempts(options.attempt)
    adapters = tuple(options.adapter or suite.built_in())
    for text in adapters:
        record, _, unavailable = suite.check_adapter(text, host)
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
    load_runs([run_file])
    print(f"run file: {run_file}\nnext: sandproof matrix, sandproof matrix --html FILE, sandproof gate", file=sys.stderr)
    return status


def default_file(directory: Path, host: Host) -> Path:
    """`20260131T235959Z-linux-root.jsonl`: names sort by time."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return directory / f"{now}-{host.label.replace('/', '-')}.jsonl"


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1; got {text!r}")
    return int(text)
