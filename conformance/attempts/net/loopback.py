"""Speak to a service of the host on its loopback, over TCP and UDP, in each spelling of "this machine"."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.net.common import call, reach
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_loopback
from sandbox.policy.rules import RuleKind

HOST = {
    "tcp": ("127.0.0.1", "127.0.0.1", False, "TCP 127.0.0.1"),
    "tcp-other": ("127.0.0.2", "127.0.0.2", False, "TCP 127.0.0.2, another address of the same network"),
    "tcp-unspecified": ("127.0.0.1", "0.0.0.0", False, "TCP 0.0.0.0, which connects to this machine"),
    "udp": ("127.0.0.1", "127.0.0.1", True, "UDP 127.0.0.1"),
}
"""Listeners on the host's own loopback: where they listen, and how the guest names them."""

ISOLATED = {
    "tcp6": ("::1", "::1", False, "TCP ::1"),
    "tcp6-unspecified": ("::1", "::", False, "TCP ::, which connects to this machine"),
    "tcp-mapped": ("127.0.0.1", "::ffff:127.0.0.1", False, "TCP ::ffff:127.0.0.1, the IPv4-mapped spelling"),
    "udp6": ("::1", "::1", True, "UDP ::1"),
}
"""In the scene's own network, because not every host has IPv6 on its loopback."""


def _on_host(bound: str, spelled: str, datagram: bool, what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        listener = on_loopback(nonce, address=bound, datagram=datagram)
        scene.keep_open(listener.sock)
        return call(scene, spelled, listener, nonce, datagram=datagram)

    return _attempt(what, arm, frozenset())


def _isolated(bound: str, spelled: str, datagram: bool, what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        return reach(scene, bound, datagram=datagram, spelled=spelled)

    return _attempt(what, arm, frozenset((Need.NETWORK,)))


def _attempt(what: str, arm: Callable[[Scene], Armed], needs: frozenset[Need]) -> Attempt:
    return Attempt(
        title=f"Call a service of the host at {what}.",
        requirement="Services on the host's loopback cannot be reached.",
        violates=RuleKind.NET_OFF,
        severity=Severity.CRITICAL,
        arm=arm,
        needs=needs,
        references=("ip(7)", "ipv6(7)", "network_namespaces(7)"),
    )


FAMILY = {name: _on_host(*row) for name, row in HOST.items()} | {
    name: _isolated(*row) for name, row in ISOLATED.items()
}
