"""Stand-ins for the host programs that trust a project's files: they read the file as the real one does and run what it names."""

from __future__ import annotations

import sys

from conformance.core.attempt import HostTrigger

JSON_COMMANDS = """
import json, os, subprocess, sys
path, *keys = sys.argv[1:]
def commands(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key in keys and isinstance(value, str):
                yield value
            else:
                yield from commands(value)
    elif isinstance(node, list):
        for value in node:
            yield from commands(value)
if os.path.isfile(path):
    for command in commands(json.load(open(path))):
        subprocess.run(["/bin/sh", "-c", command], timeout=5)
"""

SOURCED = '[ -f "$0" ] && . "$0"; true'


def runs_json(path: str, *keys: str) -> HostTrigger:
    """A tool that opens the project and runs every command that stands under one of `keys` in a JSON file."""
    return HostTrigger(argv=(sys.executable, "-I", "-S", "-c", JSON_COMMANDS, path, *keys))


def sources(path: str) -> HostTrigger:
    """A shell that sources a file when it enters the directory, as direnv-like loaders do."""
    return HostTrigger(argv=("/bin/sh", "-c", SOURCED, path))
