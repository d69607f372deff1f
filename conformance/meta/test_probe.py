"""What could not run is never green: bwrap missing, bwrap that only exits 0, bwrap that simply runs its command."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from conformance.adapters.registry import load_adapter
from conformance.core.template import repository_template
from conformance.meta.samples import cell, known, word
from sandbox.host import Host

ATTEMPTS = ("fs/write/outside/elsewhere", "fs/write/outside/home")
NEEDED = ("sh", "git", "nsenter")
EXITS_ZERO = "#!/bin/sh\nexit 0\n"
JUST_EXECS = """#!/bin/sh
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# -gt 1 ] || exit 0
shift
exec "$@"
"""
CASES = {
    ("native", "missing"): "not-run adapter-unavailable",
    ("native", "exits-zero"): "not-run adapter-unavailable",
    ("native", "just-execs"): "not-run adapter-unavailable",
    ("bwrap-naive", "missing"): "not-run adapter-unavailable",
    ("bwrap-naive", "exits-zero"): "refused-to-run no-ready-beacon",
    ("bwrap-naive", "just-execs"): "escaped landed",
}
NOTES = {
    ("native", "missing"): "bubblewrap is missing",
    ("native", "exits-zero"): "bubblewrap does not confine here: an allowed write did not land",
    ("native", "just-execs"): "bubblewrap does not confine here: a write that the policy denies landed on the host",
    ("bwrap-naive", "missing"): "bwrap is not on PATH",
}


@pytest.fixture
def broken(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A PATH on which bwrap is broken in one way; what else is needed stays where it is."""
    repository_template()
    how = str(request.param)
    for name in NEEDED:
        found = shutil.which(name)
        if found:
            (tmp_path / name).symlink_to(found)
    if how == "missing":
        monkeypatch.setenv("PATH", str(tmp_path))
        return how
    script = tmp_path / "bwrap"
    script.write_text(EXITS_ZERO if how == "exits-zero" else JUST_EXECS, encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return how


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize(("name", "broken"), CASES, indirect=["broken"])
def test_a_broken_bwrap_gets_the_right_word(name: str, broken: str, attempt: str) -> None:
    evidence = cell(load_adapter(name), known(attempt))
    assert word(evidence) == CASES[name, broken]
    assert evidence.note.startswith(NOTES.get((name, broken), ""))


@pytest.mark.parametrize("broken", ["missing", "exits-zero", "just-execs"], indirect=True)
def test_the_record_of_the_native_adapter_says_why(broken: str) -> None:
    adapter = load_adapter("native")
    assert adapter.record(Host.detect()).unavailable.startswith(NOTES["native", broken])
