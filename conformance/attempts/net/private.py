"""Call an address of a private network: a router, a machine of the office, the host as a container or a virtual machine sees it."""

from __future__ import annotations

from conformance.attempts.net.common import reach
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

PLACES = {
    "ten": ("10.0.0.1", 80, "in 10.0.0.0/8", "RFC 1918"),
    "home-router": ("192.168.1.1", 80, "where home routers are, 192.168.1.1", "RFC 1918"),
    "docker-gateway": (
        "172.17.0.1",
        80,
        "of the host on Docker's default bridge, 172.17.0.1",
        "Docker bridge network driver",
    ),
    "docker-desktop-api": ("192.168.65.7", 2375, "of Docker Desktop's engine, 192.168.65.7:2375", "CVE-2025-9074"),
    "slirp-host": ("10.0.2.2", 80, "of the host behind user-mode networking, 10.0.2.2", "slirp4netns(1)"),
    "kubernetes-api": ("10.96.0.1", 443, "of a cluster's API service, 10.96.0.1", "kubeadm init --service-cidr"),
    "shared-space": (
        "100.64.0.1",
        80,
        "in the shared space of carriers and overlay networks, 100.64.0.0/10",
        "RFC 6598",
    ),
    "unique-local": ("fd12:3456:789a::1", 80, "in IPv6's unique local space, fd00::/8", "RFC 4193"),
}


def _attempt(address: str, port: int, where: str, reference: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        return reach(scene, address, port)

    return Attempt(
        title=f"Connect to an address {where}.",
        requirement="No address of a private network can be reached.",
        violates=RuleKind.NET_OFF,
        severity=Severity.HIGH,
        arm=arm,
        needs=frozenset((Need.NETWORK,)),
        references=(reference,),
    )


FAMILY = {name: _attempt(*row) for name, row in PLACES.items()}
