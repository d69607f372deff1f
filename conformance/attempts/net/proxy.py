"""Ask a proxy of the host to connect further: another session's, a developer's own. Reaching it is reaching all that it reaches."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.net.common import call, http
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_loopback
from sandbox.policy.rules import RuleKind


def _connect(nonce: str) -> str:
    name = f"{nonce}.example.invalid:443"
    return http("CONNECT", name, name)


def _absolute(nonce: str) -> str:
    return http("GET", f"http://{nonce}.example.invalid/", f"{nonce}.example.invalid")


def _socks5(nonce: str) -> str:
    """Greeting without authentication, then CONNECT to a name, port 80 (RFC 1928, 3 and 4)."""
    name = f"{nonce}.example.invalid"
    return "\x05\x01\x00" + "\x05\x01\x00\x03" + chr(len(name)) + name + "\x00\x50"


KINDS = {
    "connect": (_connect, "an HTTP proxy to CONNECT", "RFC 9110, 9.3.6"),
    "absolute-form": (_absolute, "an HTTP proxy to fetch an absolute address", "RFC 9112, 3.2.2"),
    "socks5": (_socks5, "a SOCKS5 proxy to connect", "RFC 1928"),
}


def _attempt(payload: Callable[[str], str], what: str, reference: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        proxy = on_loopback(nonce)
        scene.keep_open(proxy.sock)
        return call(scene, "127.0.0.1", proxy, payload(nonce))

    return Attempt(
        title=f"Ask {what} for the agent; it listens on the host's loopback and is not this session's.",
        requirement="A proxy that this session was not given cannot be used.",
        violates=RuleKind.NET_OFF,
        severity=Severity.HIGH,
        arm=arm,
        references=(reference,),
    )


FAMILY = {name: _attempt(*row) for name, row in KINDS.items()}
