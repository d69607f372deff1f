"""Kernel objects that a launcher shares without meaning to: its keyring, shared memory, host name and terminal."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import beside, escape, readable
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.steps import keyring_read, read, sethostname, shm_write, tiocsti
from conformance.core.words import Severity
from conformance.witnesses.files import OutputHolds
from conformance.witnesses.kernel import HostNamed, SharedSegment, Terminal, put_key
from sandbox.policy.rules import Rule, RuleKind


def _keyring(scene: Scene) -> Armed:
    canary, name = scene.nonce(), f"sp-{scene.nonce()}"
    scene.on_close(put_key(name, canary))
    return escape(scene, Rule(RuleKind.PROC_KEYRING), keyring_read(name), OutputHolds(canary), readable(scene))


def _segment(scene: Scene) -> Armed:
    nonce = scene.nonce()
    segment = SharedSegment(nonce)
    scene.on_close(segment.close)
    return escape(scene, Rule(RuleKind.PROC_IPC), shm_write(segment.id, nonce), segment, beside(scene))


def _hostname(scene: Scene) -> Armed:
    name = f"h{scene.nonce()}"
    witness = HostNamed(scene.isolate_network(), name)
    return escape(scene, Rule(RuleKind.PROC_UTS), sethostname(name), witness, beside(scene))


def _hostname_read(scene: Scene) -> Armed:
    canary = f"h{scene.nonce()}"
    scene.isolate_network().rename(canary)
    rule = Rule(RuleKind.PROC_UTS)
    return escape(scene, rule, read("/proc/sys/kernel/hostname"), OutputHolds(canary), readable(scene))


def _terminal(scene: Scene) -> Armed:
    nonce = scene.nonce()
    terminal = Terminal(nonce)
    scene.on_close(terminal.close)
    scene.before_exec = terminal.take
    scene.stderr_fd = terminal.slave
    return escape(scene, Rule(RuleKind.PROC_TTY), tiocsti(nonce), terminal, beside(scene))


def _attempt(
    title: str, kind: RuleKind, severity: Severity, arm: Callable[[Scene], Armed], *refs: str, root: bool = False, net: bool = False
) -> Attempt:
    return Attempt(
        title=title,
        requirement="Kernel objects of the launcher are not shared with the sandbox.",
        violates=kind,
        severity=severity,
        arm=arm,
        references=refs,
        root_only=root,
        needs=frozenset((Need.NETWORK,)) if net else frozenset(),
    )


FAMILY = {
    "session-keyring": _attempt(
        "Read a key from the launcher's session keyring.", RuleKind.PROC_KEYRING, Severity.HIGH, _keyring, "session-keyring(7)"
    ),
    "shared-memory": _attempt(
        "Write into a System V shared memory segment of the host.", RuleKind.PROC_IPC, Severity.MEDIUM, _segment, "shmop(2)"
    ),
    "host-name": _attempt(
        "Change the host's name (of the scene's own namespace).",
        RuleKind.PROC_UTS,
        Severity.LOW,
        _hostname,
        "uts_namespaces(7)",
        root=True,
        net=True,
    ),
    "host-name-read": _attempt(
        "Read the host's name (of the scene's own namespace).",
        RuleKind.PROC_UTS,
        Severity.LOW,
        _hostname_read,
        "uts_namespaces(7)",
        net=True,
    ),
    "terminal-input": _attempt(
        "Type into the launcher's terminal.", RuleKind.PROC_TTY, Severity.CRITICAL, _terminal, "ioctl_tty(2), TIOCSTI", "CVE-2017-5226"
    ),
}
