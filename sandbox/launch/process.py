"""Start what a launch plan describes, and end it with everything that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO

from sandbox.backends.plan import LaunchPlan
from sandbox.errors import LaunchFailed
from sandbox.launch.keyring import join_fresh_session_keyring
from sandbox.launch.stubs import Hold, StubError, hold_stubs

_spawner: list[ThreadPoolExecutor] = []


def _on_spawner_thread(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Run `start` on one thread that lives as long as this process.

    A parent-death signal fires when the *thread* that forked the child ends (prctl(2), PR_SET_PDEATHSIG), so a short-lived thread
    would kill what it has started; and only this thread's keyring is exchanged, never the caller's.
    """
    if not _spawner:
        _spawner.append(ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandproof-spawn"))
    return _spawner[0].submit(start).result()


@dataclass(slots=True)
class Confined:
    """A running confined process and what must be undone after it."""

    process: subprocess.Popen[bytes]
    _hold: Hold | None = field(default=None, repr=False)

    def end(self) -> None:
        """Kill the whole tree, wait for it, take the stubs away. Safe to call twice."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        if self._hold is not None:
            self._hold.release()
            self._hold = None


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
    try:
        hold = hold_stubs(plan.guarded, plan.stubs) if plan.guarded else None
    except StubError as error:
        raise LaunchFailed(str(error)) from error
    argv = [*prefix, *plan.argv, *command]

    def start() -> subprocess.Popen[bytes]:
        if plan.new_keyring:
            join_fresh_session_keyring()
        return subprocess.Popen(
            argv,
            env=dict(plan.env),
            cwd=plan.cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            close_fds=plan.close_fds or bool(pass_fds),
            pass_fds=tuple(pass_fds),
            start_new_session=True,
            preexec_fn=before_exec,
        )

    try:
        return Confined(_on_spawner_thread(start) if plan.new_keyring else start(), hold)
    except (OSError, NotImplementedError, subprocess.SubprocessError) as error:
        if hold is not None:
            hold.release()
        raise LaunchFailed(f"could not start {argv[0]!r}: {error}") from error
