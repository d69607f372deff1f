"""Shorthand of the network attempts.

With the network off nothing outside can be reached, so the nearest thing that is allowed lies inside: a listener of the
guest's own. That call is made and told, but the twin has landed when a plain write has: a sandbox that refuses every
socket holds the rule too, and its refusal shows as collateral damage, not as doubt.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, beside, escape
from conformance.core.attempt import Armed
from conformance.core.scene import Scene
from conformance.core.steps import inside, inside_unix, tcp, udp
from conformance.witnesses.listeners import Hears
from sandbox.policy.rules import Rule, RuleKind

Payload = Callable[[str], str]
"""From a nonce to what is sent."""


def talks(scene: Scene, address: str = "127.0.0.1", *, datagram: bool = False) -> Twin:
    """The twin of a call over IP: the same call to a listener inside, and a write."""
    steps, witness = beside(scene)
    loopback = "::1" if ":" in address else "127.0.0.1"
    return (inside(loopback, "$WORK/inside.txt", scene.nonce(), datagram=datagram), *steps), witness


def talks_unix(scene: Scene, *, datagram: bool = False, abstract: bool = False) -> Twin:
    """The twin of a call to a Unix socket."""
    steps, witness = beside(scene)
    name = "\0" + scene.nonce() if abstract else f"$TMP/{scene.nonce()}"
    return (inside_unix(name, "$WORK/inside.txt", scene.nonce(), datagram=datagram), *steps), witness


def hears(scene: Scene, address: str, port: int, nonce: str, *, datagram: bool = False) -> Hears:
    """A listener on a real address in the scene's isolated network. Raises NoIsolatedNetwork."""
    sock = scene.isolate_network().listen(address, port, datagram=datagram)
    scene.keep_open(sock)
    return Hears(sock, nonce, address)


def plain(nonce: str) -> str:
    return nonce


def reach(
    scene: Scene,
    address: str,
    port: int = 0,
    payload: Payload = plain,
    *,
    datagram: bool = False,
    spelled: str = "",
) -> Armed:
    """A call to an address of the isolated network. `spelled`: how the guest names it, where that is not the address itself."""
    nonce = scene.nonce()
    listener = hears(scene, address, port, nonce, datagram=datagram)
    return call(scene, spelled or address, listener, payload(nonce), datagram=datagram)


def call(scene: Scene, address: str, listener: Hears, data: str, *, datagram: bool = False) -> Armed:
    """A call to a listener that is there already."""
    step = (udp if datagram else tcp)(address, listener.port, data)
    return escape(scene, Rule(RuleKind.NET_OFF), step, listener, talks(scene, address, datagram=datagram))


def dns_question(label: str) -> str:
    """A query for the A record of `label`.example.invalid (RFC 1035, 4.1); all its bytes are below 128."""
    name = "".join(chr(len(part)) + part for part in (label, "example", "invalid"))
    return "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + name + "\x00\x00\x01\x00\x01"


def http(method: str, path: str, host: str, *headers: str) -> str:
    """The bytes of an HTTP/1.1 request without a body (RFC 9112)."""
    return "\r\n".join((f"{method} {path} HTTP/1.1", f"Host: {host}", *headers, "Connection: close", "", ""))
