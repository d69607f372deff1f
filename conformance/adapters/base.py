"""The session that most adapters share: a launch plan that is started once for each command."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.backends.plan import LaunchPlan
from sandbox.launch.process import Confined, spawn
from sandbox.sessions import Launcher


@dataclass(kw_only=True, slots=True)
class PlanSession:
    """An exec session that starts every command by one launch plan. `paths` maps symbols to places inside; `refusals` are exit
    codes by which the sandbox says that it will not run this policy."""

    plan: LaunchPlan
    paths: Mapping[str, str]
    sent: tuple[str, ...]
    not_sent: tuple[str, ...] = ()
    refusals: frozenset[int] = frozenset()
    _running: list[Confined] = field(default_factory=list)

    def guest_path(self, path: str) -> str:
        head, slash, rest = path.partition("/")
        return self.paths[head] + slash + rest if head in self.paths else path

    def start(self, command: Sequence[str], launcher: Launcher) -> Confined:
        running = spawn(
            self.plan,
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=launcher.stderr_fd if launcher.stderr_fd is not None else subprocess.STDOUT,
            prefix=launcher.prefix,
            before_exec=launcher.before_exec,
        )
        self._running.append(running)
        return running

    def close(self) -> None:
        for running in self._running:
            running.end()
