"""`ci matrix`: the suite against the adapters every machine can try, one column per user, and the report of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ci import run, say
from ci.paths import REPORT, shown
from ci.plainuser import PlainUser, PlainUserUnavailable
from ci.say import Stop
from conformance.core.cache import runs_dir

_BUSY = 3  # exit code of `sandproof run`
ADAPTERS = ("none", "native", "bwrap-naive")


def run_command(python: Path, run_file: Path, jobs: int) -> tuple[str, ...]:
    adapters = (word for adapter in ADAPTERS for word in ("--adapter", adapter))
    return (str(python), "-m", "matrices.cli", "run", *adapters, "--run-file", str(run_file), "--jobs", str(jobs), "--quiet-next")


def columns(platform: str, uid: int | None) -> tuple[str, ...]:
    """The users that the suite runs as here: started as root on Linux both, else whoever started it."""
    if platform.startswith("linux") and uid == 0:
        return ("root", "user")
    return ("user",) if uid != 0 else ("root",)


def here() -> tuple[str, ...]:
    return columns(sys.platform, os.geteuid() if hasattr(os, "geteuid") else None)


def observe(python: Path, jobs: int, folder: Path) -> tuple[Path, ...]:
    """Run every column of this machine; the new run files in `folder`, one a column. A column that cannot be made here is left
    out, and said.

    One after the other: attempts that look at timing and at the process table must not see another column at work.
    Raises Stop when a run did not come to its end.
    """
    done: list[Path] = []
    names = here()
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"  # one for all columns: together they are the last run
    for number, column in enumerate(names, start=1):
        say.step(f"column {number} of {len(names)}: the suite as {'root' if column == 'root' else 'a plain user'}")
        target = folder / f"{stamp}-{sys.platform}-{column}.jsonl"
        try:
            _column(python, jobs, target, other_user=column == "user" and len(names) == 2)
        except PlainUserUnavailable as error:
            say.warn(f"the plain-user column is not run: {error.problem}")
            say.warn(f"next: {error.next_step}")
            continue
        done.append(target)
    return tuple(done)


def _column(python: Path, jobs: int, target: Path, *, other_user: bool) -> None:
    if other_user:
        with PlainUser() as user:
            code = user.run(run_command(python, user.home / target.name, jobs), _print)
            if code in (0, 1):
                user.fetch(target.name, target)
                say.note(f"brought back as {shown(target)}")
    else:
        code = run.shown(run_command(python, target, jobs))
    if code == _BUSY:
        raise Stop("the suite did not start; its message above says which run is under way", "wait for that run, then start again")
    if code not in (0, 1):  # 1: the run is whole, and some adapter was caught claiming more than it holds
        raise Stop(
            f"expected the run to come to its end; it ended with code {code}",
            "look at its message above; `python3 -m ci test` tells whether the harness itself works here",
        )


def _print(line: str) -> None:
    print(line, flush=True)


def render(python: Path, runs: Sequence[Path], folder: Path = REPORT) -> None:
    """Print the summary and write the report as HTML, Markdown and JSON. Raises Stop."""
    folder.mkdir(parents=True, exist_ok=True)
    command = (str(python), "-m", "matrices.cli", "matrix", *map(str, runs))
    files = {"--html": folder / "matrix.html", "--markdown": folder / "matrix.md", "--json": folder / "matrix.json"}
    say.step("claimed and observed")
    for options in ((), tuple(str(word) for pair in files.items() for word in pair)):
        if code := run.shown((*command, *options)):
            raise Stop(f"expected a report; rendering ended with code {code}", "look at its message above")


def gate(python: Path, runs: Sequence[Path]) -> int:
    """The gate's exit code over these runs; it prints what it found."""
    return run.shown((str(python), "-m", "matrices.cli", "gate", *map(str, runs)))


def matrix(python: Path, jobs: int) -> int:
    """Run, render, and say what to do next. The run files lie in the cache, where `sandproof` looks for them."""
    runs = observe(python, jobs, runs_dir())
    if not runs:
        raise Stop("expected at least one column; none could be run", "see the reasons above")
    render(python, runs)
    files = " ".join(shown(path) for path in runs)
    program = shown(python.with_name("sandproof"))
    say.step("next")
    say.note(f"open {shown(REPORT / 'matrix.html')} in a browser: each cell unfolds to what was claimed and what was seen")
    say.note(f"search it, one cell a line: {program} matrix --cells {files}")
    say.note(f"all that is known of one cell: {program} explain CELL, and to make it again: {program} reproduce CELL")
    say.note(f"an exit code for a build: {program} gate {files}")
    say.note(f"try your own sandbox: {program} adapter new NAME")
    return 0


def default_jobs() -> int:
    """Two for each processor: an attempt spends about half its time waiting for processes and deadlines."""
    return min(2 * (os.cpu_count() or 1), 8)
