"""Fixtures. Launches keep their journals in a scratch state directory, never in the user's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.tests.support import Place, need_bubblewrap


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A home with a secret and a repository, as seen by real launches."""
    need_bubblewrap()
    found = Place(tmp_path / "scene")
    found.make("home/.ssh/id", "home/notes", "work/.git/hooks/", "work/.git/config", "work/file")
    yield found
    for running in found.running:
        running.end()
