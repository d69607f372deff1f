"""The backend that confines nothing, and says so. It is the parser's default, the fallback, and the suite's control."""

from __future__ import annotations

from collections.abc import Mapping

from sandbox.backends.base import Coverage, Level, Probe
from sandbox.backends.plan import LaunchPlan
from sandbox.errors import UnenforceableRule
from sandbox.host import Host
from sandbox.launch.environment import clean
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.spec import SandboxBackend


class NoneBackend:
    """Raises nothing, holds nothing: `coverage` is `cannot` for every rule that denies."""

    name = SandboxBackend.NONE

    def probe(self, host: Host) -> Probe:
        return Probe(available=True, note="nothing confines the process")

    def coverage(self, rule: Rule, policy: Policy, host: Host) -> Coverage:
        if rule.kind in (RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW):
            return Coverage(Level.ENFORCED)
        return Coverage(Level.CANNOT, "this backend confines nothing")

    def compile(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        """Refuses a policy that requires anything; callers that mean to run unconfined use `bare` instead."""
        for rule in policy.rules:
            found = self.coverage(rule, policy, host)
            if rule.required and found.level is not Level.ENFORCED:
                raise UnenforceableRule(rule.id, found.why)
        return self.bare(environ, sanitised=True)

    def bare(self, environ: Mapping[str, str], *, sanitised: bool, cwd: str = "/") -> LaunchPlan:
        """A start without any confinement. `sanitised` is what ACP agents and the harness's bash get; the Claude CLI inherits the
        environment and the descriptors as they are (SYSTEM §3, shown in the matrix as an honest gap)."""
        env = clean(environ) if sanitised else dict(environ)
        return LaunchPlan(backend=SandboxBackend.NONE, env=env, cwd=cwd, close_fds=sanitised)
