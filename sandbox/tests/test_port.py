"""The seam of the Claude CLI: states that are really entered, events in order, and an end that is one. With and without a backend."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sandbox.backends.base import Probe
from sandbox.errors import LaunchFailed, SandboxError, SessionClosed, UnenforceableRule
from sandbox.events import Event, Exit, KillCause, Killed, Ready, Starting, Stderr, Stdout
from sandbox.host import Host
from sandbox.launch.execution import Execution
from sandbox.launch.port import SandboxPort
from sandbox.policy.rules import Policy
from sandbox.probe import Switch
from sandbox.spec import SandboxBackend, SandboxHandle, SandboxSpec, SandboxState
from sandbox.tests.support import Place, mount, native, need_bubblewrap, spec, until

ENVIRON = {"PATH": "/usr/bin:/bin", "TOKEN": "secret", "LD_PRELOAD": ""}
GONE = Probe(available=False, note="bubblewrap is missing")


class Seam:
    """A port, and one session of it."""

    def __init__(self, place: Place, backend: SandboxBackend, timeout_seconds: float | None = None) -> None:
        def resolved(wanted: SandboxSpec, _: Host) -> Policy:
            return place.policy(wanted=wanted)

        probe = native() if backend is SandboxBackend.NATIVE else GONE
        self.place = place
        self.port = SandboxPort(
            probe=probe, switch=Switch.ON, host=Host.detect(), environ=ENVIRON, resolve=resolved, timeout_seconds=timeout_seconds
        )
        self.handle: SandboxHandle = self.port.launch(spec(mount(place.work)))

    def run(self, code: str, *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> Execution:
        return self.port.exec(self.handle, ["/bin/sh", "-c", code], cwd=cwd, env=env)

    def state(self) -> SandboxState:
        return self.port.status(self.handle).state


@pytest.fixture(params=[SandboxBackend.NATIVE, SandboxBackend.NONE])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Place, SandboxBackend]:
    backend: SandboxBackend = request.param
    if backend is SandboxBackend.NATIVE:
        need_bubblewrap()
    place = Place(tmp_path / "scene")
    place.make("home/.ssh/id", "work/.git/hooks/", "work/.git/config")
    return place, backend


@pytest.fixture
def seam(scene: tuple[Place, SandboxBackend]) -> Iterator[Seam]:
    found = Seam(*scene)
    yield found
    found.port.destroy(found.handle)


@pytest.fixture
def hurried(scene: tuple[Place, SandboxBackend]) -> Iterator[Seam]:
    """Every command has half a second."""
    found = Seam(*scene, timeout_seconds=0.5)
    yield found
    found.port.destroy(found.handle)


def out(events: list[Event]) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, Stdout))


def test_events_in_order(seam: Seam) -> None:
    running = seam.run("echo one; echo two >&2; exit 7")
    found = list(running.events)
    assert found[:2] == [Starting(), Ready()]
    assert out(found) == b"one\n"
    assert Stderr(b"two\n") in found
    assert found[-1] == Exit(7)
    assert running.next_event() is None


@pytest.mark.parametrize(("signal", "code"), [("TERM", 143), ("KILL", 137)])
def test_exit_codes_as_a_shell_sees_them(signal: str, code: int, seam: Seam) -> None:
    assert list(seam.run(f"kill -{signal} $$").events)[-1] == Exit(code)


def test_states(seam: Seam) -> None:
    assert seam.handle.state is seam.state() is SandboxState.WARM
    running = seam.run("read go")
    assert seam.state() is SandboxState.ACTIVE
    running.write(b"go\n")
    assert list(seam.port.events(seam.handle))[-1] == Exit(0)
    assert seam.state() is SandboxState.WARM
    assert seam.port.destroy(seam.handle).state is seam.state() is SandboxState.DESTROYED


def test_the_backend_is_the_real_one(scene: tuple[Place, SandboxBackend]) -> None:
    found = Seam(*scene)
    assert found.handle.backend is scene[1]
    found.port.destroy(found.handle)


def test_two_commands_at_once(seam: Seam) -> None:
    first, second = seam.run("read go; echo first"), seam.run("echo second")
    assert out(list(second.events)) == b"second\n"
    assert seam.state() is SandboxState.ACTIVE
    first.write(b"go\n")
    assert out(list(first.events)) == b"first\n"
    assert seam.state() is SandboxState.WARM


def test_standard_input(seam: Seam) -> None:
    running = seam.run("cat; echo end")
    running.write(b"hello ")
    running.close_stdin()
    assert out(list(running.events)) == b"hello end\n"
    with pytest.raises(BrokenPipeError):
        running.write(b"more")


def test_suspend_really_stops_and_resume_goes_on(seam: Seam) -> None:
    running = seam.run("(while :; do date +%N >beat; done) & echo ready; wait")
    beat = seam.place.work / "beat"
    assert until(beat.exists)
    assert seam.port.suspend(seam.handle).state is seam.state() is SandboxState.SUSPENDED
    time.sleep(0.05)
    before = beat.read_bytes()
    assert not until(lambda: beat.read_bytes() != before, 0.2)
    with pytest.raises(SandboxError, match="suspended"):
        seam.run("true")
    assert seam.port.resume(seam.handle).state is SandboxState.ACTIVE
    assert until(lambda: beat.read_bytes() not in (before, b""))
    seam.port.destroy(seam.handle)
    assert list(running.events)[-1] == Killed(KillCause.STOPPED)
    with pytest.raises(SessionClosed):
        seam.port.resume(seam.handle)


def test_resume_of_what_is_not_suspended(seam: Seam) -> None:
    with pytest.raises(SandboxError, match="not suspended"):
        seam.port.resume(seam.handle)


def test_a_suspended_session_can_be_destroyed(seam: Seam) -> None:
    running = seam.run("echo ready; exec sleep 60")
    assert [running.next_event(5) for _ in range(3)][-1] == Stdout(b"ready\n")
    seam.port.suspend(seam.handle)
    seam.port.destroy(seam.handle)
    assert list(running.events) == [Killed(KillCause.STOPPED)]


def test_destroy_kills_everything_and_nothing_is_left(seam: Seam) -> None:
    before = seam.place.names()
    running = seam.run("(while :; do date +%N >beat; done) & setsid sleep 60 & echo ready; wait")
    beat = seam.place.work / "beat"
    assert until(beat.exists)
    seam.port.destroy(seam.handle)
    seam.port.destroy(seam.handle)
    assert list(running.events)[-1] == Killed(KillCause.STOPPED)
    seen = beat.read_bytes()
    assert not until(lambda: beat.read_bytes() != seen, 0.2)
    assert seam.place.names() - before == {"work/beat"}


def test_a_destroyed_session_refuses_everything(seam: Seam) -> None:
    seam.port.destroy(seam.handle)
    for call in (seam.port.events, seam.port.suspend, seam.port.resume):
        with pytest.raises(SessionClosed):
            call(seam.handle)
    with pytest.raises(SessionClosed):
        seam.run("true")
    stranger = SandboxHandle(session_id="nobody", backend=SandboxBackend.NONE, state=SandboxState.WARM)
    for refused in (seam.port.status, seam.port.destroy):
        with pytest.raises(SessionClosed):
            refused(stranger)


def test_a_session_id_is_used_once_at_a_time(seam: Seam) -> None:
    with pytest.raises(SandboxError, match="in use"):
        seam.port.launch(spec(mount(seam.place.work)))
    seam.port.destroy(seam.handle)
    seam.handle = seam.port.launch(spec(mount(seam.place.work)))
    assert list(seam.run("exit 0").events)[-1] == Exit(0)


def test_nothing_started_yet(seam: Seam) -> None:
    with pytest.raises(SandboxError, match="nothing has been started"):
        seam.port.events(seam.handle)


def test_a_timeout_is_a_kill_with_its_cause(hurried: Seam) -> None:
    started = time.monotonic()
    found = list(hurried.run("echo ready; sleep 60").events)
    assert found[-2:] == [Stdout(b"ready\n"), Killed(KillCause.TIMEOUT)]
    assert 0.4 < time.monotonic() - started < 5
    assert hurried.state() is SandboxState.WARM


def test_a_timeout_ends_a_command_whose_output_nobody_reads(hurried: Seam) -> None:
    running = hurried.run("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
    assert running.join(10)
    assert list(running.events)[-1] == Killed(KillCause.TIMEOUT)


def test_suspended_time_does_not_count(hurried: Seam) -> None:
    running = hurried.run("sleep 0.2; echo done")
    time.sleep(0.05)
    hurried.port.suspend(hurried.handle)
    time.sleep(0.8)
    hurried.port.resume(hurried.handle)
    assert list(running.events)[-1] == Exit(0)


def test_an_endless_output_does_not_fill_the_memory(seam: Seam) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    running = seam.run("exec cat /dev/zero")
    time.sleep(0.5)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 32 * 1024  # KiB; unread it would be gigabytes
    seam.port.destroy(seam.handle)
    found = list(running.events)
    assert 0 < len(out(found)) <= (1 << 20) + (1 << 16)
    assert found[-1] == Killed(KillCause.STOPPED)


def test_output_that_is_read_late_is_whole(seam: Seam) -> None:
    running = seam.run("head -c 3000000 /dev/zero")
    time.sleep(0.3)
    assert len(out(list(running.events))) == 3_000_000


def test_the_working_directory_never_widens_a_root(seam: Seam) -> None:
    seam.place.make("work/sub/", "outside/")
    assert out(list(seam.run("pwd").events)).decode().strip() == str(seam.place.work)
    assert out(list(seam.run("pwd", cwd=f"{seam.place.work}/sub").events)).decode().strip() == f"{seam.place.work}/sub"
    found = list(seam.run("echo x >landed; ls -A", cwd=f"{seam.place.base}/outside").events)
    if seam.handle.backend is SandboxBackend.NATIVE:
        assert found[-1] != Exit(0)
        assert not (seam.place.base / "outside/landed").exists()
    with pytest.raises(SandboxError, match="absolute"):
        seam.run("true", cwd="sub")


def test_the_environment(seam: Seam) -> None:
    found = out(list(seam.run("env", env={"MINE": "1", "BASH_ENV": "/x"}).events)).decode().splitlines()
    assert "MINE=1" in found
    inherits = seam.handle.backend is SandboxBackend.NONE  # documented: the Claude CLI without a backend
    assert ("TOKEN=secret" in found) is inherits
    assert ("BASH_ENV=/x" in found) is inherits


def test_what_a_command_left_behind_does_not_keep_it_from_ending(seam: Seam) -> None:
    running = seam.run("sleep 3 & echo done")
    started = time.monotonic()
    assert list(running.events)[-1] == Exit(0)
    assert time.monotonic() - started < 2


def test_a_program_that_does_not_start(scene: tuple[Place, SandboxBackend]) -> None:
    found = Seam(scene[0], SandboxBackend.NONE)
    with pytest.raises(LaunchFailed):
        found.port.exec(found.handle, ["/nowhere/program"])
    status = found.port.status(found.handle)
    assert status.state is SandboxState.ERROR
    assert status.error is not None
    assert list(found.run("exit 0").events)[-1] == Exit(0)
    assert found.state() is SandboxState.WARM


def test_the_default_policy_is_refused_and_nothing_has_started(tmp_path: Path) -> None:
    need_bubblewrap()
    place = Place(tmp_path / "scene")
    place.make("home/", "work/.git/hooks/")
    before = place.names()
    port = SandboxPort(probe=native(), switch=Switch.ON, host=Host.detect(), environ={"HOME": str(place.home)})
    with pytest.raises(UnenforceableRule, match=r"fs\.(alias|name)-deny"):
        port.launch(spec(mount(place.work)))
    assert place.names() == before
