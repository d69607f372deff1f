"""What the commands tell a person: one line a step, and failures that name the next step."""

from __future__ import annotations

import sys


class Stop(Exception):
    """A step that cannot go on. `problem` says what was expected and what was found; `next_step` what the person can do."""

    def __init__(self, problem: str, next_step: str) -> None:
        super().__init__(f"{problem}\nnext: {next_step}")
        self.problem = problem
        self.next_step = next_step


def step(text: str) -> None:
    """Announce work that is about to start."""
    _line(f"==> {text}")


def note(text: str) -> None:
    """A fact worth knowing; nothing is wrong."""
    _line(f"    {text}")


def warn(text: str) -> None:
    """Something is missing or odd, and the command goes on without it."""
    _line(f"  ! {text}")


def stop(error: Stop) -> None:
    """Tell why the command ends here."""
    print(f"stopped: {error.problem}\n   next: {error.next_step}", file=sys.stderr, flush=True)


def _line(text: str) -> None:
    print(text, flush=True)
