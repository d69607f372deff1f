"""The adapter that confines nothing: the suite's control, and an honest column of its own."""

from __future__ import annotations

from conformance.adapters.base import PlanSession
from conformance.core.runfile import AdapterRecord, CoverageStatement
from conformance.core.scene import Scene
from sandbox.backends.none import NoneBackend
from sandbox.host import Host
from sandbox.policy.rules import Policy, RuleKind
from sandbox.sessions import Surface


class NoneAdapter:
    id = "none"
    reference = True
    surfaces = frozenset((Surface.EXEC,))

    def describe(self) -> str:
        return "no sandbox: the process runs as its user, with the launcher's environment and descriptors"

    def availability(self, host: Host) -> str:
        return "" if host.platform != "windows" else "the exec surface is not driven on Windows yet"

    def record(self, host: Host) -> AdapterRecord:
        statement = CoverageStatement(level="none", why="this backend confines nothing")
        return AdapterRecord(
            variant=self.id,
            title=self.describe(),
            reference=True,
            unavailable=self.availability(host),
            coverage={kind.value: statement for kind in RuleKind},
        )

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        plan = NoneBackend().bare(scene.launcher_env, sanitised=False, cwd=scene.symbols["$WORK"])
        symbols = scene.symbols | {"$TMP": scene.symbols["$SCRATCH"]}
        return PlanSession(plan=plan, paths=symbols, sent=(), not_sent=tuple(rule.id for rule in policy.rules))
