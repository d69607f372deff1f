"""The native backend of this platform, as a reference adapter. What it claims is generated from its coverage."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from conformance.adapters.base import PlanSession
from conformance.core.adapter import AdapterRefused
from conformance.core.runfile import AdapterRecord, CoverageStatement
from conformance.core.scene import Scene
from conformance.core.words import Reason
from sandbox.backends.base import Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.errors import UnenforceableRule
from sandbox.host import Host
from sandbox.policy import baseline
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.sessions import Surface


@cache
def _probe(host: Host, program: str | None) -> Probe:
    return Bubblewrap(program).probe(host)


class NativeAdapter:
    id = "native"
    reference = True
    surfaces = frozenset((Surface.EXEC,))

    def __init__(self, drop: frozenset[RuleKind] = frozenset()) -> None:
        # Only tests drop rules: to see that an attempt notices.
        self._drop = drop
        self._backend = Bubblewrap()

    def describe(self) -> str:
        return "our native backend: bubblewrap (namespaces, no kernel boundary)"

    def availability(self, host: Host) -> str:
        found = _probe(host, self._backend.find())
        return "" if found.available else found.note

    def record(self, host: Host) -> AdapterRecord:
        unavailable = self.availability(host)
        return AdapterRecord(
            variant=self.id,
            title=self.describe(),
            reference=True,
            version=self._backend.version(),
            unavailable=unavailable,
            coverage=statement(self._backend, host) if host.is_linux else {},
        )

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        policy = policy.without(*self._drop)
        try:
            plan = self._backend.compile(policy, Host.detect(), scene.launcher_env)
        except UnenforceableRule as error:
            raise AdapterRefused(Reason.UNENFORCEABLE_RULE, scene.redact(str(error))) from error
        return PlanSession(plan=plan, paths=scene.symbols | {"$TMP": "/tmp"}, sent=tuple(rule.id for rule in policy.rules))


def statement(backend: Bubblewrap, host: Host) -> dict[str, CoverageStatement]:
    """What the backend says of each kind of rule, asked of a policy that has one of each on a small real tree; of kinds with several
    sorts of target the one that is hardest to hold."""
    with tempfile.TemporaryDirectory(prefix="sandproof-coverage-") as base:
        for name in ("work/.git/hooks", "home"):
            Path(base, name).mkdir(parents=True)
        samples = {
            RuleKind.FS_WRITE_ALLOW: "$WORK",
            RuleKind.FS_READ_ALLOW: "$HOME",
            RuleKind.FS_WRITE_DENY: "$WORK/.mcp.json",
            RuleKind.FS_READ_DENY: "$HOME/.ssh",
            RuleKind.FS_NAME_DENY: baseline.NAME_DENY[0],
        }
        rules = tuple(Rule(kind, samples.get(kind, "")) for kind in RuleKind)
        policy = Policy(rules=rules, roots=(("$WORK", f"{base}/work"), ("$HOME", f"{base}/home")))
        answers = {rule: backend.coverage(rule, policy, host) for rule in rules}
    return {rule.kind.value: CoverageStatement(level=a.level, why=a.why) for rule, a in answers.items()}


