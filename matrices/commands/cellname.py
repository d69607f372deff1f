"""How a cell is named on the command line: `ADAPTER|HOST|ATTEMPT` (quoted), or its three parts as three words."""

from __future__ import annotations

import argparse

from matrices.errors import InputError


def add_cell(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cell", nargs="+", metavar="CELL", help="'ADAPTER|HOST|ATTEMPT' or ADAPTER HOST ATTEMPT")


def cell_parts(words: list[str]) -> tuple[str, str, str]:
    """Adapter, host label, attempt id. Raises InputError for anything else."""
    parts = words[0].split("|") if len(words) == 1 else words
    if len(parts) != 3 or not all(parts):
        raise InputError(f"cell: expected 'ADAPTER|HOST|ATTEMPT', as in 'native|linux/user|ID'; got {' '.join(words)!r}")
    return parts[0], parts[1], parts[2]
