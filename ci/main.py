"""The command line of `python3 -m ci`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from ci import matrix, run, say, system, venv
from ci.checks import Checks
from ci.say import Stop


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 done, 1 a step failed or a check found something, 2 usage, 130 interrupted."""
    options = _parser().parse_args(argv)
    for number in ("SIGINT", "SIGTERM", "SIGHUP"):  # also where they were ignored, as in the background of a script
        if hasattr(signal, number):
            signal.signal(getattr(signal, number), _interrupt)
    try:
        system.prepare(asked=options.install_system)
        python = venv.ensure()
        if options.command == "bench":
            return run.shown((python, "-m", "ci.bench"))
        if options.command == "test":
            return Checks(python=python, jobs=options.jobs).all()
        return matrix.matrix(python, options.jobs)
    except Stop as error:
        say.stop(error)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Ask to end in the same way as Ctrl-C does, so that everything is cleaned up on the way out."""
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m ci",
        description="Sets up this checkout (a .venv beside the sources; system packages as root or when asked), then runs.",
    )
    parser.add_argument(
        "command",
        choices=("matrix", "test", "bench"),
        help="matrix: attack the sandboxes that this machine has and show claimed against observed; test: check the project "
        "itself; bench: costs as ratios",
    )
    parser.add_argument(
        "--install-system", action="store_true", help="install missing system packages (bubblewrap, socat, git) with sudo"
    )
    parser.add_argument(
        "--jobs", type=_positive, default=matrix.default_jobs(), metavar="N", help="attempts at once (default: %(default)s)"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 8 * (os.cpu_count() or 1):
        raise argparse.ArgumentTypeError(f"expected a number from 1 to {8 * (os.cpu_count() or 1)}; got {text!r}")
    return number
