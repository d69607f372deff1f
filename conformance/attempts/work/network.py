"""Servers and clients that stay inside: tests start them all the time, network off or not."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.work.common import PROOF, proof, python, works
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.steps import Step, inside, inside_unix
from conformance.core.words import Severity

RESOLVES = """
import socket, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(("localhost", server.getsockname()[1])) as client:
        client.sendall(sys.argv[1].encode())
    with server.accept()[0] as heard:
        open("proof.txt", "wb").write(heard.recv(100))
"""

WEB = """
import http.server, sys, threading, urllib.request
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
open("page.txt", "w").write(sys.argv[1])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open("http://127.0.0.1:%d/page.txt" % server.server_port, timeout=5) as page:
    open("proof.txt", "wb").write(page.read())
"""

PAIR = """
import os, socket, sys
ours, theirs = socket.socketpair()
if os.fork() == 0:
    ours.close()
    theirs.sendall(sys.argv[1].encode())
    os._exit(0)
theirs.close()
open("proof.txt", "wb").write(ours.recv(100))
"""


def _ip(address: str, *, datagram: bool = False, isolated: bool = False) -> Callable[[Scene, str], Step]:
    def step(scene: Scene, nonce: str) -> Step:
        if isolated:  # not every host has IPv6 on its loopback
            scene.isolate_network()
        return inside(address, PROOF, nonce, datagram=datagram)

    return step


def _unix(*, datagram: bool = False, abstract: bool = False) -> Callable[[Scene, str], Step]:
    def step(scene: Scene, nonce: str) -> Step:
        name = scene.nonce()
        return inside_unix(f"\0{name}" if abstract else f"$TMP/{name}", PROOF, nonce, datagram=datagram)

    return step


def _program(source: str) -> Callable[[Scene, str], Step]:
    return lambda scene, nonce: python(scene, source, nonce)


NETWORK = frozenset((Need.NETWORK,))
KINDS: dict[str, tuple[Callable[[Scene, str], Step], str, frozenset[Need]]] = {
    "tcp": (_ip("127.0.0.1"), "Talk to a TCP server of its own on 127.0.0.1", frozenset()),
    "tcp6": (_ip("::1", isolated=True), "Talk to a TCP server of its own on ::1", NETWORK),
    "udp": (_ip("127.0.0.1", datagram=True), "Talk to a UDP server of its own on 127.0.0.1", frozenset()),
    "unix": (_unix(), "Talk to a Unix socket of its own in scratch", frozenset()),
    "unix-datagram": (_unix(datagram=True), "Talk to a Unix datagram socket of its own in scratch", frozenset()),
    "abstract": (_unix(abstract=True), "Talk to an abstract socket of its own", frozenset()),
    "localhost": (_program(RESOLVES), "Connect to localhost by name", frozenset()),
    "web": (_program(WEB), "Serve a page over HTTP and fetch it", frozenset()),
    "pair": (_program(PAIR), "Talk to a child over a pair of sockets", frozenset()),
}


def _attempt(make: Callable[[Scene, str], Step], title: str, needs: frozenset[Need]) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        return works(scene, make(scene, nonce), proof(scene, nonce))

    return Attempt(
        title=f"{title}.",
        requirement="Sockets between a run's own processes work.",
        violates=None,
        severity=Severity.HIGH,
        arm=arm,
        needs=needs,
        references=("ip(7)", "unix(7)"),
    )


FAMILY = {name: _attempt(*row) for name, row in KINDS.items()}
