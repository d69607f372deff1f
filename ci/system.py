"""Looks at this machine's packages and carries out what `ci.packages` decided."""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import subprocess
import sys

from ci import say
from ci.packages import MANAGERS, TOOLS, Action, Decision, Situation, decide, missing_packages


def prepare(*, asked: bool) -> None:
    """Install what is missing, ask for it, or say how. Never stops the run: what is missing is shown as not run."""
    if not sys.platform.startswith("linux"):
        say.note(f"system packages: none needed on {sys.platform}")
        return
    decision = decide(_situation(asked=asked))
    if decision.action is Action.ASK:
        decision = _ask(decision)
    if decision.action is Action.INSTALL:
        say.step(decision.why)
        _install(decision)
    elif decision.action is Action.PRINT:
        say.warn(decision.why)
        if decision.commands:
            say.warn(f"install with: {decision.shell}")
        say.warn("going on with what there is; what needs the missing parts will be shown as not run")
    _warn_of_setuid()


def setuid_warning(path: str, mode: int) -> str | None:
    """What to tell a person whose bubblewrap is setuid root; None when it is not."""
    if not mode & stat.S_ISUID:
        return None
    return (
        f"{path} is setuid root: the launches tested here then differ from those of an ordinary bubblewrap. "
        f"next: if user namespaces are allowed on this machine, remove the bit: chmod u-s {path}"
    )


def _situation(*, asked: bool) -> Situation:
    managers = (m for m in MANAGERS if shutil.which(m.program))
    root = os.geteuid() == 0
    missing = missing_packages(
        {program: shutil.which(program) is not None for program in TOOLS},
        venv_possible=importlib.util.find_spec("ensurepip") is not None or not shutil.which("apt-get"),
        python=(sys.version_info[0], sys.version_info[1]),
    )
    return Situation(
        missing=missing,
        manager=next(managers, None),
        root=root,
        sudo=shutil.which("sudo") is not None,
        sudo_free=bool(missing) and not root and _sudo_is_free(),
        asked=asked,
        ci=bool(os.environ.get("CI")),
        terminal=sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty(),
    )


def _sudo_is_free() -> bool:
    sudo = shutil.which("sudo")
    if sudo is None:
        return False
    done = subprocess.run([sudo, "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode == 0


def _ask(decision: Decision) -> Decision:
    say.warn(decision.why)
    say.note(f"command: {decision.shell}")
    try:
        answer = input("    Install them now? [y/N] ")
    except EOFError:
        answer = ""
    action = Action.INSTALL if answer.strip().lower() in ("y", "yes") else Action.PRINT
    return Decision(action=action, commands=decision.commands, why=decision.why)


def _install(decision: Decision) -> None:
    first, *again = decision.commands
    say.note(" ".join(first))
    if _run(first):
        return
    if again and all(_run(command) for command in again):
        return
    say.warn("the packages could not be installed (output above); going on with what there is")
    say.warn(f"next: run it by hand and start again: {decision.shell}")


def _run(command: tuple[str, ...]) -> bool:
    try:
        return subprocess.run(command, stdin=_quiet_stdin(), check=False).returncode == 0
    except OSError as error:
        say.warn(f"{command[0]}: {error.strerror}")
        return False


def _quiet_stdin() -> int | None:
    """A person may have to type a password for sudo; nobody else must be waited for."""
    return None if sys.stdin is not None and sys.stdin.isatty() else subprocess.DEVNULL


def _warn_of_setuid() -> None:
    path = shutil.which("bwrap")
    if path is None:
        return
    warning = setuid_warning(path, os.stat(path).st_mode)
    if warning:
        say.warn(warning)
