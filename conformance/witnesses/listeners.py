"""Witnesses that are spoken to: TCP, UDP, Unix and abstract listeners on the host's side. What they heard waits in the kernel's queues
until they look, so no thread is needed."""

from __future__ import annotations

import os
import select
import socket
from pathlib import Path

from conformance.core.attempt import Landing

READ_SECONDS = 0.5


class Hears:
    """Landed when the nonce arrives at this listener. Takes the socket over; `close` it through the scene."""

    def __init__(self, sock: socket.socket, nonce: str, name: str) -> None:
        self.sock = sock
        self._nonce = nonce.encode()
        self.name = name
        self._heard = b""
        self._connections = 0

    @property
    def port(self) -> int:
        return int(self.sock.getsockname()[1])

    def look(self, output: bytes) -> Landing:
        while select.select([self.sock], [], [], 0)[0]:
            self._take()
        found = self._nonce in self._heard
        what = "heard the nonce" if found else f"heard {self._connections} callers, not the nonce"
        return Landing(found, f"the listener on {self.name} {what}")

    def _take(self) -> None:
        self._connections += 1
        if self.sock.type == socket.SOCK_DGRAM:
            self._heard += self.sock.recv(4096)
            return
        connection, _ = self.sock.accept()
        with connection:
            connection.settimeout(READ_SECONDS)
            try:
                while chunk := connection.recv(4096):
                    self._heard += chunk
            except OSError:
                return


def on_loopback(nonce: str, *, address: str = "127.0.0.1", datagram: bool = False) -> Hears:
    """On the host's own loopback. Raises OSError where the family is missing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM if datagram else socket.SOCK_STREAM)
    sock.bind((address, 0))
    if not datagram:
        sock.listen(8)
    return Hears(sock, nonce, f"{address} of the host")


def on_path(path: Path, nonce: str, *, datagram: bool = False) -> Hears:
    """A Unix socket file. Bound through its directory's descriptor: an address holds 107 bytes at most (unix(7)), a path may be longer."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if datagram else socket.SOCK_STREAM)
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        sock.bind(f"/proc/self/fd/{directory}/{path.name}")
        if not datagram:
            sock.listen(8)
    except OSError:
        sock.close()
        raise
    finally:
        os.close(directory)
    return Hears(sock, nonce, f"{path}")


def on_abstract(name: str, nonce: str) -> Hears:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind("\0" + name)
    sock.listen(8)
    return Hears(sock, nonce, "an abstract name")
