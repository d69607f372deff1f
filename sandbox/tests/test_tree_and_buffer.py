"""The bounded event buffer, and signals to a whole process tree."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.events import Event, Exit, KillCause, Killed, Ready, Starting, Stderr, Stdout
from sandbox.launch import tree
from sandbox.launch.buffer import EventBuffer
from sandbox.tests.support import quick, until

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
output = st.one_of(st.binary(min_size=1, max_size=8).map(Stdout), st.binary(min_size=1, max_size=8).map(Stderr), st.just(Ready()))


@quick
@given(st.lists(output, max_size=30), st.integers(1, 16))
def test_everything_arrives_in_order_and_the_bound_holds(events: list[Event], most: int) -> None:
    buffer = EventBuffer(most)

    def write() -> None:
        for event in events:
            buffer.put(event)
            assert buffer.held_bytes < most + 8
        buffer.put(Exit(0))

    writer = threading.Thread(target=write)
    writer.start()
    assert list(buffer) == [*events, Exit(0)]
    writer.join()
    assert buffer.get() is None


def test_a_full_buffer_makes_the_writer_wait() -> None:
    buffer = EventBuffer(4)
    assert buffer.put(Stdout(b"12345"))
    assert not buffer.put(Stdout(b"6"), 0.01)
    assert buffer.put(Starting(), 0.01)
    assert buffer.get() == Stdout(b"12345")
    assert buffer.put(Stdout(b"6"), 0.01)


def test_discarding_frees_the_writer_and_keeps_the_end() -> None:
    buffer = EventBuffer(1)
    buffer.put(Stdout(b"a"))
    writer = threading.Thread(target=lambda: buffer.put(Stdout(b"b")))
    writer.start()
    buffer.discard()
    writer.join(5)
    assert not writer.is_alive()
    buffer.put(Killed(KillCause.STOPPED))
    assert list(buffer) == [Stdout(b"a"), Killed(KillCause.STOPPED)]


def test_waiting_has_an_end() -> None:
    with pytest.raises(TimeoutError, match="no event within"):
        EventBuffer().get(0.01)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@linux
def test_a_tree_is_stopped_goes_on_and_is_killed() -> None:
    code = "sh -c 'sleep 60 & sleep 60' & setsid sh -c 'exec sleep 60' & echo ready; wait"
    with subprocess.Popen(["/bin/sh", "-c", code], stdout=subprocess.PIPE, start_new_session=True) as leader:
        assert leader.stdout is not None
        assert leader.stdout.readline() == b"ready\n"
        try:
            # Settled first: a parent stopped in the middle of vfork(2) would be in state D, which is as good, but not T.
            assert until(lambda: [state(pid) for pid in tree.members(leader.pid)] == ["S"] * 5)
            members = tree.members(leader.pid)
            tree.stop(leader.pid)
            assert until(lambda: {state(pid) for pid in members} == {"T"})
            tree.resume(leader.pid)
            assert until(lambda: {state(pid) for pid in members} == {"S"})
        finally:
            tree.kill(leader.pid)
        leader.wait(5)
        assert until(lambda: not any(Path(f"/proc/{pid}").exists() and state(pid) != "Z" for pid in members))
