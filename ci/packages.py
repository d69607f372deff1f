"""Which system packages are missing, and what to do about it. Pure: decides, looks at nothing, starts nothing."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum

TOOLS = {"bwrap": "bubblewrap", "socat": "socat", "git": "git"}
"""Program → package. The names are the same for every package manager below; none of the packages is setuid."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manager:
    """A package manager: how it installs without asking, and how it renews its lists when they are empty or old (may be nothing)."""

    program: str
    install: tuple[str, ...]
    refresh: tuple[str, ...] = ()


MANAGERS = (
    Manager(
        program="apt-get",
        install=("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends"),
        refresh=("apt-get", "update"),
    ),
    Manager(program="dnf", install=("dnf", "install", "-y", "--setopt=install_weak_deps=False")),
    Manager(program="pacman", install=("pacman", "-S", "--noconfirm", "--needed"), refresh=("pacman", "-Sy")),
    Manager(program="apk", install=("apk", "add", "--no-cache")),
    Manager(
        program="zypper",
        install=("zypper", "--non-interactive", "install", "--no-recommends"),
        refresh=("zypper", "--non-interactive", "refresh"),
    ),
)


class Action(StrEnum):
    NOTHING = "nothing"
    INSTALL = "install"
    ASK = "ask"
    PRINT = "print"


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """All that the decision depends on. `missing` are package names; `manager` is None where none is known; `sudo`: it exists;
    `sudo_free`: it works without a password; `asked`: `--install-system` was given; `ci`: the variable CI is set; `terminal`:
    a person can answer."""

    missing: tuple[str, ...]
    manager: Manager | None
    root: bool
    sudo: bool = False
    sudo_free: bool = False
    asked: bool = False
    ci: bool = False
    terminal: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What to do. `commands` are tried in this order: install; if that fails and there is a second and third, refresh and install
    again. `why` is for the person."""

    action: Action
    commands: tuple[tuple[str, ...], ...] = ()
    why: str = ""

    @property
    def shell(self) -> str:
        """The exact command that a person can paste; with the refresh first, because an unused machine has empty lists."""
        if len(self.commands) == 3:
            return " && ".join(shlex.join(c) for c in self.commands[1:])
        return " && ".join(shlex.join(c) for c in self.commands)


def missing_packages(found: dict[str, bool], *, venv_possible: bool, python: tuple[int, int]) -> tuple[str, ...]:
    """Packages to install. `found` says for each program of TOOLS whether it is there.

    Debian and its relatives ship `venv` without the part that fills it (`ensurepip`); it is a package of its own there.
    """
    packages = [package for program, package in TOOLS.items() if not found[program]]
    if not venv_possible:
        packages.append(f"python{python[0]}.{python[1]}-venv")
    return tuple(packages)


def decide(now: Situation) -> Decision:
    """Root installs; a person is asked, or gives the flag; without either the command is printed and the run goes on."""
    if not now.missing:
        return Decision(action=Action.NOTHING)
    names = " ".join(now.missing)
    if now.manager is None:
        return Decision(action=Action.PRINT, why=f"no known package manager here; install by hand: {names}")
    commands = _commands(now.manager, now.missing, _prefix(now))
    if now.root:
        return Decision(action=Action.INSTALL, commands=commands, why=f"started as root: installing {names}")
    if not now.sudo:
        return Decision(action=Action.PRINT, commands=commands, why=f"not root and no sudo: cannot install {names}")
    if now.asked and (now.sudo_free or now.terminal):
        return Decision(action=Action.INSTALL, commands=commands, why=f"--install-system: installing {names}")
    if now.ci and now.sudo_free:
        return Decision(action=Action.INSTALL, commands=commands, why=f"CI is set: installing {names}")
    if now.terminal:
        return Decision(action=Action.ASK, commands=commands, why=f"missing: {names}")
    return Decision(action=Action.PRINT, commands=commands, why=f"missing: {names}")


def _prefix(now: Situation) -> tuple[str, ...]:
    if now.root:
        return ()
    # -n: where nobody can type a password, sudo must fail at once instead of waiting for one.
    return ("sudo",) if now.terminal else ("sudo", "-n")


def _commands(manager: Manager, missing: tuple[str, ...], prefix: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    install = (*prefix, *manager.install, *missing)
    if not manager.refresh:
        return (install,)
    return (install, (*prefix, *manager.refresh), install)
