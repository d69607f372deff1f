"""`sandproof probe`: what this machine offers, found by really starting it once."""

from __future__ import annotations

import argparse
import os

from matrices.errors import InputError
from matrices.text import visible
from sandbox.host import Host


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("probe", help="what this machine offers", description=__doc__)
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    from sandbox.probe import Switch, probe_native, startup_line

    try:
        switch = Switch.read(os.environ.get("CC_SERVER_SANDBOX"))
    except argparse.ArgumentTypeError as error:
        raise InputError(f"CC_SERVER_SANDBOX: {error}") from error
    host = Host.detect()
    probe = probe_native(host)
    answer = "yes" if probe.available else "no"
    lines = [startup_line(switch, probe), f"host: {host.label}", f"available: {answer}: {probe.note}"]
    if probe.trial:
        lines.append(f"trial launch: {'held' if probe.trial.held else 'did not hold'}: {probe.trial.saw}")
    if probe.hint:
        lines.append(f"next: {probe.hint}")
    print("\n".join(visible(line) for line in lines))
    return 0
