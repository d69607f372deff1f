"""The keyring of the launcher's user, which outlives sessions and is reached by its serial number."""

from __future__ import annotations

import ctypes
import os
import platform

from conformance.attempts.common import escape, readable
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import run
from conformance.core.words import Severity
from conformance.witnesses.files import OutputHolds
from conformance.witnesses.kernel import KEYCTL_UNLINK, SYS_ADD_KEY
from sandbox.launch.keyring import SYS_KEYCTL
from sandbox.policy.rules import Rule, RuleKind

USER = -4
"""KEY_SPEC_USER_KEYRING"""

# A session keyring of its own first: the person's is not linked into.
PROGRAM = """
import ctypes, os, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
keyctl = lambda *words: libc.syscall({"x86_64": 250, "aarch64": 219}[platform.machine()], *words)
if keyctl(1, None) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
for line in open("/proc/keys"):
    words = line.split()
    if words[7] == "keyring" and words[8].startswith("_uid."):
        keyctl(8, int(words[0], 16), -3)
key = keyctl(10, -3, b"user", sys.argv[1].encode(), 0)
if key < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
buffer = ctypes.create_string_buffer(512)
length = keyctl(11, key, buffer, 512)
print(buffer.raw[:max(length, 0)].decode())
"""


def put_user_key(scene: Scene, name: str, canary: str) -> None:
    """A key of a name of its own in the user's keyring, taken away with the scene."""
    libc, machine = ctypes.CDLL(None, use_errno=True), platform.machine()
    payload = canary.encode()
    key = libc.syscall(SYS_ADD_KEY[machine], b"user", name.encode(), payload, len(payload), USER)
    if key < 0:
        raise OSError(ctypes.get_errno(), f"add_key: {os.strerror(ctypes.get_errno())}")
    scene.on_close(lambda: libc.syscall(SYS_KEYCTL[machine], KEYCTL_UNLINK, key, USER))


def _arm(scene: Scene) -> Armed:
    canary, name = scene.nonce(), f"sp-{scene.nonce()}"
    put_user_key(scene, name, canary)
    attack = run(("{python}", "-I", "-S", "-c", PROGRAM, name))
    return escape(scene, Rule(RuleKind.PROC_KEYRING), attack, OutputHolds(canary), readable(scene))


ATTEMPT = Attempt(
    title="Link the user's keyring into a session keyring and read a key of it.",
    requirement="Kernel keyrings of the launcher's user cannot be reached.",
    violates=RuleKind.PROC_KEYRING,
    severity=Severity.HIGH,
    arm=_arm,
    references=("user-keyring(7)", "keyctl(2), KEYCTL_LINK"),
)
