"""Start what a launch plan describes, and end it with everything that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO

from sandbox.backends.bubblewrap.seccomp import assemble
from sandbox.backends.plan import LaunchPlan
from sandbox.errors import LaunchFailed
from sandbox.launch import janitor
from sandbox.launch.gate import Gate, GateError
from sandbox.launch.keyring import join_fresh_session_keyring
from sandbox.launch.stubs import Hold, StubError, hold_stubs

_spawner: list[ThreadPoolExecutor] = []
_spawner_lock = threading.Lock()


def _on_spawner_thread(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Run `start` on one thread that lives as long as this process.

    A parent-death signal fires when the *thread* that forked the child ends (prctl(2), PR_SET_PDEATHSIG), so a short-lived thread
    would kill what it has started; and only this thread's keyring is exchanged, never the caller's.
    """
    with _spawner_lock:
        if not _spawner:
            _spawner.append(ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandproof-spawn"))
    return _spawner[0].submit(start).result()


@dataclass(slots=True)
class Confined:
    """A running confined process and what must be undone after it."""

    process: subprocess.Popen[bytes]
    _hold: Hold | None = field(default=None, repr=False)
    _first: int = field(default=-1, repr=False)
    _ending: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def end(self) -> None:
        """Kill the whole tree, wait for it, take the stubs away. Safe to call twice, from two threads too."""
        with self._ending:
            if self.process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.kill()
            if self._first >= 0:
                janitor.kill(self._first)
            self.process.wait()
            self._close_pipes()
            self._undo()

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _undo(self) -> None:
        gone = True
        if self._first >= 0:
            gone = janitor.ends(self._first)
            os.close(self._first)
            self._first = -1
        if self._hold is not None:
            hold, self._hold = self._hold, None
            hold.release(clean=gone)


def spawn(
    plan: LaunchPlan,
    command: Sequence[str],
    *,
    stdin: int | IO[bytes] | None = None,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    prefix: Sequence[str] = (),
    before_exec: Callable[[], None] | None = None,
    pass_fds: Sequence[int] = (),
) -> Confined:
    """Start `command` as the plan says, in a process group and session of its own.

    `prefix` is put before everything (a scene's namespace, for tests). `before_exec` runs in the child (a controlling terminal).
    Raises LaunchFailed; then nothing runs and nothing is left.
    """
    if not (plan.argv or command):
        raise LaunchFailed("expected a command; got none")
    if not plan.block_option and plan.expected_mounts:
        raise LaunchFailed("the plan expects mounts and has no way to wait for them")
    own = _Own(plan)
    hold: Hold | None = None
    try:
        if stdin == subprocess.DEVNULL and plan.expected_mounts:
            stdin = own.nothing()
        if plan.stubs:
            hold = hold_stubs(plan.guarded, plan.stubs, info=own.info if plan.kill_first else None)
        process = _start(plan, command, own, prefix, before_exec, pass_fds, (stdin, stdout, stderr))
    except (StubError, OSError, ValueError, NotImplementedError, subprocess.SubprocessError) as error:
        own.close()
        if hold is not None:
            hold.release()
        first = [*prefix, *plan.argv, *command][0]
        raise LaunchFailed(str(error) if isinstance(error, StubError) else f"could not start {first!r}: {error}") from error
    running = Confined(process, hold)
    try:
        if own.gate is not None:
            running._first = own.gate.pass_through(process, own.info, plan.expected_mounts)
    except BaseException as error:
        running.end()
        if isinstance(error, GateError | OSError | subprocess.SubprocessError):
            raise LaunchFailed(str(error)) from error
        raise
    finally:
        own.close()
    if not plan.kill_first and running._first >= 0:
        os.close(running._first)
        running._first = -1
    return running


class _Own:
    """Descriptors that are made for one launch, and the options that name them. `info`: what the program reports goes here."""

    def __init__(self, plan: LaunchPlan) -> None:
        self.info = os.memfd_create("sandproof-info") if plan.info_option else -1
        self.gate = Gate() if plan.block_option else None
        self.passed = [(plan.info_option, self.info)] if plan.info_option else []
        self._fds = [self.info] if plan.info_option else []
        if self.gate is not None:
            self.passed.append((plan.block_option, self.gate.fd))
            self._fds.append(self.gate.fd)
        if plan.filter:
            code = assemble(plan.filter)
            fd = os.memfd_create("sandproof-filter")
            os.write(fd, code)
            os.lseek(fd, 0, os.SEEK_SET)
            self.passed.append((plan.filter_option, fd))
            self._fds.append(fd)

    def nothing(self) -> int:
        """Standard input at its end. Not the host's null device: whoever owns that could change its mode through the descriptor."""
        reading, writing = os.pipe()
        os.close(writing)
        self._fds.append(reading)
        return reading

    def close(self) -> None:
        while self._fds:
            os.close(self._fds.pop())


def _start(
    plan: LaunchPlan,
    command: Sequence[str],
    own: _Own,
    prefix: Sequence[str],
    before_exec: Callable[[], None] | None,
    pass_fds: Sequence[int],
    streams: tuple[int | IO[bytes] | None, ...],
) -> subprocess.Popen[bytes]:
    options = [word for option, fd in own.passed for word in (option, str(fd))]
    argv = [*prefix, *plan.argv[:1], *options, *plan.argv[1:], *command]
    passed = list(pass_fds)
    for _, fd in own.passed:
        if plan.close_fds:
            passed.append(fd)
        else:
            os.set_inheritable(fd, True)

    def start() -> subprocess.Popen[bytes]:
        if plan.new_keyring:
            join_fresh_session_keyring()
        return subprocess.Popen(
            argv,
            env=dict(plan.env),
            cwd=plan.cwd,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            close_fds=plan.close_fds or bool(passed),
            pass_fds=tuple(passed),
            start_new_session=True,
            preexec_fn=before_exec,
        )

    return _on_spawner_thread(start) if plan.new_keyring else start()
