"""Tampering with process 1 inside, which is the sandbox's own, so that it forgets to die with its launcher."""

from __future__ import annotations

import os

from conformance.attempts.common import beside
from conformance.core.attempt import Armed, Attempt, Close, Guest, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import heartbeat, run
from conformance.core.words import Severity
from conformance.witnesses.processes import Survives
from sandbox.policy.rules import Rule, RuleKind

TEARDOWN = Rule(RuleKind.PROC_TEARDOWN)
SECONDS = 8

TAMPER = """
import ctypes, os, platform, sys
if str(os.stat("/proc/self/ns/pid").st_ino) == sys.argv[1]:
    sys.exit("process 1 is the host's own and is left alone")
if platform.machine() != "x86_64":
    sys.exit(0)  # written in the registers of one machine
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
names = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs".split()
class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in names]
def ask(request, data=None):
    if libc.ptrace(request, 1, None, data) < 0:
        print("ptrace:", os.strerror(ctypes.get_errno()))
        sys.exit(0)
ask(16)
os.waitpid(1, 0x40000000)
was = Registers()
ask(12, ctypes.addressof(was))
call = Registers.from_buffer_copy(was)
call.rip, call.rax, call.orig_rax, call.rdi, call.rsi = was.rip - 2, 157, 2**64 - 1, 1, 0  # prctl(PR_SET_PDEATHSIG, 0)
ask(13, ctypes.addressof(call))
ask(9)
os.waitpid(1, 0x40000000)
was.rip, was.rax = was.rip - 2, was.orig_rax
ask(13, ctypes.addressof(was))
ask(17)
print("process 1 was changed")
"""


def _armed(scene: Scene, *, kill_launcher: bool) -> Armed:
    cookie = f"sp{scene.nonce()[:12]}"
    survives = Survives(cookie, scene.host("$WORK/beat"))
    scene.on_close(survives.close)
    twin, witness = beside(scene)
    # Without a namespace of its own process 1 is the host's: there only the background process is left.
    ours = str(os.stat("/proc/self/ns/pid").st_ino)
    tamper = run(("{python}", "-I", "-S", "-c", TAMPER, ours))
    beat = heartbeat("$WORK/beat", cookie, SECONDS, wait=kill_launcher)
    guest = Guest(twin=twin, attack=(tamper, beat), kill_launcher=kill_launcher)
    return Armed(policy=scene.policy(), rule=TEARDOWN, phases=(guest, Close()), witness=survives, twin=witness)


def _background(scene: Scene) -> Armed:
    return _armed(scene, kill_launcher=False)


def _killed(scene: Scene) -> Armed:
    return _armed(scene, kill_launcher=True)


FAMILY = {
    "background": Attempt(
        title="Trace process 1, clear its parent-death signal, and leave a detached process running when the session ends.",
        requirement="Nothing survives the end of the session, whatever was done to the sandbox's own process.",
        violates=RuleKind.PROC_TEARDOWN,
        severity=Severity.CRITICAL,
        arm=_background,
        phases=(PhaseKind.GUEST, PhaseKind.CLOSE),
        references=("ptrace(2)", "pid_namespaces(7)"),
    ),
    "launcher-killed": Attempt(
        title="Trace process 1, clear its parent-death signal, and go on after the launcher was killed with SIGKILL.",
        requirement="The death of the launcher ends everything that it started, whatever was done to the sandbox's own process.",
        violates=RuleKind.PROC_TEARDOWN,
        severity=Severity.CRITICAL,
        arm=_killed,
        phases=(PhaseKind.GUEST, PhaseKind.CLOSE),
        references=("ptrace(2)", "prctl(2), PR_SET_PDEATHSIG"),
    ),
}
