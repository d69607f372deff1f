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

from sandbox.backends.plan import LaunchPlan
from sandbox.errors import LaunchFailed
from sandbox.launch import janitor
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
    _info: int = field(default=-1, repr=False)
    _ending: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def end(self) -> None:
        """Kill the whole tree, wait for it, take the stubs away. Safe to call twice, from two threads too."""
        with self._ending:
            if self.process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.kill()
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
        if self._info >= 0:
            gone = janitor.wait_gone(self._info)
            os.close(self._info)
            self._info = -1
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
    info = os.memfd_create("sandproof-info") if plan.info_option else -1
    hold: Hold | None = None
    try:
        hold = hold_stubs(plan.guarded, plan.stubs, info=info if info >= 0 else None) if plan.stubs else None
        process = _start(plan, command, info, prefix, before_exec, pass_fds, (stdin, stdout, stderr))
    except (StubError, OSError, ValueError, NotImplementedError, subprocess.SubprocessError) as error:
        if hold is not None:
            hold.release()
        if info >= 0:
            os.close(info)
        first = [*prefix, *plan.argv, *command][0]
        raise LaunchFailed(str(error) if isinstance(error, StubError) else f"could not start {first!r}: {error}") from error
    return Confined(process, hold, info)


def _start(
    plan: LaunchPlan,
    command: Sequence[str],
    info: int,
    prefix: Sequence[str],
    before_exec: Callable[[], None] | None,
    pass_fds: Sequence[int],
    streams: tuple[int | IO[bytes] | None, ...],
) -> subprocess.Popen[bytes]:
    reports = (plan.info_option, str(info)) if info >= 0 else ()
    argv = [*prefix, *plan.argv[:1], *reports, *plan.argv[1:], *command]
    passed = list(pass_fds)
    if info >= 0 and plan.close_fds:
        passed.append(info)
    elif info >= 0:
        os.set_inheritable(info, True)

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
