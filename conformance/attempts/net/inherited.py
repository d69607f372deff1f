"""Speak through a connection that the launcher had open: a socket belongs to the network in which it was made, wherever it is used."""

from __future__ import annotations

import socket

from conformance.attempts.common import beside, escape
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import fds_write
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_loopback
from sandbox.policy.rules import Rule, RuleKind


def arm(scene: Scene) -> Armed:
    nonce = scene.nonce()
    listener = on_loopback(nonce)
    connection = socket.create_connection(("127.0.0.1", listener.port))
    connection.set_inheritable(True)
    scene.keep_open(listener.sock)
    scene.keep_open(connection)
    return escape(scene, Rule(RuleKind.PROC_FD_CLOSE), fds_write(nonce, nonce), listener, beside(scene))


ATTEMPT = Attempt(
    title="Write to a TCP connection that the launcher left open and inheritable.",
    requirement="No connection of the launcher is inherited.",
    violates=RuleKind.PROC_FD_CLOSE,
    severity=Severity.HIGH,
    arm=arm,
    references=("network_namespaces(7)", "socket(2)"),
)
