"""The virtual environment of the checkout: made when missing, renewed when `pyproject.toml` changed, remade when broken."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from ci import say
from ci.paths import ROOT, VENV, shown, venv_program
from ci.say import Stop

STAMP = "sandproof-stamp"


class State(StrEnum):
    """What the environment needs: nothing, an install into what is there, or to be made anew."""

    READY = "ready"
    OUTDATED = "outdated"
    ABSENT = "absent"


def ensure(*, root: Path = ROOT, venv: Path = VENV) -> Path:
    """The environment's Python, with the project and its pinned tools installed. Raises Stop with the next step.

    Quick when nothing changed: one file is read and nothing is started.
    """
    wanted = stamp(root)
    state = look(venv, wanted)
    if state is State.READY:
        return venv_program("python", venv)
    if state is State.ABSENT:
        _create(venv)
    (venv / STAMP).unlink(missing_ok=True)  # an install that fails half way must not look finished
    say.step(f"installing the project and its pinned tools into {shown(venv)} (about a minute the first time)")
    _install(root, venv)
    (venv / STAMP).write_text(wanted, encoding="utf-8")
    return venv_program("python", venv)


def stamp(root: Path) -> str:
    """What an environment depends on: the dependencies as pinned, the interpreter, and the place (environments cannot be moved)."""
    digest = hashlib.sha256((root / "pyproject.toml").read_bytes()).hexdigest()
    version = ".".join(str(part) for part in sys.version_info[:3])
    return f"pyproject {digest}\npython {version} {sys.base_prefix}\nplace {root}\n"


def look(venv: Path, wanted: str) -> State:
    """Judge an environment by its stamp, which is written last: without one it is half-made.

    Only a change of `pyproject.toml` can be installed over; another interpreter or another place needs a new environment.
    """
    try:
        found = (venv / STAMP).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return State.ABSENT
    if not os.access(venv_program("python", venv), os.X_OK):
        return State.ABSENT
    if found == wanted:
        return State.READY
    return State.OUTDATED if found.splitlines()[1:] == wanted.splitlines()[1:] else State.ABSENT


def _create(venv: Path) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise Stop(
            f"expected a Python that can make virtual environments; {sys.executable} has no ensurepip module",
            f"on Debian and Ubuntu: apt-get install python{version}-venv; elsewhere use a complete Python ≥ 3.11",
        )
    say.step(f"making {shown(venv)}")
    if venv.is_symlink() or venv.is_file():
        raise Stop(f"{shown(venv)}: expected a folder or nothing; got something else", f"remove {shown(venv)} and start again")
    if venv.exists():
        shutil.rmtree(venv, ignore_errors=True)  # a rest that cannot be removed makes the next step fail, with its own message
    _run([_interpreter(), "-m", "venv", str(venv)], f"look at the message above; remove {shown(venv)} and start again")


def _interpreter() -> str:
    """The interpreter itself, never a link to it: the plain-user column sees its folder, not every folder that links into it."""
    return sys.executable if os.name == "nt" else os.path.realpath(sys.executable)


def _install(root: Path, venv: Path) -> None:
    python = str(venv_program("python", venv))
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--progress-bar", "off", "--editable", f"{root}[dev]"]
    _run(
        command,
        "look at pip's message above; it needs a package index: check the network, or point pip at yours "
        "(pip config set global.index-url …), then start again",
    )


def _run(command: list[str], next_step: str) -> None:
    # The plain-user column reads this environment, so a private umask must not close it. Stamp of half-made ones is absent.
    old = os.umask(0o022)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise Stop(f"{command[0]} could not be started: {error.strerror}", next_step) from error
    finally:
        os.umask(old)
    if done.returncode:
        raise Stop(f"`{' '.join(command)}` ended with code {done.returncode}", next_step)
