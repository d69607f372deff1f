"""What several tests share: quick property settings, a spec on a scratch tree, and real launches."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sandbox.backends.base import Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.backends.plan import LaunchPlan
from sandbox.host import Host
from sandbox.launch.process import Confined, spawn
from sandbox.policy.resolve import resolve
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.probe import probe_native
from sandbox.spec import Mode, SandboxBindMount, SandboxSpec

quick = settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
LINUX = Host(platform="linux")
NOT_YET = (RuleKind.FS_NAME_DENY, RuleKind.FS_ALIAS_DENY)
"""What bubblewrap cannot hold yet; a policy with these is refused."""


@cache
def native() -> Probe:
    return probe_native(Host.detect())


def need_bubblewrap() -> None:
    if not native().available:
        pytest.skip(f"no native sandbox here: {native().note}")


def mount(path: object, *, read_only: bool = False) -> SandboxBindMount:
    return SandboxBindMount(host_path=str(path), guest_path=str(path), read_only=read_only)


def spec(*mounts: SandboxBindMount, mode: Mode = Mode.CHAT, protected: Sequence[object] = (), state: Sequence[object] = ()) -> SandboxSpec:
    return SandboxSpec(
        session_id="session",
        workspace_id="workspace",
        bind_mounts=mounts,
        mode=mode,
        protected_paths=tuple(map(str, protected)),
        runner_state_dirs=tuple(map(str, state)),
    )


def ids(policy: Policy) -> set[str]:
    return {rule.id for rule in policy.rules}


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str
    err: str


@dataclass(slots=True)
class Place:
    """A scratch home and repository, and launches on them."""

    base: Path
    running: list[Confined] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def work(self) -> Path:
        return self.base / "work"

    def make(self, *paths: str) -> None:
        """`a/b/` is a directory, `a/b` a file that holds its own name."""
        for text in paths:
            path = self.base / text
            if text.endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")

    def policy(self, *extra: Rule, wanted: SandboxSpec | None = None) -> Policy:
        """The default policy but for what bubblewrap cannot hold yet."""
        found = resolve(wanted or spec(mount(self.work)), Host.detect(), home=str(self.home))
        return found.without(*NOT_YET).with_rules(extra)

    def small(self, *rules: Rule, **roots: object) -> Policy:
        """Confinement and hygiene, and the given rules; `WORK=path` names `$WORK`."""
        from sandbox.policy import baseline

        return Policy(rules=(*baseline.ALWAYS, *rules), roots=tuple((f"${name}", str(path)) for name, path in roots.items()))

    def plan(self, policy: Policy | None = None) -> LaunchPlan:
        return Bubblewrap().compile(policy or self.policy(), Host.detect(), dict(os.environ))

    def start(self, command: str, policy: Policy | None = None, **options: object) -> Confined:
        found = spawn(
            self.plan(policy),
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,  # type: ignore[arg-type]
        )
        self.running.append(found)
        return found

    def run(self, command: str, policy: Policy | None = None, **options: object) -> Said:
        found = self.start(command, policy, **options)
        try:
            out, err = found.process.communicate(timeout=20)
        finally:
            found.end()
        return Said(found.process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def names(self) -> set[str]:
        """Everything below the scratch directory; `os.walk` does not mind what goes away meanwhile."""
        found = [os.path.join(top, name) for top, below, files in os.walk(self.base) for name in (*below, *files)]
        return {os.path.relpath(path, self.base) for path in found}


def until(condition: Callable[[], object], seconds: float = 5.0) -> bool:
    import time

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
