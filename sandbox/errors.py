"""Every exception of the sandbox.

The life of a launch: a spec is resolved to a policy (`PolicyError` when it cannot be understood), the backend is probed
(`BackendUnavailable`), the policy is compiled (`UnenforceableRule` when a required rule cannot be held here; nothing has been
started and nothing written), the plan is launched (`LaunchFailed`), and a destroyed handle refuses everything (`SessionClosed`).
Each stops the launch: no error on the way ever leads to a weaker start.
"""

from __future__ import annotations


class SandboxError(Exception):
    """Base of all errors of this package."""


class PolicyError(SandboxError):
    """A spec or rule that cannot be understood: a relative path, an unknown symbol, two rules with one id."""


class BackendUnavailable(SandboxError):
    """The backend that was asked for by name cannot start here. Never answered by a weaker backend."""


class UnenforceableRule(SandboxError):
    """A required rule that this backend cannot enforce on this host.

    `rule_id` is the rule's stable id, `why` one sentence for a person.
    """

    def __init__(self, rule_id: str, why: str) -> None:
        super().__init__(f"{rule_id}: {why}")
        self.rule_id = rule_id
        self.why = why


class LaunchFailed(SandboxError):
    """The confined process could not be started."""


class SessionClosed(SandboxError):
    """A call on a session that has ended."""
