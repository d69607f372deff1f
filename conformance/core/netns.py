"""A scene's network: namespaces with no route out, in which real metadata and public addresses can be spoken to without a packet
leaving this machine. Works as root, and as a plain user through a user namespace."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ANSWER_SECONDS = 5.0
HOLDER = Path(__file__).with_name("holder.py")


class NoIsolatedNetwork(Exception):
    """The namespaces could not be made or could not be proven to have no route out. Then nothing may be sent."""


@dataclass(slots=True)
class IsolatedNetwork:
    """`prefix` is put before a command to start it inside; `proof` says what was checked."""

    prefix: tuple[str, ...]
    proof: str
    pid: int
    _channel: socket.socket = field(repr=False)
    _process: subprocess.Popen[bytes] = field(repr=False)

    def listen(self, address: str, port: int = 0, *, datagram: bool = False) -> socket.socket:
        """A bound (and listening) socket inside; the address is put on `lo` first. Port 0: any free one."""
        if address not in ("127.0.0.1", "::1"):
            self._ask({"op": "address", "address": address})
        _, fds = self._ask({"op": "listen", "address": address, "port": port, "datagram": datagram})
        return socket.socket(fileno=fds[0])

    def hostname(self) -> str:
        return str(self._ask({"op": "hostname"})[0]["name"])

    def rename(self, name: str) -> None:
        """Give the scene's own UTS namespace a name."""
        self._ask({"op": "rename", "name": name})

    def _ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
        self._channel.send(json.dumps(request).encode())
        return _receive(self._channel)

    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._channel.close()
        self._process.wait(timeout=ANSWER_SECONDS)


def isolated_network() -> IsolatedNetwork:
    """Make one. Raises NoIsolatedNetwork with the reason."""
    nsenter = shutil.which("nsenter")
    if nsenter is None:
        raise NoIsolatedNetwork("nsenter (util-linux) is not on PATH")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(ANSWER_SECONDS)
    with theirs:
        process = subprocess.Popen(
            ["/bin/sh", "-c", 'exec "$0" -I -S "$1" 3<&0 </dev/null', sys.executable, str(HOLDER)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    try:
        reply, _ = _receive(ours)
    except NoIsolatedNetwork:
        ours.close()
        process.wait(timeout=ANSWER_SECONDS)
        raise
    enter_user = () if os.geteuid() == 0 else ("--user", "--preserve-credentials")
    prefix = (nsenter, "--target", str(process.pid), "--net", "--uts", *enter_user, "--")
    return IsolatedNetwork(prefix=prefix, proof=str(reply["proof"]), pid=process.pid, _channel=ours, _process=process)


_shared: dict[int, IsolatedNetwork] = {}


def shared_network() -> IsolatedNetwork:
    """The network of this process, made on first use and ended with it. Raises NoIsolatedNetwork."""
    network = _shared.get(os.getpid())
    if network is None or not network.alive():
        network = isolated_network()
        _shared[os.getpid()] = network
        atexit.register(network.close)
    return network


def _receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]]:
    try:
        data, fds, _, _ = socket.recv_fds(channel, 4096, 1)
    except TimeoutError:
        raise NoIsolatedNetwork("the namespace holder did not answer") from None
    reply = json.loads(data) if data else {"ok": False, "error": "the namespace holder ended"}
    if not reply["ok"]:
        raise NoIsolatedNetwork(str(reply["error"]))
    return reply, list(fds)


