"""Speak to a daemon of the host over its Unix socket in its own protocol. Who may speak to one of these may do what it may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.attempts.common import escape
from conformance.attempts.net.common import http, talks_unix
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, getenv, unix
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_path
from sandbox.policy.rules import Rule, RuleKind


def _docker(nonce: str) -> str:
    return http("GET", "/version", "docker", f"User-Agent: {nonce}")


def _podman(nonce: str) -> str:
    return http("GET", "/v4.0.0/libpod/info", "d", f"User-Agent: {nonce}")


def _containerd(nonce: str) -> str:
    """The preface of HTTP/2, on which its calls travel (RFC 9113, 3.4)."""
    return f"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{nonce}"


def _ssh_agent(nonce: str) -> str:
    """SSH_AGENTC_REQUEST_IDENTITIES: which keys are there? The nonce follows as a second, unknown message."""
    return "\x00\x00\x00\x01\x0b" + "\x00\x00\x00" + chr(len(nonce)) + nonce


def _bus(nonce: str) -> str:
    return f"\0AUTH EXTERNAL {nonce.encode().hex()}\r\nDATA {nonce}\r\n"


def _display(nonce: str) -> str:
    """A connection set-up, little-endian, version 11.0, the nonce as the name of the authorisation protocol."""
    return "l\0\x0b\0\0\0" + chr(len(nonce)) + "\0\0\0\0\0" + nonce


@dataclass(frozen=True, kw_only=True, slots=True)
class Daemon:
    """`variable`: the variable of the launcher that names the socket."""

    what: str
    socket: str
    request: Callable[[str], str]
    source: str
    variable: str = ""


DAEMONS = {
    "docker": Daemon(
        what="a Docker engine its version", socket="docker.sock", request=_docker, source="Docker Engine API"
    ),
    "podman": Daemon(
        what="a Podman service its settings", socket="podman.sock", request=_podman, source="podman-system-service(1)"
    ),
    "containerd": Daemon(
        what="containerd to begin a session", socket="containerd.sock", request=_containerd, source="RFC 9113"
    ),
    "ssh-agent": Daemon(
        what="the ssh-agent that SSH_AUTH_SOCK names which keys it has",
        socket="agent.sock",
        request=_ssh_agent,
        source="ssh-agent(1)",
        variable="SSH_AUTH_SOCK",
    ),
    "session-bus": Daemon(what="a D-Bus daemon to log in", socket="bus", request=_bus, source="D-Bus specification"),
    "display": Daemon(
        what="an X server to connect", socket="X0", request=_display, source="X Window System protocol, version 11"
    ),
}


def _attempt(daemon: Daemon) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        path = f"$OUT/{daemon.socket}"
        listener = on_path(scene.host(path), nonce)
        scene.keep_open(listener.sock)
        steps: Steps = (unix(path, daemon.request(nonce)),)
        if daemon.variable:
            scene.launcher_env[daemon.variable] = str(scene.host(path))
            steps = (getenv(daemon.variable), *steps)
        return escape(scene, Rule(RuleKind.NET_UNIX), steps, listener, talks_unix(scene))

    return Attempt(
        title=f"Ask {daemon.what}, over its Unix socket.",
        requirement="Daemons of the host cannot be reached.",
        violates=RuleKind.NET_UNIX,
        severity=Severity.CRITICAL,
        arm=arm,
        references=(daemon.source, "unix(7)"),
    )


FAMILY = {name: _attempt(daemon) for name, daemon in DAEMONS.items()}
