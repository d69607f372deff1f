"""The seam of ACP agents and the harness's bash tool: a command goes in, and what is really to be started comes out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.backends.base import Backend, Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.backends.none import NoneBackend
from sandbox.backends.plan import LaunchPlan
from sandbox.host import Host
from sandbox.launch.choice import Resolve, choose, policy_of, workdir
from sandbox.policy.resolve import resolve as default_policy
from sandbox.policy.rules import Policy
from sandbox.probe import Switch
from sandbox.spec import SandboxBackend, SandboxSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class Wrapped:
    """What to start: `spawn(wrapped.plan, wrapped.command)`. `backend` is the one it really has."""

    backend: SandboxBackend
    plan: LaunchPlan
    command: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxManager:
    """Fed by the server's one probe and switch. `resolve` makes the policy of a spec; None is the default policy."""

    probe: Probe
    switch: Switch
    host: Host
    resolve: Resolve | None = None
    native: Backend | None = None

    def wrap(
        self, spec: SandboxSpec, command: Sequence[str], environ: Mapping[str, str], *, requested: SandboxBackend | None = None
    ) -> Wrapped:
        """Starts nothing. Without a backend the command gets a sanitised environment, and `none` is what it reports.

        Raises PolicyError, UnenforceableRule or BackendUnavailable; each refuses the launch.
        """
        backend = choose(requested, self.probe, self.switch)
        # Resolved without a backend too: a spec that cannot be understood is refused on every host.
        policy = policy_of(self.resolve or at_home(environ), spec, self.host)
        place = workdir(spec)
        if backend is SandboxBackend.NONE:
            plan = NoneBackend().bare(environ, sanitised=True)
        else:
            plan = (self.native or Bubblewrap()).compile(policy, self.host, environ)
        return Wrapped(backend=plan.backend, plan=plan.at(place) if place is not None else plan, command=tuple(command))


def at_home(environ: Mapping[str, str]) -> Resolve:
    """The default policy, for the home directory of this environment, else of this user."""
    home = environ.get("HOME") or os.path.expanduser("~")

    def resolve(spec: SandboxSpec, host: Host) -> Policy:
        return default_policy(spec, host, home=home)

    return resolve
