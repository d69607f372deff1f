"""`sandproof attempts`: what the suite attempts."""

from __future__ import annotations

import argparse

from matrices.commands import suite
from matrices.text import visible


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("attempts", help="list the attempts of the suite", description=__doc__)
    parser.add_argument("--ids", action="store_true", help="only the ids, one a line, sorted")
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """With `--ids` one id a line; else `id severity rule-kind title`, separated by tabs."""
    if options.ids:
        print("\n".join(suite.attempt_ids()))
        return 0
    from conformance.core.catalogue import load_attempts

    for attempt in sorted(load_attempts(), key=lambda each: each.id):
        fields = (attempt.id, str(attempt.severity), str(attempt.violates or "work"), attempt.title)
        print("\t".join(visible(field) for field in fields))
    return 0
