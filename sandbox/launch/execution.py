"""One running command and its event stream."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from sandbox.backends.plan import LaunchPlan
from sandbox.events import Event, EventStream, Exit, KillCause, Killed, Ready, Starting, Stderr, Stdout
from sandbox.launch import tree
from sandbox.launch.buffer import EventBuffer
from sandbox.launch.process import Confined, spawn

CHUNK = 1 << 16
STRAGGLER_SECONDS = 0.2
TICK_SECONDS = 0.05


class Execution:
    """Emits Starting, Ready, Stdout and Stderr as they come, then Exit or Killed.

    Output that nobody reads stays in the pipe and makes the command wait. Once the command has ended, output of what it left behind is
    read for 0.2 s of silence at most. `ended` is called once, after the last event.
    """

    def __init__(
        self, plan: LaunchPlan, command: Sequence[str], timeout_seconds: float | None, ended: Callable[[], None] = lambda: None
    ) -> None:
        self._buffer = EventBuffer()
        self._buffer.put(Starting())
        self._confined: Confined = spawn(
            plan, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._buffer.put(Ready())
        self._cause: KillCause | None = None
        self._lock = threading.Lock()
        self._left = timeout_seconds
        self._suspended = False
        self._ended = ended
        self._pump = threading.Thread(target=self._run, name="sandproof-events", daemon=True)
        self._pump.start()

    @property
    def events(self) -> EventStream:
        """Read it once, to its end or until the session is destroyed."""
        return self._buffer

    @property
    def pid(self) -> int:
        """The launcher program's process id on the host."""
        return self._confined.process.pid

    @property
    def finished(self) -> bool:
        return not self._pump.is_alive()

    @property
    def is_current_thread(self) -> bool:
        """Is the caller the thread that emits this command's events?"""
        return threading.current_thread() is self._pump

    def next_event(self, timeout_seconds: float | None = None) -> Event | None:
        """None after the last. Raises TimeoutError."""
        return self._buffer.get(timeout_seconds)

    def write(self, data: bytes) -> None:
        """To the command's standard input. Raises BrokenPipeError when nobody reads it any more."""
        stdin = self._confined.process.stdin
        if stdin is None or stdin.closed:
            raise BrokenPipeError("standard input is closed")
        stdin.write(data)
        stdin.flush()

    def close_stdin(self) -> None:
        stdin = self._confined.process.stdin
        if stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                stdin.close()

    def suspend(self) -> None:
        """Stop the process tree and the clock of its timeout."""
        self._suspended = True
        tree.stop(self.pid)

    def resume(self) -> None:
        tree.resume(self.pid)
        self._suspended = False

    def kill(self, cause: KillCause) -> None:
        """Kill the tree; the stream ends with Killed(cause). Without effect on a command that has ended."""
        with self._lock:
            if self._confined.process.poll() is None:
                self._cause = self._cause or cause
                tree.kill(self.pid)
        self._buffer.discard()

    def join(self, timeout_seconds: float | None = None) -> bool:
        """Wait until the command and everything around it is gone; True if it is. Output that nobody reads keeps it from ending."""
        self._pump.join(timeout_seconds)
        return self.finished

    def _run(self) -> None:
        try:
            self._read()
        finally:
            tail: Event
            code = self._confined.process.poll()
            if code is None:  # reading failed: never leave it running unseen
                self.kill(KillCause.STOPPED)
            try:
                self._confined.end()
            finally:
                code = self._confined.process.returncode
                tail = Killed(self._cause) if self._cause is not None else Exit(code if code >= 0 else 128 - code)
                self._ended()
                self._buffer.put(tail)

    def _read(self) -> None:
        process = self._confined.process
        assert process.stdout is not None
        assert process.stderr is not None
        quiet = 0.0
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ, Stdout)
            ready.register(process.stderr, selectors.EVENT_READ, Stderr)
            while True:
                before = time.monotonic()
                found = ready.select(TICK_SECONDS) if ready.get_map() else []
                for key, _ in found:
                    data = os.read(key.fd, CHUNK)
                    if data:
                        self._put(key.data(data))
                    else:
                        ready.unregister(key.fileobj)
                over = process.poll() is not None
                if over and not ready.get_map():
                    return
                if not found and not over and not ready.get_map():
                    time.sleep(0.005)
                spent = time.monotonic() - before
                quiet = quiet + spent if over and not found else 0.0
                if quiet > STRAGGLER_SECONDS:
                    return
                self._count(spent)

    def _put(self, event: Event) -> None:
        before = time.monotonic()
        while not self._buffer.put(event, TICK_SECONDS):
            now = time.monotonic()
            self._count(now - before)
            before = now

    def _count(self, seconds: float) -> None:
        if self._left is None or self._suspended:
            return
        self._left -= seconds
        if self._left <= 0:
            self._left = None
            self.kill(KillCause.TIMEOUT)
