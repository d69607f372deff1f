"""The process that *is* an isolated network: it makes the namespaces, puts addresses on `lo`, proves that no route leads out, and opens
listeners on request. Stdlib only; run with `python -I -S`, a Unix socket on descriptor 3.

Requests and answers are single datagrams of JSON; a listener's descriptor travels beside its answer (SCM_RIGHTS, unix(7)).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import socket
import struct
from typing import Any

CLONE_NEWUTS, CLONE_NEWUSER, CLONE_NEWNET = 0x04000000, 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40
RTM_NEWADDR, NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE, IFA_LOCAL, IFA_ADDRESS = 20, 0x1, 0x4, 0x400, 2, 1
IFA_F_NODAD = 0x02
UNROUTED = ((socket.AF_INET, "198.51.100.77"), (socket.AF_INET6, "2001:db8:77::1"), (socket.AF_INET, "8.8.4.4"))


def make_namespaces() -> None:
    uid, gid = os.getuid(), os.getgid()
    flags = CLONE_NEWNET | CLONE_NEWUTS | (CLONE_NEWUSER if uid else 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"unshare: {os.strerror(code)}")
    if uid:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)


def loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh", b"lo", IFF_UP | IFF_RUNNING) + bytes(22)
        fcntl.ioctl(control, SIOCSIFFLAGS, request)


def add_address(address: str) -> None:
    """Put one address on `lo` (rtnetlink(7), RTM_NEWADDR). Having it already is fine."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    raw = socket.inet_pton(family, address)
    attributes = b"".join(struct.pack("HH", 4 + len(raw), kind) + raw for kind in (IFA_LOCAL, IFA_ADDRESS))
    body = struct.pack("BBBBI", family, len(raw) * 8, IFA_F_NODAD, 0, socket.if_nametoindex("lo")) + attributes
    message = struct.pack("IHHII", 16 + len(body), RTM_NEWADDR, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1, 0) + body
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.settimeout(2)
        link.send(message)
        code = -struct.unpack("i", link.recv(4096)[16:20])[0]
    if code not in (0, errno.EEXIST):
        raise OSError(code, f"address {address} on lo: {os.strerror(code)}")


def prove_isolation() -> str:
    """Nothing but `lo`, and addresses that nobody put there cannot be reached. Connecting a datagram socket sends nothing."""
    names = [name for _, name in socket.if_nameindex()]
    if names != ["lo"]:
        raise OSError(errno.ENETUNREACH, f"expected no interface but lo; found {names}")
    for family, address in UNROUTED:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((address, 9))
            except OSError:
                continue
        raise OSError(errno.ENETUNREACH, f"expected no route to {address}; there is one")
    return f"only lo; no route to {', '.join(address for _, address in UNROUTED)}"


def listen(address: str, port: int, datagram: bool) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM if datagram else socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    if not datagram:
        sock.listen(8)
    return sock


def answer(request: dict[str, Any]) -> tuple[dict[str, Any], list[socket.socket]]:
    if request["op"] == "address":
        add_address(request["address"])
        return {"ok": True}, []
    if request["op"] == "listen":
        sock = listen(request["address"], request["port"], request["datagram"])
        return {"ok": True, "port": sock.getsockname()[1]}, [sock]
    if request["op"] == "hostname":
        return {"ok": True, "name": socket.gethostname()}, []
    if request["op"] == "rename":
        socket.sethostname(request["name"])
        return {"ok": True}, []
    return {"ok": False, "error": f"unknown request {request['op']!r}"}, []


def main() -> None:
    channel = socket.socket(fileno=3)
    try:
        make_namespaces()
        loopback_up()
        proof = prove_isolation()
    except OSError as error:
        channel.send(json.dumps({"ok": False, "error": str(error)}).encode())
        return
    channel.send(json.dumps({"ok": True, "proof": proof}).encode())
    while data := channel.recv(4096):
        sockets: list[socket.socket] = []
        try:
            reply, sockets = answer(json.loads(data))
        except OSError as error:
            reply = {"ok": False, "error": str(error)}
        socket.send_fds(channel, [json.dumps(reply).encode()], [s.fileno() for s in sockets])
        for sock in sockets:
            sock.close()


if __name__ == "__main__":
    main()
