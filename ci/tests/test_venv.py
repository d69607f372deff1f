"""When the environment is made, renewed, or left alone."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from ci import venv
from ci.paths import venv_program
from ci.say import Stop
from ci.venv import STAMP, State, ensure, look, stamp


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    return tmp_path


def make(checkout: Path) -> Path:
    folder = checkout / ".venv"
    python = venv_program("python", folder)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (folder / STAMP).write_text(stamp(checkout), encoding="utf-8")
    return folder


def test_a_finished_environment_is_left_alone(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(checkout)
    monkeypatch.setattr("ci.venv.subprocess.run", None)  # would fail if anything were started
    assert ensure(root=checkout, venv=folder) == venv_program("python", folder)


def test_changed_dependencies_are_installed_over(checkout: Path) -> None:
    folder = make(checkout)
    (checkout / "pyproject.toml").write_text("[project]\nname = 'y'\n", encoding="utf-8")
    assert look(folder, stamp(checkout)) is State.OUTDATED


@pytest.mark.parametrize("broken", ["no-stamp", "no-python", "dangling-python", "other-python", "moved", "nothing"])
def test_what_is_broken_is_made_anew(checkout: Path, broken: str) -> None:
    folder = make(checkout)
    wanted = stamp(checkout)
    python = venv_program("python", folder)
    if broken == "no-stamp":
        (folder / STAMP).unlink()
    elif broken == "no-python":
        python.unlink()
    elif broken == "dangling-python":
        python.unlink()
        python.symlink_to(checkout / "gone")
    elif broken == "other-python":
        wanted = wanted.replace("python 3", "python 4")
    elif broken == "moved":
        wanted = wanted.replace("place ", "place /elsewhere")
    else:
        folder = checkout / "nothing"
    assert look(folder, wanted) is State.ABSENT


def test_a_failed_install_leaves_no_stamp(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make(checkout)
    (checkout / "pyproject.toml").write_text("changed", encoding="utf-8")
    python = venv_program("python", folder)
    python.unlink()
    python.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    python.chmod(0o755)
    with pytest.raises(Stop, match="ended with code 7") as error:
        ensure(root=checkout, venv=folder)
    assert "network" in error.value.next_step
    assert look(folder, stamp(checkout)) is State.ABSENT


def test_a_python_without_ensurepip_is_told_so(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Stop, match="ensurepip") as error:
        ensure(root=checkout, venv=checkout / ".venv")
    assert "apt-get install python3." in error.value.next_step


def test_a_file_in_its_place_is_not_removed(checkout: Path) -> None:
    (checkout / ".venv").write_text("mine", encoding="utf-8")
    with pytest.raises(Stop, match="expected a folder"):
        ensure(root=checkout, venv=checkout / ".venv")
    assert (checkout / ".venv").read_text(encoding="utf-8") == "mine"


def test_an_environment_is_readable_under_a_private_umask(checkout: Path) -> None:
    old = os.umask(0o077)
    try:
        venv._run([sys.executable, "-c", f"open({str(checkout / 'made')!r}, 'w').close()"], "nothing")
        assert os.umask(0o077) == 0o077
    finally:
        os.umask(old)
    assert (checkout / "made").stat().st_mode & 0o044 == 0o044
