"""Witnesses on kernel objects of the launcher: its session keyring, System V shared memory, the host's name, its terminal."""

from __future__ import annotations

import ctypes
import os
import platform
import select
from collections.abc import Callable
from functools import cache

from conformance.core.attempt import Landing
from conformance.core.netns import IsolatedNetwork
from sandbox.launch.keyring import SYS_KEYCTL, join_fresh_session_keyring

SYS_ADD_KEY = {"x86_64": 248, "aarch64": 217}
KEYCTL_UNLINK, SESSION = 9, -3


# Modules and libraries that only Unix has are loaded where they are used: the list of attempts is read on every platform.


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def put_key(description: str, canary: str) -> Callable[[], None]:
    """Put a key into a session keyring of this thread's own, so that the person's is never touched. Returns its removal."""
    join_fresh_session_keyring()
    machine = platform.machine()
    payload = canary.encode()
    key = _checked(_libc().syscall(SYS_ADD_KEY[machine], b"user", description.encode(), payload, len(payload), SESSION), "add_key")

    def remove() -> None:
        _libc().syscall(SYS_KEYCTL[machine], KEYCTL_UNLINK, key, SESSION)

    return remove


class SharedSegment:
    """A System V shared memory segment of the host. Landed when the nonce stands in it."""

    SIZE = 4096

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce.encode()
        self.id = _checked(_libc().shmget(0, self.SIZE, 0o1600), "shmget")
        _libc().shmat.restype = ctypes.c_void_p
        self._address = _libc().shmat(self.id, None, 0)

    def look(self, output: bytes) -> Landing:
        found = self._nonce in ctypes.string_at(self._address, self.SIZE)
        return Landing(found, f"the host's segment {'holds' if found else 'does not hold'} the nonce")

    def close(self) -> None:
        _libc().shmdt(ctypes.c_void_p(self._address))
        _libc().shmctl(self.id, 0, None)


class HostNamed:
    """Landed when the scene's own UTS namespace carries the given name."""

    def __init__(self, network: IsolatedNetwork, name: str) -> None:
        self._network = network
        self._name = name

    def look(self, output: bytes) -> Landing:
        found = self._network.hostname() == self._name
        return Landing(found, f"the scene's host name was {'changed' if found else 'not changed'}")


class Terminal:
    """A terminal of the launcher's. Landed when what the guest typed can be read by the launcher's own shell."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce.encode()
        import pty
        import tty

        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self._typed = b""

    def take(self) -> None:
        """Runs in the child before exec: make this terminal its controlling one (ioctl_tty(2), TIOCSCTTY)."""
        import fcntl
        import termios

        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def look(self, output: bytes) -> Landing:
        while select.select([self.slave], [], [], 0.05)[0]:
            self._typed += os.read(self.slave, 4096)
        found = self._nonce in self._typed
        return Landing(found, f"the launcher's shell {'would read' if found else 'would not read'} the nonce")

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)
