"""Between mounting and starting the command the sandbox program waits at a gate. It is let through once the kernel's table shows the
mounts that were planned: paths are resolved again when they are mounted, and meanwhile another session may have put a link there."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from sandbox.backends.plan import Mounted
from sandbox.launch.mounted import Entry, difference, parse

WAIT_SECONDS = 10.0
LOOK_SECONDS = 0.0003
READ = (b"0", b"63")
"""read(2) on x86-64 and on aarch64, as /proc/PID/syscall has it."""
CLONE_FS, CLONE_NEWNS = 0x200, 0x20000
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096
FLAGS = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048, "relatime": 1 << 21, "nosymfollow": 256}


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


class _Usual:
    """How long something usually takes here. Most of that time is slept through at once: looking all the while would take the processor
    from what is waited for."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def sleep(self, started: float) -> None:
        left = started + 0.7 * self._seconds - time.monotonic()
        if left > 0:
            time.sleep(min(left, 0.01))

    def took(self, started: float) -> None:
        self._seconds += (time.monotonic() - started - self._seconds) / 4


_reporting, _mounting = _Usual(), _Usual()


class GateError(Exception):
    """The process may not be let through. Says why."""


class Gate:
    """A pipe that the sandbox program reads from. It has both of its ends, so that our death never looks like a permission."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        try:
            self.fd = os.open(f"/proc/self/fd/{reading}", os.O_RDWR | os.O_CLOEXEC)
        finally:
            os.close(reading)
            os.close(writing)

    def close(self) -> None:
        os.close(self.fd)

    def pass_through(self, process: subprocess.Popen[bytes], info: int, expected: Sequence[Mounted]) -> int:
        """Wait until everything is mounted, compare, let it go. Returns a pidfd of the first process inside, -1 if the program ended
        by itself before anything was started. Raises GateError; then nothing was started and the caller ends it.

        Where device nodes have to be protected this happens on a thread of its own, which may enter another mount namespace.
        """
        nodes = {mount.point for mount in expected if mount.device and _is_ours(mount.source)}
        if not nodes:
            return self._pass_through(process, info, expected, nodes)
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandproof-gate") as thread:
            passing = thread.submit(self._pass_through, process, info, expected, nodes)
            try:
                return passing.result()
            except BaseException:  # also when we are interrupted: the thread ends with the program, before its descriptors are closed
                process.kill()
                raise

    def _pass_through(self, process: subprocess.Popen[bytes], info: int, expected: Sequence[Mounted], nodes: AbstractSet[str]) -> int:
        started = time.monotonic()
        deadline = started + WAIT_SECONDS
        _reporting.sleep(started)
        while not (first := _child(info)):
            if not _wait(process, deadline):
                return -1
        _reporting.took(started)
        try:
            watched = os.pidfd_open(first)
        except ProcessLookupError:
            process.wait(WAIT_SECONDS)
            return -1
        try:
            seen = self._settled(process, first, expected, deadline)
            if seen:
                protect(first, [entry for entry in seen if entry.point in nodes])
                os.write(self.fd, b"x")
                return watched
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(watched, signal.SIGKILL)
            os.close(watched)
            raise
        os.close(watched)
        return -1

    def _settled(
        self, process: subprocess.Popen[bytes], first: int, expected: Sequence[Mounted], deadline: float
    ) -> tuple[Entry, ...]:
        """The mounts, once they are as planned; none if the program has ended. Where the kernel does not say what the process waits for,
        the table is looked at again and again."""
        wrong = ""
        host: tuple[Entry, ...] = ()
        waits: bool | None = False
        started = time.monotonic()
        while True:
            try:
                if not host:
                    host = _table(_parent(first))  # read while the other one is still being made
                    _mounting.sleep(started)
                waits = self._waits(first)
                if waits is not False:
                    seen = _table(first)
                    wrong = difference(expected, seen, host)
            except OSError as error:  # it ended under our eyes
                wrong = str(error)
            except ValueError as error:
                raise GateError(str(error)) from error
            if waits is not False:
                if not wrong:
                    _mounting.took(started)
                    return seen
                if waits and process.poll() is None:
                    raise GateError(f"what was mounted is not what was planned: {wrong}")
            if not _wait(process, deadline, wrong):
                return ()

    def _waits(self, pid: int) -> bool | None:
        """Does it wait at this gate? None where that cannot be seen."""
        try:
            words = _read(f"/proc/{pid}/syscall").split()
        except OSError:
            return None
        return words[0] in READ and int(words[1], 16) == self.fd


def _wait(process: subprocess.Popen[bytes], deadline: float, wrong: str = "") -> bool:
    """A moment; False if the program has ended. Raises GateError after the deadline."""
    if process.poll() is not None:
        return False
    if time.monotonic() > deadline:
        raise GateError(wrong or f"the sandbox program reported no child within {WAIT_SECONDS:g} s (it needs --info-fd and --block-fd)")
    time.sleep(LOOK_SECONDS)
    return True


def _child(info: int) -> int:
    """The first process inside, as the sandbox program has reported it; 0 if it has not yet."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        return int(json.loads(os.pread(info, 4096, 0))["child-pid"])
    return 0


def _parent(pid: int) -> int:
    return int(_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])


def _table(pid: int) -> tuple[Entry, ...]:
    return parse(_read(f"/proc/{pid}/mountinfo"))


def _read(path: str) -> bytes:
    """A file of /proc to its end; looking often should cost little."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
    finally:
        os.close(fd)
    return b"".join(parts)


def protect(first: int, nodes: Sequence[Entry]) -> None:
    """Make the device nodes that are *ours* read-only inside: their owner may change the host's node (mode, times) without any
    capability. Writing to a device needs no writable mount.

    bubblewrap cannot do it: what it makes read-only it also makes `nodev`. Only root owns device nodes, and root may enter the mount
    namespace; the calling thread stays in it, so it has to be one that ends soon. Raises GateError.
    """
    if not nodes:
        return
    try:
        _make_read_only(first, nodes)
    except OSError as error:
        raise GateError(f"the host's device nodes could not be protected from their owner: {error}") from error


def _is_ours(device: str) -> bool:
    try:
        return os.stat(device).st_uid == os.geteuid()
    except OSError:
        return False


def _make_read_only(first: int, nodes: Sequence[Entry]) -> None:
    namespace = os.open(f"/proc/{first}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(_libc().unshare(CLONE_FS), "unshare(CLONE_FS)")
        _check(_libc().setns(namespace, CLONE_NEWNS), "setns")
    finally:
        os.close(namespace)
    for node in nodes:
        flags = sum(bit for option, bit in FLAGS.items() if option in node.options)
        target = ctypes.c_char_p(os.fsencode(node.point))
        _check(_libc().mount(None, target, None, ctypes.c_ulong(flags | MS_REMOUNT | MS_BIND | MS_RDONLY), None), node.point)


def _check(result: int, what: str) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
