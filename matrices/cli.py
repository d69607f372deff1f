"""The `sandproof` command.

Exit codes: 0 done · 1 `run`, `reproduce`: a test failed; `diff`: something changed · 2 usage or bad input, also an adapter
whose own code fails and a file or directory that cannot be used · 3 another run is under way · 4 the suite could not be
run to its end · 6 `adapter check`: the adapter cannot be used here · 10 to 16 `gate`, see there · 130 interrupted. Bad
input is one line on stderr, and nothing has been written over.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from matrices.commands import adapter, attempts, diff, explain, gate, matrix, merge, probe, reproduce, run
from matrices.errors import InputError
from matrices.text import cell, visible

_LONGEST = 2000  # characters of a message; it may quote a file
_COMMANDS = (probe, attempts, run, matrix, merge, gate, diff, explain, reproduce, adapter)


class _Parser(argparse.ArgumentParser):
    """argparse, with its complaint in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {visible(message)}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    top = _Parser(prog="sandproof", description="What sandboxes claim, and what was observed.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for command in _COMMANDS:
        command.add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter gets its escape
    options = parser().parse_args(arguments)
    try:
        code: int = options.main(options)
        if sys.stdout is not None:  # it is None where the caller has closed it
            sys.stdout.flush()
    except InputError as error:
        print(f"sandproof {options.command}: {cell(str(error), _LONGEST)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        _let_go()  # the reader has had enough (`| head`)
        return 0
    except OSError as error:
        _let_go()
        print(f"sandproof {options.command}: {cell(_told(error), _LONGEST)}", file=sys.stderr)
        return InputError.exit_code
    except KeyboardInterrupt:
        print(f"sandproof {options.command}: interrupted", file=sys.stderr)
        return 130
    return code


def _let_go() -> None:
    """Point stdout away where it takes nothing more, or Python complains while it exits."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _told(error: OSError) -> str:
    try:
        Path.cwd()
    except OSError:
        return "working directory: expected one that exists; it was removed; change to another"
    return f"{error.filename or 'system'}: expected a file or directory that can be used; {error.strerror or error}"


if __name__ == "__main__":
    sys.exit(main())
