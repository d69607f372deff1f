"""The system-call filter (seccomp(2)): which rule needs which calls to fail, and the classic BPF program made of them.

Default is to allow. Each entry belongs to one rule kind, so a rule that is dropped takes its entries along. If there is any entry,
foreign call conventions (32-bit, x32) fail with ENOSYS: their numbers mean other calls and would slip past.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from sandbox.backends.plan import Block
from sandbox.policy.rules import Policy, RuleKind

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
AF_VSOCK = 40
FIRST = 1
"""Process 1 inside is the sandbox program's own: whoever changes it can undo its death with the launcher."""

BLOCKS: Mapping[RuleKind, tuple[Block, ...]] = MappingProxyType(
    {
        RuleKind.PROC_ISOLATE: (
            Block("ptrace-first", "ptrace", errno.EPERM, ((0, (PTRACE_ATTACH, PTRACE_SEIZE)), (1, (FIRST,)))),
            Block("read-first", "process_vm_readv", errno.EPERM, ((0, (FIRST,)),)),
            Block("write-first", "process_vm_writev", errno.EPERM, ((0, (FIRST,)),)),
            # It takes a descriptor, so process 1 cannot be told from others here.
            Block("steal-descriptor", "pidfd_getfd", errno.EPERM),
        ),
        RuleKind.PROC_KEYRING: (
            # The keyring of the *user* is reachable by its serial number, whatever the session keyring is (user-keyring(7)).
            Block("keyctl", "keyctl", errno.EPERM),
            Block("add-key", "add_key", errno.EPERM),
            Block("request-key", "request_key", errno.EPERM),
        ),
        # The kernel takes only the lower 32 bits of an ioctl's request.
        RuleKind.PROC_TTY: (Block("tiocsti", "ioctl", errno.EPERM, ((1, (TIOCSTI, TIOCLINUX)),)),),
        RuleKind.NET_OFF: (
            # A network namespace does not hold vsock(7), and io_uring makes sockets without a socket(2) that a filter could see.
            Block("vsock", "socket", errno.EAFNOSUPPORT, ((0, (AF_VSOCK,)),)),
            Block("io-uring-setup", "io_uring_setup", errno.ENOSYS),
            Block("io-uring-enter", "io_uring_enter", errno.ENOSYS),
            Block("io-uring-register", "io_uring_register", errno.ENOSYS),
        ),
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """`arch`: its AUDIT_ARCH (linux/audit.h). `foreign_from`: the first number that belongs to another convention of the same arch."""

    arch: int
    numbers: Mapping[str, int]
    foreign_from: int | None = None


MACHINES: Mapping[str, Machine] = MappingProxyType(
    {
        "x86_64": Machine(
            arch=0xC000003E,
            numbers=MappingProxyType(
                {
                    "ioctl": 16,
                    "socket": 41,
                    "ptrace": 101,
                    "add_key": 248,
                    "request_key": 249,
                    "keyctl": 250,
                    "process_vm_readv": 310,
                    "process_vm_writev": 311,
                    "io_uring_setup": 425,
                    "io_uring_enter": 426,
                    "io_uring_register": 427,
                    "pidfd_getfd": 438,
                }
            ),
            foreign_from=0x40000000,
        ),
        "aarch64": Machine(
            arch=0xC00000B7,
            numbers=MappingProxyType(
                {
                    "ioctl": 29,
                    "ptrace": 117,
                    "socket": 198,
                    "add_key": 217,
                    "request_key": 218,
                    "keyctl": 219,
                    "process_vm_readv": 270,
                    "process_vm_writev": 271,
                    "io_uring_setup": 425,
                    "io_uring_enter": 426,
                    "io_uring_register": 427,
                    "pidfd_getfd": 438,
                }
            ),
        ),
    }
)

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
"""BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_JMP|BPF_JGE|BPF_K, BPF_RET|BPF_K (linux/bpf_common.h)."""
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NUMBER, ARCH, ARGUMENTS = 0, 4, 16
"""Offsets in struct seccomp_data; both machines are little-endian, so the low half of an argument comes first."""

Instruction = tuple[int, int, int, int]


def why_not(kind: RuleKind) -> str:
    """Why the filter that `kind` needs cannot be made here; "" if it can or none is needed."""
    machine = platform.machine()
    if kind not in BLOCKS or machine in MACHINES:
        return ""
    return f"it needs a system-call filter, and the call numbers of {machine or 'this machine'} are not known here"


def blocks(policy: Policy) -> tuple[Block, ...]:
    return tuple(block for kind, found in BLOCKS.items() if policy.has(kind) for block in found)


def assemble(wanted: tuple[Block, ...], machine: str | None = None) -> bytes:
    """The program, as seccomp(2) and `bwrap --seccomp` take it. Raises NotImplementedError on a machine that is not in the table."""
    return _assemble(wanted, platform.machine() if machine is None else machine)


@cache
def _assemble(wanted: tuple[Block, ...], name: str) -> bytes:
    known = MACHINES.get(name)
    if known is None:
        raise NotImplementedError(f"seccomp: no system-call numbers for {name!r}")
    program: list[Instruction] = [(LOAD, 0, 0, ARCH), (JUMP_EQUAL, 1, 0, known.arch), _fail(errno.ENOSYS)]
    if known.foreign_from is not None:
        program += [(LOAD, 0, 0, NUMBER), (JUMP_AT_LEAST, 0, 1, known.foreign_from), _fail(errno.ENOSYS)]
    for block in wanted:
        program += _block(block, known.numbers[block.call])
    program.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _fail(code: int) -> Instruction:
    return (RETURN, 0, 0, FAIL | code)


def _block(block: Block, number: int) -> list[Instruction]:
    """Built from its end, because a test that fails jumps over everything behind it."""
    code = [_fail(block.errno)]
    tests = [(NUMBER, (number,)), *((ARGUMENTS + 8 * index, values) for index, values in block.when)]
    for offset, values in reversed(tests):
        past = len(code)
        code = [(JUMP_EQUAL, 0, past, values[-1]), *code]
        for behind, value in enumerate(reversed(values[:-1]), start=1):
            code = [(JUMP_EQUAL, behind, 0, value), *code]
        code = [(LOAD, 0, 0, offset), *code]
    return code
