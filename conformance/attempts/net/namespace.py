"""Join the network namespace of a process of the host, then speak to the host's loopback."""

from __future__ import annotations

from conformance.attempts.common import escape
from conformance.attempts.net.common import talks
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import join_netns, tcp
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_loopback
from conformance.witnesses.processes import Decoy
from sandbox.policy.rules import Rule, RuleKind


def _join(scene: Scene, pid: int) -> Armed:
    nonce = scene.nonce()
    listener = on_loopback(nonce)
    scene.keep_open(listener.sock)
    steps = (join_netns(pid), tcp("127.0.0.1", listener.port, nonce))
    return escape(scene, Rule(RuleKind.NET_OFF), steps, listener, talks(scene))


def _of_process(scene: Scene) -> Armed:
    decoy = Decoy(scene.nonce())
    scene.on_close(decoy.close)
    return _join(scene, decoy.pid)


def _of_init(scene: Scene) -> Armed:
    return _join(scene, 1)


OWNERS = {"of-process": (_of_process, "a process of the host"), "of-init": (_of_init, "process 1")}

FAMILY = {
    name: Attempt(
        title=f"Join the network namespace of {whose} through /proc/PID/ns/net, then call the host's loopback.",
        requirement="The network of a process outside cannot be joined.",
        violates=RuleKind.NET_OFF,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("setns(2)", "network_namespaces(7)"),
    )
    for name, (arm, whose) in OWNERS.items()
}
