"""Deciding about system packages."""

from __future__ import annotations

import stat

import pytest

from ci.packages import MANAGERS, TOOLS, Action, Manager, Situation, decide, missing_packages
from ci.system import setuid_warning

APT, DNF = MANAGERS[0], MANAGERS[1]
MISSING = ("bubblewrap", "socat")


def situation(
    *,
    missing: tuple[str, ...] = MISSING,
    manager: Manager | None = APT,
    root: bool = False,
    sudo: bool = True,
    sudo_free: bool = False,
    asked: bool = False,
    ci: bool = False,
    terminal: bool = False,
) -> Situation:
    return Situation(
        missing=missing, manager=manager, root=root, sudo=sudo, sudo_free=sudo_free, asked=asked, ci=ci, terminal=terminal
    )


@pytest.mark.parametrize(
    ("now", "action"),
    [
        (situation(missing=()), Action.NOTHING),
        (situation(missing=(), root=True, asked=True), Action.NOTHING),
        (situation(root=True), Action.INSTALL),
        (situation(root=True, sudo=False, ci=True), Action.INSTALL),
        (situation(terminal=True), Action.ASK),
        (situation(terminal=True, asked=True), Action.INSTALL),
        (situation(asked=True, sudo_free=True), Action.INSTALL),
        (situation(asked=True), Action.PRINT),
        (situation(ci=True, sudo_free=True), Action.INSTALL),
        (situation(ci=True), Action.PRINT),
        (situation(sudo_free=True), Action.PRINT),
        (situation(), Action.PRINT),
        (situation(sudo=False, terminal=True, asked=True), Action.PRINT),
        (situation(manager=None, root=True), Action.PRINT),
    ],
)
def test_who_installs(now: Situation, action: Action) -> None:
    assert decide(now).action is action


def test_root_says_what_it_installs() -> None:
    decision = decide(situation(root=True))
    assert "root" in decision.why
    assert "bubblewrap socat" in decision.why


def test_the_printed_command_is_exact_and_renews_the_lists_first() -> None:
    assert decide(situation()).shell == (
        "sudo -n apt-get update && "
        "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends bubblewrap socat"
    )


def test_a_person_may_type_the_password() -> None:
    assert decide(situation(terminal=True)).commands[0][:2] == ("sudo", "env")


def test_no_known_manager_names_the_packages() -> None:
    decision = decide(situation(manager=None))
    assert decision.commands == ()
    assert "bubblewrap socat" in decision.why


def test_the_lists_are_renewed_only_after_a_failure() -> None:
    install, refresh, again = decide(situation(root=True)).commands
    assert install == again
    assert refresh == ("apt-get", "update")
    assert len(decide(situation(root=True, manager=DNF)).commands) == 1


@pytest.mark.parametrize("manager", MANAGERS, ids=lambda m: m.program)
def test_no_manager_asks_questions(manager: Manager) -> None:
    answers = {"-y", "--noconfirm", "--no-cache", "--non-interactive"}
    assert answers & set(manager.install)


def test_which_packages_are_missing() -> None:
    found = dict.fromkeys(TOOLS, True)
    assert missing_packages(found, venv_possible=True, python=(3, 11)) == ()
    assert missing_packages(found | {"bwrap": False}, venv_possible=True, python=(3, 11)) == ("bubblewrap",)
    assert missing_packages(found, venv_possible=False, python=(3, 12)) == ("python3.12-venv",)


def test_a_setuid_bubblewrap_is_named() -> None:
    assert setuid_warning("/usr/bin/bwrap", stat.S_IFREG | 0o755) is None
    warning = setuid_warning("/usr/bin/bwrap", stat.S_IFREG | 0o4755)
    assert warning is not None
    assert "setuid" in warning
    assert "next:" in warning
