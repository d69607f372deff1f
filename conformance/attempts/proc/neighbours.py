"""Other processes of the same user: be seen, signalled, read, robbed."""

from __future__ import annotations

import signal
from collections.abc import Callable

from conformance.attempts.common import beside, escape, readable
from conformance.core.attempt import Armed, Attempt, Witness
from conformance.core.scene import Scene
from conformance.core.steps import Step, cmdlines, kill, peek, proc_read, read, steal_fd
from conformance.core.words import Severity
from conformance.witnesses.files import OutputHolds
from conformance.witnesses.processes import Decoy
from sandbox.policy.rules import Rule, RuleKind

ISOLATE = Rule(RuleKind.PROC_ISOLATE)


def _decoy(scene: Scene) -> tuple[Decoy, str]:
    """A neighbour with the canary in its memory, argv, environment and behind a descriptor."""
    canary = scene.nonce()
    decoy = Decoy(canary, named=f"--token={canary}", env={"SERVICE_TOKEN": canary})
    scene.on_close(decoy.close)
    return decoy, canary


READS: dict[str, tuple[Callable[[Decoy, Scene], Step], str, Severity]] = {
    "cmdline": (lambda d, s: proc_read(d.pid, "cmdline"), "the command line", Severity.MEDIUM),
    "listing": (lambda d, s: cmdlines(), "the process list with all command lines", Severity.MEDIUM),
    "environ": (lambda d, s: proc_read(d.pid, "environ"), "the environment", Severity.CRITICAL),
    "memory": (lambda d, s: peek(d.pid, d.address, 16), "the memory", Severity.CRITICAL),
    "descriptor": (lambda d, s: proc_read(d.pid, f"fd/{d.fd}"), "a file through /proc/PID/fd", Severity.CRITICAL),
    "stolen-descriptor": (lambda d, s: steal_fd(d.pid, d.fd), "a descriptor taken with pidfd_getfd(2)", Severity.CRITICAL),
    "root": (lambda d, s: read(f"/proc/{d.pid}/root{s.put('$OUT/s', d.canary)}"), "a file through /proc/PID/root", Severity.CRITICAL),
}


def _reading(make: Callable[[Decoy, Scene], Step], what: str, severity: Severity) -> Attempt:
    def arm(scene: Scene) -> Armed:
        decoy, canary = _decoy(scene)
        return escape(scene, ISOLATE, make(decoy, scene), OutputHolds(canary), readable(scene))

    return Attempt(
        title=f"Read {what} of a process of the host.",
        requirement="Processes outside the sandbox cannot be seen or read.",
        violates=RuleKind.PROC_ISOLATE,
        severity=severity,
        arm=arm,
        references=("proc(5)", "pid_namespaces(7)", "process_vm_readv(2)", "pidfd_getfd(2)"),
    )


def _signalling(scene: Scene) -> Armed:
    decoy, _ = _decoy(scene)
    witness: Witness = decoy
    return escape(scene, ISOLATE, kill(decoy.pid, signal.SIGUSR1), witness, beside(scene))


FAMILY = {name: _reading(*how) for name, how in READS.items()} | {
    "signal": Attempt(
        title="Send a signal to a process of the host.",
        requirement="Processes outside the sandbox cannot be signalled.",
        violates=RuleKind.PROC_ISOLATE,
        severity=Severity.CRITICAL,
        arm=_signalling,
        references=("kill(2)", "pid_namespaces(7)"),
    )
}
