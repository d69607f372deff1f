"""`sandproof adapter new|check|install`: adapters of third-party sandboxes."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from matrices.commands import suite
from matrices.commands.files import write_new
from matrices.errors import InputError
from matrices.text import visible
from sandbox.host import Host

_UNAVAILABLE = 6
_CHECK_CODES = "Exit codes: 0 it can be used here · 2 it cannot be read, or its own code fails · 6 it cannot be used here."


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("adapter", help="write, check or install an adapter", description=__doc__)
    actions = parser.add_subparsers(dest="action", required=True, metavar="new|check|install")
    new = actions.add_parser("new", help="write a commented skeleton to NAME.toml")
    new.add_argument("name", metavar="NAME")
    new.set_defaults(main=_new)
    check = actions.add_parser("check", help="read it, its claims, and try whether it can be used here", epilog=_CHECK_CODES)
    check.add_argument("file", metavar="FILE")
    check.set_defaults(main=_check)
    install = actions.add_parser("install", help="say how the sandbox is installed; with --yes do it")
    install.add_argument("file", type=Path, metavar="FILE")
    install.add_argument("--yes", action="store_true", help="run the command")
    install.set_defaults(main=_install)


def _new(options: argparse.Namespace) -> int:
    name: str = options.name
    if not re.fullmatch(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", name):
        raise InputError(f"adapter new: expected a name of lower-case letters, digits and dashes; got {name!r}")
    if name in suite.built_in():
        raise InputError(f"adapter new: expected a name of its own; got {name!r}, which is built in; give another")
    skeleton = resources.files("matrices.commands").joinpath("adapter.skeleton.toml").read_text(encoding="utf-8")
    path = Path(f"{name}.toml")
    write_new(path, skeleton.replace("NAME", name))
    print(f"{path}\nnext: edit it, then sandproof adapter check {path}")
    return 0


def _check(options: argparse.Namespace) -> int:
    record, claims, unavailable = suite.check_adapter(options.file, Host.detect())
    print(visible(f"{record.variant}: {record.title} {record.version}".rstrip()))
    for kind, claim in sorted(claims.claims.items()):
        print(visible(f"  {kind}: {claim.word}" + (f", except {', '.join(claim.left_out)}" if claim.left_out else "")))
    if not claims.claims:
        print("  claims nothing: what escapes will be a silent escape")
    if unavailable:
        print(visible(f"sandproof adapter: {record.variant} cannot be used here: {unavailable}"), file=sys.stderr)
        return _UNAVAILABLE
    print("can be used here")
    return 0


def _install(options: argparse.Namespace) -> int:
    """Runs the adapter's own command only with --yes, and returns its status."""
    path: Path = options.file
    command = _command(path)
    if not options.yes:
        print(f"{visible(shlex.join(command))}\nnext: run it yourself, or give --yes")
        return 0
    try:
        return 1 if subprocess.run(command, check=False).returncode else 0
    except OSError as error:
        raise InputError(f"{path}: [install] command: expected a program that can be started; {error}") from error


def _command(path: Path) -> list[str]:
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: expected the TOML file of an adapter; {error}") from error
    install = table.get("install", {})
    command = install.get("command") if isinstance(install, dict) else None
    if not isinstance(command, list) or not command or not all(isinstance(part, str) for part in command):
        raise InputError(f'{path}: expected [install] with command = ["PROGRAM", "ARGUMENT", …]; got {command!r}')
    return command
