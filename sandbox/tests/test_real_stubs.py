"""Real launches: mount points for what does not exist yet. None stays on the host, and no run takes another's away."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.backends.plan import Stub, StubKind
from sandbox.errors import LaunchFailed
from sandbox.launch.process import Confined, spawn
from sandbox.launch.stubs import StubError, hold_stubs, state_dir
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.tests.support import Place, until

WRITE = RuleKind.FS_WRITE_ALLOW
DENY = RuleKind.FS_WRITE_DENY


def denying(place: Place, *names: str) -> Policy:
    return place.small(Rule(WRITE, "$WORK"), *(Rule(DENY, f"$WORK/{name}") for name in names), WORK=place.work)


def ready(running: Confined) -> None:
    assert running.process.stdout is not None
    assert running.process.stdout.readline() == b"ready\n", running.process.stderr and running.process.stderr.read()


def go(running: Confined) -> str:
    """Let it go on, and what it said until its end."""
    out, _ = running.process.communicate(b"go\n", timeout=10)
    return bytes(out).decode()


def journal() -> str:
    path = state_dir() / "journal"
    return path.read_text() if path.exists() else ""


def test_none_is_left_after_a_normal_end(place: Place) -> None:
    before = place.names()
    said = place.run("ls -A; exit 3")
    assert said.code == 3
    assert ".vscode" in said.out.split()
    assert place.names() == before
    assert journal() == ""


def test_none_is_left_after_end_of_a_running_one(place: Place) -> None:
    before = place.names()
    running = place.start("echo ready; exec sleep 60")
    ready(running)
    assert place.names() > before
    running.end()
    running.end()
    assert place.names() == before


LAUNCHER = """
import sys
from pathlib import Path
from sandbox.tests.support import Place
place = Place(Path(sys.argv[1]))
running = place.start("echo ready; exec sleep 60")
print(running.process.stdout.readline().decode().strip(), flush=True)
sys.stdin.read()
"""


def test_none_is_left_after_the_launcher_is_killed(place: Place) -> None:
    before = place.names()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(place.base)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    with launcher:
        assert launcher.stdout is not None
        assert launcher.stdout.readline() == b"ready\n"
        assert place.names() > before
        launcher.send_signal(signal.SIGKILL)
        launcher.wait(5)
    assert until(lambda: place.names() == before, 2), place.names() - before
    assert until(lambda: journal() == "", 1)


def test_two_runs_and_the_first_to_end_takes_nothing_from_the_other(place: Place) -> None:
    before = place.names()
    code = "echo ready; read go; mkdir .vscode/x; mkdir -p .vscode; echo x >.vscode/tasks.json; echo x >.mcp.json; exit 0"
    first, second = place.start(code), place.start(code)
    ready(first)
    ready(second)
    go(first)
    first.end()
    assert (place.work / ".mcp.json").read_bytes() == b""
    go(second)
    assert (place.work / ".mcp.json").read_bytes() == b""
    assert list((place.work / ".vscode").iterdir()) == []
    second.end()
    assert place.names() == before


def test_runs_with_different_roots_on_one_tree(place: Place) -> None:
    """The outer run makes the stub, the inner one only finds it; the outer one ends first."""
    place.make("work/sub/")
    outer = place.start("echo ready; read go", denying(place, "sub/locked"))
    ready(outer)
    inner_policy = place.small(Rule(WRITE, "$SUB"), Rule(DENY, "$SUB/locked"), SUB=place.work / "sub")
    inner = place.start(f"echo ready; read go; rm -f {place.work}/sub/locked; echo x >{place.work}/sub/locked", inner_policy)
    ready(inner)
    go(outer)
    outer.end()
    go(inner)
    assert (place.work / "sub/locked").read_bytes() == b""
    inner.end()
    assert list((place.work / "sub").iterdir()) == []


def test_many_at_once(place: Place) -> None:
    before = place.names()
    running = [place.start("echo ready; read go; echo x >.envrc") for _ in range(6)]
    for each in running:
        ready(each)
    for each in running:
        go(each)
        each.end()
    assert place.names() == before
    assert journal() == ""


def test_what_the_host_wrote_into_a_stub_is_kept(place: Place) -> None:
    running = place.start("echo ready; exec sleep 60")
    ready(running)
    (place.work / ".vscode/settings.json").write_text("{}")
    (place.work / ".mcp.json").write_text("{}")
    (place.work / ".idea").rmdir()
    (place.work / ".idea").write_text("x")
    running.end()
    assert (place.work / ".vscode/settings.json").read_text() == "{}"
    assert (place.work / ".mcp.json").read_text() == "{}"
    assert (place.work / ".idea").read_text() == "x"
    assert not (place.work / ".cursor").exists()
    assert journal() == ""


def test_nothing_inside_survives_the_end_to_write_where_a_stub_was(place: Place) -> None:
    """The command leaves writers behind and ends; they must be gone before the mount point is."""
    code = "for i in 1 2 3 4; do (while :; do mkdir -p .vscode/x; done) 2>/dev/null >&2 & done; exit 0"
    policy = denying(place, ".vscode")
    for _ in range(15):
        running = spawn(place.plan(policy), ["/bin/sh", "-c", code])
        running.process.wait(10)
        running.end()
        assert not (place.work / ".vscode").exists()


def test_a_link_planted_between_compiling_and_launching(place: Place) -> None:
    place.make("outside/")
    plan = place.plan(denying(place, "a/b"))
    (place.work / "a").symlink_to(place.base / "outside")
    with pytest.raises(LaunchFailed, match="stub"):
        spawn(plan, ["/bin/true"])
    assert list((place.base / "outside").iterdir()) == []
    assert journal() == ""


def test_something_else_in_the_place_of_a_stub(place: Place) -> None:
    plan = place.plan(denying(place, ".vscode"))
    (place.work / ".vscode").symlink_to("/etc")
    with pytest.raises(LaunchFailed, match="something else has taken its place"):
        spawn(plan, ["/bin/true"])


def test_a_denied_path_that_goes_away_between_compiling_and_launching(place: Place) -> None:
    place.make("work/locked")
    plan = place.plan(denying(place, "locked"))
    (place.work / "locked").unlink()
    running = spawn(plan, ["/bin/sh", "-c", f"echo x >{place.work}/locked"])
    assert running.process.wait(10) != 0
    running.end()
    assert not (place.work / "locked").exists()


def test_a_launch_that_fails_leaves_nothing(place: Place) -> None:
    from dataclasses import replace

    before = place.names()
    plan = place.plan()
    with pytest.raises(LaunchFailed, match="could not start"):
        spawn(replace(plan, argv=("/nowhere/bwrap", *plan.argv[1:])), ["/bin/true"])
    assert place.names() == before
    assert journal() == ""


def test_the_janitor_follows_no_link(tmp_path: Path) -> None:
    """While a stub waits for its removal, its parent is replaced by a link to a directory with an entry of that name."""
    (tmp_path / "root/deep").mkdir(parents=True)
    (tmp_path / "victim").mkdir()
    hold = hold_stubs([], [Stub(root=str(tmp_path / "root"), path=str(tmp_path / "root/deep/x"), kind=StubKind.FILE)])
    os.link(tmp_path / "root/deep/x", tmp_path / "victim/x")
    (tmp_path / "root/deep").rename(tmp_path / "root/aside")
    (tmp_path / "root/deep").symlink_to(tmp_path / "victim")
    hold.release()
    assert (tmp_path / "victim/x").exists()


def test_a_forged_journal_removes_nothing_that_is_not_empty(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    found = victim.stat()
    record = {"root": str(tmp_path), "path": str(victim), "directory": False, "dev": found.st_dev, "ino": found.st_ino}
    (state_dir() / "journal").write_text(json.dumps(record) + "\n")
    hold_stubs([], []).release()
    assert victim.read_text() == "x"
    assert journal() == ""


def test_leftovers_of_a_run_and_its_janitor_go_with_the_next(tmp_path: Path) -> None:
    stub = tmp_path / "left"
    stub.touch()
    found = stub.stat()
    record = {"root": str(tmp_path), "path": str(stub), "directory": False, "dev": found.st_dev, "ino": found.st_ino}
    (state_dir() / "journal").write_text(json.dumps(record) + "\n" + '{"torn')
    hold_stubs([], []).release()
    assert not stub.exists()


def test_a_state_directory_that_the_sandbox_could_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "work/state"))
    with pytest.raises(StubError, match="lies in a writable root"):
        hold_stubs([str(tmp_path / "work")], [])


@pytest.mark.parametrize("spoil", ["open", "file"])
def test_a_state_directory_that_others_may_write(spoil: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    if spoil == "open":
        (tmp_path / "sandproof/stubs").mkdir(parents=True)
        (tmp_path / "sandproof/stubs").chmod(0o777)
    else:
        (tmp_path / "sandproof").touch()
    with pytest.raises(StubError, match="state directory"):
        state_dir()


def test_release_is_quick(place: Place) -> None:
    started = time.monotonic()
    place.run("exit 0")
    assert time.monotonic() - started < 3
