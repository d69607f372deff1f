"""The filter's program, run by a small interpreter of classic BPF (seccomp(2)), and the same calls made in real launches."""

from __future__ import annotations

import errno
import json
import platform
import struct
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.backends.base import Level
from sandbox.backends.bubblewrap import seccomp
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.backends.bubblewrap.seccomp import BLOCKS, MACHINES, assemble
from sandbox.backends.plan import Block
from sandbox.errors import UnenforceableRule
from sandbox.launch.process import spawn
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.tests.support import LINUX, Place, quick
from sandbox.tests.test_real_hygiene import PYTHON, needs_python

ALL = tuple(block for found in BLOCKS.values() for block in found)
HIGH = 0xDEADBEEF << 32
word = st.integers(min_value=0, max_value=2**64 - 1)


def run(program: bytes, number: int, arguments: tuple[int, ...] = (), arch: int | None = None, machine: str = "x86_64") -> int:
    """0 for allowed, else the errno."""
    data = struct.pack("<IIQ6Q", number, MACHINES[machine].arch if arch is None else arch, 0, *(*arguments, *[0] * 6)[:6])
    code = list(struct.iter_unpack("=HBBI", program))
    accumulator = here = 0
    while True:
        operation, yes, no, k = code[here]
        here += 1
        if operation == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("<I", data, k)
        elif operation == seccomp.JUMP_EQUAL:
            here += yes if accumulator == k else no
        elif operation == seccomp.JUMP_AT_LEAST:
            here += yes if accumulator >= k else no
        else:
            assert operation == seccomp.RETURN
            if k == seccomp.ALLOW:
                return 0
            assert k & 0xFFFF0000 == seccomp.FAIL
            return int(k & 0xFFFF)


def hit(block: Block, pick: int = 0, high: int = 0) -> tuple[int, ...]:
    arguments = [0] * 6
    for index, values in block.when:
        arguments[index] = high | values[pick % len(values)]
    return tuple(arguments)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("block", ALL, ids=lambda block: block.name)
def test_every_entry_fails_with_its_error_and_only_then(block: Block, machine: str) -> None:
    number = MACHINES[machine].numbers[block.call]
    others = tuple(other for other in ALL if other != block)
    for high in (0, HIGH):  # the kernel looks at the lower half of these arguments only
        for pick in range(3):
            assert run(assemble(ALL, machine), number, hit(block, pick, high), machine=machine) == block.errno
            assert run(assemble(others, machine), number, hit(block, pick, high), machine=machine) == 0
    for index, values in block.when:
        for value in values:
            for near in {value - 1, value + 1, value << 32} - set(values):
                arguments = list(hit(block))
                arguments[index] = near
                assert run(assemble(ALL, machine), number, tuple(arguments), machine=machine) == 0


@pytest.mark.parametrize("machine", MACHINES)
@quick
@given(number=st.integers(0, 0x3FFFFFFF), arguments=st.tuples(*[word] * 6))
def test_what_is_not_listed_is_allowed(machine: str, number: int, arguments: tuple[int, ...]) -> None:
    listed = {MACHINES[machine].numbers[block.call]: None for block in ALL}
    for candidate in (number, number % 460):
        if candidate not in listed:
            assert run(assemble(ALL, machine), candidate, arguments, machine=machine) == 0


@quick
@given(arch=st.integers(0, 2**32 - 1), number=st.integers(0, 2**32 - 1))
def test_foreign_conventions_have_no_calls_at_all(arch: int, number: int) -> None:
    for machine, known in MACHINES.items():
        if arch != known.arch:
            assert run(assemble(ALL[:1], machine), number, arch=arch, machine=machine) == errno.ENOSYS
    assert run(assemble(ALL[:1], "x86_64"), number | 0x40000000) == errno.ENOSYS


def test_boundaries_of_x32() -> None:
    assert run(assemble(ALL, "x86_64"), 0x3FFFFFFF) == 0
    assert run(assemble(ALL, "x86_64"), 0x40000000) == errno.ENOSYS
    assert run(assemble(ALL, "x86_64"), 0xFFFFFFFF) == errno.ENOSYS


def test_both_tables_have_every_call() -> None:
    for machine in MACHINES.values():
        assert set(machine.numbers) == {block.call for block in ALL}
        assert len(set(machine.numbers.values())) == len(machine.numbers)


@pytest.mark.parametrize("kind", BLOCKS)
def test_dropping_a_rule_drops_its_entries_and_only_those(kind: RuleKind) -> None:
    rules = tuple(Rule(each) for each in BLOCKS)
    policy = Policy(rules=rules, roots=())
    assert seccomp.blocks(policy) == ALL
    assert seccomp.blocks(policy.without(kind)) == tuple(block for block in ALL if block not in BLOCKS[kind])
    assert seccomp.blocks(policy.without(*BLOCKS)) == ()


@pytest.mark.parametrize("kind", BLOCKS)
def test_on_an_unknown_machine_its_rules_are_refused(kind: RuleKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    policy = Policy(rules=(Rule(kind),), roots=())
    found = Bubblewrap("/nowhere/bwrap").coverage(Rule(kind), policy, LINUX)
    assert found.level is Level.CANNOT
    assert "riscv64" in found.why
    with pytest.raises(UnenforceableRule, match="riscv64"):
        Bubblewrap("/nowhere/bwrap").compile(policy, LINUX, {})
    with pytest.raises(NotImplementedError, match="riscv64"):
        assemble(ALL)


CENSUS = """
import ctypes, errno, json, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
out = {}
for name, number, arguments in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_ulong(a) for a in arguments])
    out[name] = ctypes.get_errno() if result < 0 else 0
print(json.dumps(out))
"""


def census(place: Place, *, less: str = "") -> dict[str, int]:
    """The errno of every entry's call, made inside; `less` names an entry that is left out of the filter."""
    numbers = MACHINES[platform.machine()].numbers
    wild = {"ptrace-first": ((0, (seccomp.PTRACE_SEIZE,)), (1, (1,)))}
    calls = []
    for block in ALL:
        asked = replace(block, when=wild.get(block.name, block.when))
        arguments = list(hit(asked))
        if block.call == "ioctl":
            arguments[0] = 99  # no such descriptor: EBADF where the filter lets it pass
        if block.call == "socket":
            arguments[1] = 0x7FF  # no such type
        if block.call in ("keyctl", "pidfd_getfd", "io_uring_enter", "io_uring_register"):
            arguments[0] = 9999
        calls.append((block.name, numbers[block.call], arguments))
    calls.append(("getpid", {"x86_64": 39, "aarch64": 172}[platform.machine()], []))
    if platform.machine() == "x86_64":
        calls.append(("x32-getpid", 0x40000000 + 39, []))
    plan = place.plan(place.small())
    plan = replace(plan, filter=tuple(block for block in plan.filter if block.name != less))
    running = spawn(plan, [str(PYTHON), "-I", "-S", "-c", CENSUS, json.dumps(calls)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = running.process.communicate(timeout=20)
    running.end()
    assert running.process.returncode == 0, err
    found: dict[str, int] = json.loads(out)
    return found


known_machine = pytest.mark.skipif(platform.machine() not in MACHINES, reason="no system-call numbers for this machine")


@needs_python
@known_machine
def test_inside_every_listed_call_fails(place: Place) -> None:
    found = census(place)
    assert found.pop("getpid") == 0
    assert found.pop("x32-getpid", errno.ENOSYS) == errno.ENOSYS
    assert found == {block.name: block.errno for block in ALL}


@needs_python
@known_machine
@pytest.mark.parametrize("block", ALL, ids=lambda block: block.name)
def test_without_its_entry_the_call_reaches_the_kernel(block: Block, place: Place) -> None:
    """It works, or it fails for another reason; entries that protect what one user's own ptrace may reach need its permission too."""
    found = census(place, less=block.name)
    assert found[block.name] != block.errno, "the filter is not what stops this call"


INT80 = """
import ctypes, mmap
code = bytes.fromhex("b814000000cd80c3")  # mov eax, 20 (getpid); int 0x80; ret
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(code)
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))())
"""


@needs_python
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the 32-bit gate of x86")
def test_the_32_bit_gate_is_shut(place: Place) -> None:
    plan = place.plan(place.small())
    running = spawn(plan, [str(PYTHON), "-I", "-S", "-c", INT80], stdout=subprocess.PIPE)
    out, _ = running.process.communicate(timeout=20)
    running.end()
    if not out.strip():
        pytest.skip("this kernel has no 32-bit gate")
    assert int(out) == -errno.ENOSYS
