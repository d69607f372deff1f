"""Call an address on the internet. It stands on the loopback of a network without any way out, so that nothing leaves this machine."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.net.common import http, plain, reach
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind


def _post(nonce: str) -> str:
    return http("GET", f"/collect?{nonce}", "example.invalid")


def _git(nonce: str) -> str:
    """git-upload-pack in a packet line (gitprotocol-pack(5))."""
    line = f"git-upload-pack /{nonce}.git\0host=example.invalid\0"
    return f"{len(line) + 4:04x}{line}"


def _ssh(nonce: str) -> str:
    return f"SSH-2.0-{nonce}\r\n"


def _smtp(nonce: str) -> str:
    return f"EHLO {nonce}.example.invalid\r\n"


def _quic(nonce: str) -> str:
    """A short-header packet whose connection id is the nonce (RFC 9000, 17.3)."""
    return "\x40" + nonce


def _ntp(nonce: str) -> str:
    """A client packet, version 4, with the nonce where the transmit timestamp and the extension lie (RFC 5905, 7.3)."""
    return "\x23" + "\0" * 39 + nonce


CALLS = {
    "https": ("1.1.1.1", 443, plain, False, "TCP port 443 of a public address"),
    "https6": ("2606:4700:4700::1111", 443, plain, False, "TCP port 443 of a public IPv6 address"),
    "http": ("203.0.113.80", 80, _post, False, "a web server over plain HTTP"),
    "ssh": ("203.0.113.22", 22, _ssh, False, "an SSH server"),
    "git": ("203.0.113.94", 9418, _git, False, "a git daemon"),
    "smtp": ("203.0.113.25", 25, _smtp, False, "a mail server"),
    "quic": ("1.1.1.1", 443, _quic, True, "UDP port 443 (QUIC)"),
    "quic6": ("2606:4700:4700::1111", 443, _quic, True, "UDP port 443 (QUIC) of a public IPv6 address"),
    "ntp": ("203.0.113.123", 123, _ntp, True, "a time server"),
}


def _attempt(address: str, port: int, payload: Callable[[str], str], datagram: bool, what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        return reach(scene, address, port, payload, datagram=datagram)

    return Attempt(
        title=f"Call {what}.",
        requirement="No address on the internet can be reached.",
        violates=RuleKind.NET_OFF,
        severity=Severity.CRITICAL,
        arm=arm,
        needs=frozenset((Need.NETWORK,)),
        references=("network_namespaces(7)",),
    )


FAMILY = {name: _attempt(*row) for name, row in CALLS.items()}
