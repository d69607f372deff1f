"""A session keyring of its own for a process that is about to start (keyctl(2), KEYCTL_JOIN_SESSION_KEYRING)."""

from __future__ import annotations

import ctypes
import os
import platform

SYS_KEYCTL = {"x86_64": 250, "aarch64": 219}
JOIN_SESSION_KEYRING = 1


def join_fresh_session_keyring() -> None:
    """Give the *calling thread* a new, empty session keyring; what it starts afterwards inherits that one.

    Credentials are per thread on Linux (credentials(7)), so other threads keep theirs. Raises OSError where the kernel refuses,
    NotImplementedError on a machine whose system-call number is not known here.
    """
    number = SYS_KEYCTL.get(platform.machine())
    if number is None:
        raise NotImplementedError(f"keyctl: no system-call number for {platform.machine()!r}")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, JOIN_SESSION_KEYRING, None) < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"keyctl(JOIN_SESSION_KEYRING): {os.strerror(error)}")
