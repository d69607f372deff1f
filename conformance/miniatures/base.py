"""What all miniatures share: a random name, the claim that everything is enforced, and two honest ways to start a command."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Sequence
from typing import ClassVar

from conformance.adapters.base import PlanSession
from conformance.core.runfile import AdapterRecord
from conformance.core.scene import Scene
from sandbox.backends.none import NoneBackend
from sandbox.backends.plan import LaunchPlan
from sandbox.host import Host
from sandbox.launch.environment import clean
from sandbox.launch.process import Confined
from sandbox.policy.rules import Policy, RuleKind
from sandbox.sessions import Launcher, Surface
from sandbox.spec import SandboxBackend

SEED = "SANDPROOF_MINIATURES"


def random_name(of: str) -> str:
    """New in every run, the same in all processes of one: the workers of pytest-xdist inherit the seed, or share their run's id."""
    seed = os.environ.setdefault(SEED, os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex(8))
    return "m-" + hashlib.sha256(f"{seed} {of}".encode()).hexdigest()[:6]


class Miniature:
    """`needs_bwrap`: it really confines, apart from its vice; without bubblewrap it is unavailable, never imitated."""

    reference = False
    surfaces = frozenset((Surface.EXEC,))
    needs_bwrap: ClassVar[bool] = False

    def __init__(self) -> None:
        self.id = random_name(type(self).__name__)

    def describe(self) -> str:
        return "a sandbox that says that it enforces everything"

    def availability(self, host: Host) -> str:
        return "bwrap is not on PATH" if self.needs_bwrap and shutil.which("bwrap") is None else ""

    def record(self, host: Host) -> AdapterRecord:
        return AdapterRecord(
            variant=self.id,
            title=self.describe(),
            reference=False,
            unavailable=self.availability(host),
            claims={"*": "enforced"},
        )


class ShimSession(PlanSession):
    """Starts a small Python program in the command's place; the command is what the program finds in its arguments."""

    source: ClassVar[str]

    def start(self, command: Sequence[str], launcher: Launcher) -> Confined:
        return PlanSession.start(self, (command[0], "-I", "-S", "-c", self.source, *command), launcher)


def free(scene: Scene) -> LaunchPlan:
    """Nothing confines what is started."""
    return NoneBackend().bare(scene.launcher_env, sanitised=False, cwd=scene.symbols["$WORK"])


def free_paths(scene: Scene) -> dict[str, str]:
    return scene.symbols | {"$TMP": scene.symbols["$SCRATCH"]}


def ids(policy: Policy) -> tuple[str, ...]:
    return tuple(rule.id for rule in policy.rules)


def confined(policy: Policy, scene: Scene, *extra: str) -> LaunchPlan:
    """A plain bubblewrap recipe that holds the file rules of small policies: roots writable, denied paths read-only or masked. Denied
    paths that do not exist are left alone, so that no mount point is left on the host. `extra` arguments come last and win."""
    mounts: list[str] = []
    for rule in policy.rules:
        path = scene.host(policy.path(rule.target)).resolve() if rule.target.startswith("$") else None
        if path is None or not path.exists():
            continue
        if rule.kind is RuleKind.FS_WRITE_ALLOW:
            mounts = ["--bind", str(path), str(path), *mounts]
        elif rule.kind is RuleKind.FS_WRITE_DENY:
            mounts += ["--ro-bind", str(path), str(path)]
        elif rule.kind is RuleKind.FS_READ_DENY:
            mounts += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    return bwrap(scene, *mounts, *extra)


def bwrap(scene: Scene, *mounts: str) -> LaunchPlan:
    """Everything read-only, own devices, processes, network and scratch; then `mounts`."""
    world = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp")
    walls = ("--unshare-all", "--die-with-parent", "--new-session", "--chdir", scene.symbols["$WORK"], "--")
    return LaunchPlan(
        backend=SandboxBackend.NONE,
        argv=(shutil.which("bwrap") or "bwrap", *world, *mounts, *walls),
        env=clean(scene.launcher_env, home=scene.symbols["$HOME"]),
    )
