"""What can be opened on a sandbox, surface by surface. Later parts implement these; the suite attacks all of them through them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Surface(StrEnum):
    """Through what an agent acts."""

    EXEC = "exec"
    TOOL = "tool"
    EGRESS = "egress"
    GIT = "git"
    TERMINAL = "terminal"
    AGENT = "agent"


@dataclass(frozen=True, kw_only=True, slots=True)
class Launcher:
    """What whoever starts the sandbox has on it: its own environment, and things put before the command.

    `prefix` enters a scene's namespaces. `before_exec` runs in the child before exec (a controlling terminal). `stderr_fd` replaces
    the child's standard error (a terminal), else it goes where standard output goes.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    prefix: tuple[str, ...] = ()
    before_exec: Callable[[], None] | None = None
    stderr_fd: int | None = None


class Running(Protocol):
    """A started command. Its owner reads `process.stdout` and must call `end`."""

    @property
    def process(self) -> subprocess.Popen[bytes]: ...

    def end(self) -> None:
        """Kill everything that was started, wait for it, undo what the launch needed. Safe to call twice."""
        ...


class ExecSession(Protocol):
    """Runs commands in the sandbox. `sent` are the ids of the rules in force, `not_sent` of those that could not be expressed;
    `refusals` are exit codes that mean "I will not run this policy"."""

    sent: tuple[str, ...]
    not_sent: tuple[str, ...]
    refusals: frozenset[int]

    def guest_path(self, path: str) -> str:
        """Where a symbolic path (`$WORK/x`) lies inside."""
        ...

    def start(self, command: Sequence[str], launcher: Launcher) -> Running:
        """Start with stdin and stdout as pipes. Raises AdapterRefused or LaunchFailed."""
        ...

    def close(self) -> None:
        """End the session; an adapter that copies out does so here."""
        ...


class ToolSession(Protocol):
    """In-process file tools: one call, one answer."""

    def call(self, tool: str, arguments: Mapping[str, str]) -> str: ...

    def close(self) -> None: ...


class EgressSession(Protocol):
    """The proxies of one session: their addresses, and the environment that points at them."""

    def environment(self) -> Mapping[str, str]: ...

    def close(self) -> None: ...


class GitSession(Protocol):
    """A checkout whose pushes go through the gateway."""

    def checkout(self) -> str: ...

    def close(self) -> None: ...


class TerminalSession(Protocol):
    """An interactive shell. `backend` is what its badge shows."""

    @property
    def backend(self) -> str: ...

    def send(self, data: bytes) -> None: ...

    def receive(self, timeout_seconds: float) -> bytes: ...

    def close(self) -> None: ...


class AgentSession(Protocol):
    """A whole agent driven through its transport."""

    def prompt(self, text: str) -> str: ...

    def close(self) -> None: ...
