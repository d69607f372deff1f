"""Between mounting and starting the command the sandbox program waits at a gate. It is let through once the kernel's table shows the
mounts that were planned: paths are resolved again when they are mounted, and meanwhile another session may have put a link there."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from sandbox.backends.plan import Mounted
from sandbox.launch.mounted import Entry, difference, parse

WAIT_SECONDS = 10.0
LOOK_SECONDS = 0.0004
READ = ("0", "63")
"""read(2) on x86-64 and on aarch64, as /proc/PID/syscall has it."""
CLONE_FS, CLONE_NEWNS = 0x200, 0x20000
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096
FLAGS = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048, "relatime": 1 << 21, "nosymfollow": 256}


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
        by itself before anything was started. Raises GateError; then nothing was started and the caller ends it."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not (first := _child(info)):
            if not _wait(process, deadline):
                return -1
        try:
            watched = os.pidfd_open(first)
        except ProcessLookupError:
            process.wait(WAIT_SECONDS)
            return -1
        try:
            if self._settled(process, first, expected, deadline):
                os.write(self.fd, b"x")
                return watched
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(watched, signal.SIGKILL)
            os.close(watched)
            raise
        os.close(watched)
        return -1

    def _settled(self, process: subprocess.Popen[bytes], first: int, expected: Sequence[Mounted], deadline: float) -> bool:
        """Are the mounts as planned? Where the kernel does not say what the process waits for, the table is looked at again and again."""
        wrong = ""
        host: tuple[Entry, ...] = ()
        while True:
            waits = self._waits(first)
            try:
                host = host or _table(_parent(first))  # read while the other one is still being made
                if waits is not False:
                    seen = _table(first)
                    wrong = difference(expected, seen, host)
            except OSError as error:  # it ended under our eyes
                wrong = str(error)
            except ValueError as error:
                raise GateError(str(error)) from error
            if waits is not False:
                if not wrong:
                    protect(first, expected, seen)
                    return True
                if waits and process.poll() is None:
                    raise GateError(f"what was mounted is not what was planned: {wrong}")
            if not _wait(process, deadline, wrong):
                return False

    def _waits(self, pid: int) -> bool | None:
        """Does it wait at this gate? None where that cannot be seen."""
        try:
            words = Path("/proc", str(pid), "syscall").read_text(encoding="ascii").split()
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
    return int(Path("/proc", str(pid), "stat").read_bytes().rpartition(b")")[2].split()[1])


def _table(pid: int) -> tuple[Entry, ...]:
    return parse(Path("/proc", str(pid), "mountinfo").read_bytes())


def protect(first: int, expected: Sequence[Mounted], seen: Sequence[Entry]) -> None:
    """Make the device nodes that are *ours* read-only inside: their owner may change the host's node (mode, times) without any
    capability. Writing to a device needs no writable mount.

    bubblewrap cannot do it: what it makes read-only it also makes `nodev`. Only root owns device nodes, and root may enter the mount
    namespace; a thread of its own does, so that no other one is moved. Raises GateError.
    """
    points = {mount.point for mount in expected if mount.device and _is_ours(mount.source)}
    nodes = [entry for entry in seen if entry.point in points]
    if not nodes:
        return
    trouble: list[OSError] = []

    def enter() -> None:
        try:
            _make_read_only(first, nodes)
        except OSError as error:
            trouble.append(error)

    thread = threading.Thread(target=enter, name="sandproof-devices")
    thread.start()
    thread.join()
    if trouble:
        raise GateError(f"the host's device nodes could not be protected from their owner: {trouble[0]}")


def _is_ours(device: str) -> bool:
    try:
        return os.stat(device).st_uid == os.geteuid()
    except OSError:
        return False


def _make_read_only(first: int, nodes: Sequence[Entry]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    namespace = os.open(f"/proc/{first}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _check(libc.unshare(CLONE_FS), "unshare(CLONE_FS)")
        _check(libc.setns(namespace, CLONE_NEWNS), "setns")
    finally:
        os.close(namespace)
    for node in nodes:
        flags = sum(bit for option, bit in FLAGS.items() if option in node.options)
        target = ctypes.c_char_p(os.fsencode(node.point))
        _check(libc.mount(None, target, None, ctypes.c_ulong(flags | MS_REMOUNT | MS_BIND | MS_RDONLY), None), node.point)


def _check(result: int, what: str) -> None:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
