"""`ci matrix`: the suite against the adapters every machine can try, one column per user, and the report of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ci import run, say
from ci.paths import REPORT, RUNS, shown
from ci.plainuser import PlainUser, PlainUserUnavailable
from ci.say import Stop

ADAPTERS = ("none", "native", "bwrap-naive")


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """What to run: `attempts` are globs of attempt ids, empty for all; `jobs` is how many attempts run at once."""

    adapters: tuple[str, ...] = ADAPTERS
    attempts: tuple[str, ...] = ()
    jobs: int = 1

    def command(self, python: Path, run_file: Path) -> tuple[str, ...]:
        return (
            *(str(python), "-m", "matrices.cli", "run"),
            *(word for adapter in self.adapters for word in ("--adapter", adapter)),
            *(word for attempt in self.attempts for word in ("--attempt", attempt)),
            *("--run-file", str(run_file), "--jobs", str(self.jobs)),
        )


def columns(platform: str, uid: int | None) -> tuple[str, ...]:
    """The users that the suite runs as here: started as root on Linux both, else whoever started it."""
    if platform.startswith("linux") and uid == 0:
        return ("root", "user")
    return ("user",) if uid != 0 else ("root",)


def here() -> tuple[str, ...]:
    return columns(sys.platform, os.geteuid() if hasattr(os, "geteuid") else None)


def observe(python: Path, selection: Selection, folder: Path = RUNS) -> tuple[Path, ...]:
    """Run every column of this machine; the run files, one a column. A column that cannot be made here is left out, and said.

    One after the other: attempts that look at timing and at the process table must not see another column at work.
    Raises Stop when a run did not come to its end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done: list[Path] = []
    for number, column in enumerate(here(), start=1):
        say.step(f"column {number} of {len(here())}: the suite as {'root' if column == 'root' else 'a plain user'}")
        target = folder / f"{column}.jsonl"
        try:
            _column(column, python, selection, target)
        except PlainUserUnavailable as error:
            say.warn(f"the plain-user column is not run: {error.problem}")
            say.warn(f"next: {error.next_step}")
            continue
        done.append(target)
    return tuple(done)


def _column(column: str, python: Path, selection: Selection, target: Path) -> None:
    fresh = target.with_name(f"{column}-{os.getpid()}.jsonl")  # an older run stays until the new one is whole
    try:
        if column == "user" and len(here()) == 2:
            with PlainUser() as user:
                code = user.run(selection.command(python, user.home / fresh.name), _print)
                user.fetch(fresh.name, fresh)
        else:
            code = run.shown(selection.command(python, fresh))
        if code:
            raise Stop(
                f"expected the run of column {column} to end with code 0; got {code}",
                "look at its message above; `python3 -m ci test` tells whether the harness itself works here",
            )
        os.replace(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)


def _print(line: str) -> None:
    print(line, flush=True)


def render(python: Path, runs: Sequence[Path], folder: Path = REPORT) -> None:
    """Print the summary and write the report as HTML, Markdown and JSON. Raises Stop."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {kind: folder / f"matrix.{kind}" for kind in ("html", "md", "json")}
    command = (
        *(str(python), "-m", "matrices.cli", "matrix", *map(str, runs)),
        *("--html", str(files["html"]), "--markdown", str(files["md"]), "--json", str(files["json"])),
    )
    if code := run.shown(command):
        raise Stop(f"expected a report; rendering ended with code {code}", "look at its message above")
    say.step("the report")
    for path in files.values():
        say.note(shown(path))


def gate(python: Path, runs: Sequence[Path]) -> int:
    """The gate's exit code over these runs; it prints what it found."""
    return run.shown((str(python), "-m", "matrices.cli", "gate", *map(str, runs)))


def matrix(python: Path, jobs: int) -> int:
    """Run, render, and say what to do next."""
    runs = observe(python, Selection(jobs=jobs))
    if not runs:
        raise Stop("expected at least one column; none could be run", "see the reasons above")
    render(python, runs)
    files = " ".join(shown(path) for path in runs)
    program = shown(python.with_name("sandproof"))
    say.step("next")
    say.note(f"open {shown(REPORT / 'matrix.html')} in a browser: each cell unfolds to what was seen")
    say.note(f"{program} matrix --cells {files}    one cell a line, to search")
    say.note(f"{program} gate {files}    an exit code for a build")
    say.note(f"{program} adapter new    start the adapter of your own sandbox")
    return 0


def default_jobs() -> int:
    return min(os.cpu_count() or 1, 8)
