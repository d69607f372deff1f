"""Which backend a launch gets (SYSTEM §1-3). Both seams ask here, with the one probe of the server."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sandbox.backends.base import Probe
from sandbox.errors import BackendUnavailable, PolicyError, SandboxError
from sandbox.host import Host
from sandbox.policy.rules import Policy
from sandbox.probe import Switch
from sandbox.spec import SandboxBackend, SandboxSpec

log = logging.getLogger(__name__)

Resolve = Callable[[SandboxSpec, Host], Policy]
"""From a spec to its policy. The caller's own may leave rules out; what it leaves out is not in the policy and nobody claims it."""


def choose(requested: SandboxBackend | None, probe: Probe, switch: Switch) -> SandboxBackend:
    """`requested` None is the unspecified default, `microvm`; only that steps down, with one log line.

    Raises BackendUnavailable for a backend that was asked for by name and is not here. The operator's `off` means `none` for all but
    `microvm`, which is never answered by anything else.
    """
    if requested is SandboxBackend.MICROVM:
        raise BackendUnavailable("microvm was asked for and no virtual machine can be started here; it is never replaced by a weaker one")
    if switch is Switch.OFF or requested is SandboxBackend.NONE:
        return SandboxBackend.NONE
    if probe.available:
        if requested is None:
            log.info("sandbox: no microvm on this host; the default steps down to native")
        return SandboxBackend.NATIVE
    if requested is SandboxBackend.NATIVE:
        raise BackendUnavailable(f"native was asked for and is not available here ({probe.note}){_then(probe.hint)}")
    log.info("sandbox: no backend on this host (%s); the default steps down to none", probe.note)
    return SandboxBackend.NONE


def _then(hint: str | None) -> str:
    return f"; {hint}" if hint else ""


def policy_of(resolve: Resolve, spec: SandboxSpec, host: Host) -> Policy:
    """Fail-closed: whatever goes wrong while resolving is a PolicyError, and nothing starts."""
    try:
        return resolve(spec, host)
    except SandboxError:
        raise
    except Exception as error:
        raise PolicyError(f"the policy could not be resolved, so nothing is started: {type(error).__name__}: {error}") from error


def workdir(spec: SandboxSpec) -> str | None:
    """Where a run starts: where it asks to, else in its first bind mount."""
    if spec.guest_workdir is not None:
        return spec.guest_workdir
    return spec.bind_mounts[0].guest_path if spec.bind_mounts else None
