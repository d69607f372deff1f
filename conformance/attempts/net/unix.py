"""Connect to a Unix socket of a host process that lies outside the bound trees, in each way to name it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conformance.attempts.common import escape
from conformance.attempts.net.common import talks_unix
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import abstract, unix
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_abstract, on_path
from sandbox.policy.rules import Rule, RuleKind

RULE = Rule(RuleKind.NET_UNIX)


def _connect(scene: Scene, spelled: str, *, bound: str = "$OUT/s", datagram: bool = False) -> Armed:
    nonce = scene.nonce()
    listener = on_path(scene.host(bound), nonce, datagram=datagram)
    scene.keep_open(listener.sock)
    return escape(scene, RULE, unix(spelled, nonce, datagram=datagram), listener, talks_unix(scene, datagram=datagram))


def _stream(scene: Scene) -> Armed:
    return _connect(scene, "$OUT/s")


def _datagram(scene: Scene) -> Armed:
    return _connect(scene, "$OUT/s", datagram=True)


def _link(scene: Scene) -> Armed:
    scene.host("$WORK/s").symlink_to(scene.host("$OUT/s"))
    return _connect(scene, "$WORK/s")


def _relative_link(scene: Scene) -> Armed:
    scene.host("$WORK/s").symlink_to(Path("..", "out", "s"))
    return _connect(scene, "$WORK/s")


def _proc_root(scene: Scene) -> Armed:
    return _connect(scene, f"/proc/self/root{scene.host('$OUT/s')}")


def _scratch(scene: Scene) -> Armed:
    scene.other_session()
    return _connect(scene, "$OTHER/s", bound="$OTHER/s")


def _abstract(scene: Scene) -> Armed:
    nonce, name = scene.nonce(), scene.nonce()
    listener = on_abstract(name, nonce)
    scene.keep_open(listener.sock)
    return escape(scene, RULE, abstract(name, nonce), listener, talks_unix(scene, abstract=True))


WAYS: dict[str, tuple[Callable[[Scene], Armed], str]] = {
    "stream": (_stream, "a stream socket by its path"),
    "datagram": (_datagram, "a datagram socket by its path"),
    "link": (_link, "a socket through a symlink in the work tree"),
    "relative-link": (_relative_link, "a socket through a relative symlink in the work tree"),
    "proc-root": (_proc_root, "a socket through /proc/self/root"),
    "scratch": (_scratch, "another session's socket in the host's scratch"),
    "abstract": (_abstract, "an abstract socket, which has no path"),
}

FAMILY = {
    name: Attempt(
        title=f"Connect to {what}.",
        requirement="Unix sockets of the host cannot be reached.",
        violates=RuleKind.NET_UNIX,
        severity=Severity.HIGH,
        arm=arm,
        references=("unix(7)", *(("CVE-2020-15257",) if name == "abstract" else ())),
    )
    for name, (arm, what) in WAYS.items()
}
