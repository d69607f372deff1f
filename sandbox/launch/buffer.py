"""A bounded queue of events: whoever writes too fast waits, so that an endless output never fills the memory."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator

from sandbox.events import Event, Exit, Killed, Stderr, Stdout

MOST_BYTES = 1 << 20


class EventBuffer:
    """One writer, one reader. Holds at most 1 MiB of output (one event more while it is being put); other events are not counted."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._events: deque[Event] = deque()
        self._bytes = 0
        self._discarding = False
        self._ended = False
        self._changed = threading.Condition()

    def put(self, event: Event, timeout_seconds: float | None = None) -> bool:
        """Wait for room, then add. False if there was none in time. Dropped once `discard` was called, unless it ends the stream."""
        size = len(event.data) if isinstance(event, Stdout | Stderr) else 0
        with self._changed:
            if size and not self._changed.wait_for(lambda: self._discarding or self._bytes < self._most, timeout_seconds):
                return False
            if size and self._discarding:
                return True
            self._events.append(event)
            self._bytes += size
            self._ended = self._ended or isinstance(event, Exit | Killed)
            self._changed.notify_all()
        return True

    def discard(self) -> None:
        """Take no more output, and let a waiting writer go on: the process is being killed."""
        with self._changed:
            self._discarding = True
            self._changed.notify_all()

    def get(self, timeout_seconds: float | None = None) -> Event | None:
        """The next event; None where the stream has ended. Raises TimeoutError."""
        deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        with self._changed:
            while not self._events:
                if self._ended:
                    return None
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    raise TimeoutError(f"no event within {timeout_seconds:g} s")
                self._changed.wait(left)
            event = self._events.popleft()
            self._bytes -= len(event.data) if isinstance(event, Stdout | Stderr) else 0
            self._changed.notify_all()
            return event

    @property
    def held_bytes(self) -> int:
        return self._bytes

    def __iter__(self) -> Iterator[Event]:
        """Events in the order in which they happened, until `Exit` or `Killed`."""
        while (event := self.get()) is not None:
            yield event
