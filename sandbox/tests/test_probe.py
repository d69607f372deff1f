"""The probe starts the program and believes only what it saw; the startup line says what it believes."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from sandbox.backends.base import Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.backends.bubblewrap.trial import install_command
from sandbox.host import Host
from sandbox.probe import Switch, probe_native, startup_line
from sandbox.tests.support import need_bubblewrap

HERE = Host.detect()
linux = pytest.mark.skipif(not HERE.is_linux, reason="bubblewrap is asked for on Linux only")


def fake(tmp_path: Path, script: str) -> Bubblewrap:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return Bubblewrap(str(program))


@linux
def test_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = probe_native(HERE)
    assert (found.available, found.requires_install, found.trial) == (False, True, None)
    assert found.note == "bubblewrap is missing"
    assert found.hint == f"install the missing package bubblewrap: {install_command('bubblewrap')}"
    assert "socat" not in found.hint


@linux
def test_a_program_that_only_exits_0(tmp_path: Path) -> None:
    found = fake(tmp_path, "exit 0").probe(HERE)
    assert (found.available, found.requires_install) == (False, False)
    assert "an allowed write did not land (no error message)" in found.note
    assert found.hint is not None
    assert "bwrap --version" in found.hint


@linux
def test_a_program_that_only_runs_its_command(tmp_path: Path) -> None:
    found = fake(tmp_path, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"').probe(HERE)
    assert not found.available
    assert "a write that the policy denies landed" in found.note
    assert found.trial is not None
    assert not found.trial.held


@linux
@pytest.mark.parametrize("words", ["No permissions to create new namespace", "setting up uid map: Permission denied"])
def test_namespaces_are_restricted(tmp_path: Path, words: str) -> None:
    found = fake(tmp_path, f'echo "bwrap: {words}" >&2; exit 1').probe(HERE)
    assert not found.available
    assert words in found.note
    assert found.hint is not None
    assert "AppArmor" in found.hint


@linux
def test_a_program_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_bytes(b"\x7fELF broken")
    (tmp_path / "bwrap").chmod(0o755)
    assert not Bubblewrap(str(tmp_path / "bwrap")).probe(HERE).available


@pytest.mark.parametrize("platform", ["windows", "macos", "other"])
def test_other_platforms(platform: str) -> None:
    found = Bubblewrap().probe(Host(platform=platform))
    assert found == Probe(available=False, note="native sandbox is not offered on this platform")


def test_the_real_one() -> None:
    need_bubblewrap()
    found = probe_native(HERE)
    assert found.trial is not None
    assert found.trial.held
    assert found.note.endswith("bubblewrap — namespace isolation, no kernel boundary")


def test_exactly_one_startup_line() -> None:
    good = Probe(available=True, note="NOTE")
    bad = Probe(available=False, note="NOTE", hint="HINT")
    assert startup_line(Switch.ON, good) == "agent sandbox ON — NOTE"
    assert startup_line(Switch.ON, bad) == "no OS-native agent sandbox on this host (NOTE) — HINT"
    assert startup_line(Switch.ON, Probe(available=False, note="NOTE")) == "no OS-native agent sandbox on this host (NOTE)"
    assert startup_line(Switch.OFF, good) == startup_line(Switch.OFF, bad) == "agent sandbox DISABLED by --sandbox off"


def test_the_switch() -> None:
    assert [Switch.read(text) for text in (None, "", "on", "off")] == [Switch.ON, Switch.ON, Switch.ON, Switch.OFF]
    for text in ("ON", "yes", "0", " off", "require"):
        with pytest.raises(argparse.ArgumentTypeError, match="expected on or off"):
            Switch.read(text)
