"""Real launches: what a red team did to get out, each with the thing that now stops it."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.backends.plan import LaunchPlan, Mounted
from sandbox.errors import LaunchFailed, SandboxError
from sandbox.host import Host
from sandbox.launch import gate
from sandbox.launch.process import Confined, spawn
from sandbox.policy.rules import Rule, RuleKind
from sandbox.tests.support import Place, until
from sandbox.tests.test_real_hygiene import PYTHON, needs_python, needs_root

WRITE, DENY, READ_DENY = RuleKind.FS_WRITE_ALLOW, RuleKind.FS_WRITE_DENY, RuleKind.FS_READ_DENY
needs_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the attack is written in x86-64 registers")

TAMPER = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
names = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs".split()
class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in names]
def ask(request, data=None):
    if libc.ptrace(request, 1, None, data) < 0:
        print("ptrace", os.strerror(ctypes.get_errno()), flush=True)
        sys.exit(1)
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
if os.fork() == 0:
    os.setsid()
    for fd in (0, 1, 2):
        os.close(fd)
    for _ in range(100):
        with open("beat", "a") as beat:
            beat.write(".")
        time.sleep(0.05)
    os._exit(0)
print("tampered", flush=True)
time.sleep(60)
"""


def program(place: Place, code: str, plan: LaunchPlan, **options: object) -> Confined:
    found = spawn(plan, [str(PYTHON), "-I", "-S", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # type: ignore[arg-type]
    place.running.append(found)
    return found


def said(running: Confined) -> str:
    out, err = running.process.communicate(timeout=20)
    running.end()
    return bytes(out).decode() + bytes(err).decode()


def line(running: Confined) -> str:
    assert running.process.stdout is not None
    return bytes(running.process.stdout.readline()).decode().strip()


def still(beat: Path) -> bool:
    before = beat.stat().st_size
    return not until(lambda: beat.stat().st_size != before, 0.3)


@needs_python
@needs_x86
def test_process_1_cannot_be_traced(place: Place) -> None:
    assert said(program(place, TAMPER, place.plan())) == "ptrace Operation not permitted\n"


@needs_python
@needs_x86
def test_whoever_got_at_process_1_still_ends_with_the_session(place: Place) -> None:
    running = program(place, TAMPER, replace(place.plan(), filter=()))
    assert line(running) == "tampered"
    assert until((place.work / "beat").exists)
    running.end()
    assert still(place.work / "beat")


LAUNCHER = """
import sys
from dataclasses import replace
from pathlib import Path
from sandbox.tests.support import Place, until
from sandbox.tests.test_real_redteam import TAMPER, line, program
place = Place(Path(sys.argv[1]))
said = line(program(place, TAMPER, replace(place.plan(), filter=())))
until((place.work / "beat").exists)
print(said, flush=True)
sys.stdin.read()
"""


@needs_python
@needs_x86
def test_whoever_got_at_process_1_is_ended_by_the_keeper(place: Place) -> None:
    before = place.names()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", LAUNCHER, str(place.base)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as launcher:
        assert launcher.stdout is not None
        assert launcher.stdout.readline() == b"tampered\n"
        launcher.kill()
        launcher.wait(5)
    assert until(lambda: place.names() <= before | {"work/beat"}, 5)
    assert still(place.work / "beat")


def test_process_1_is_not_shown(place: Place) -> None:
    found = place.run("ls -A /proc/1; cat /proc/1/mem; echo x >/proc/1/mem; ls -l /proc/1/exe; ps ax | head -3; git --version")
    assert "/proc/1/mem" in found.err
    assert "bwrap" not in found.out


@contextmanager
def swapping(a: Path, b: Path) -> Iterator[None]:
    """Exchange two names as fast as it goes (renameat2(2), RENAME_EXCHANGE), as another session would."""
    libc = ctypes.CDLL(None)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), 2)
            time.sleep(0.0002)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_another_session_swaps_a_directory_with_a_link_while_we_launch(place: Place) -> None:
    """Without the comparison about every tenth launch had a writable bind of the directory outside."""
    place.make("work/cfg/locked/", "out/locked/")
    (place.work / "link").symlink_to("../out")
    policy = place.small(Rule(WRITE, "$WORK"), Rule(DENY, "$WORK/cfg/locked"), WORK=place.work)
    code = f"echo x >{place.base}/out/landed; echo x >{place.base}/out/locked/landed"
    refused = ended = 0
    with swapping(place.work / "cfg", place.work / "link"):
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            try:
                place.run(code, policy)
                ended += 1
            except SandboxError:
                refused += 1
    assert not (place.base / "out/landed").exists()
    assert list((place.base / "out/locked").iterdir()) == []
    assert refused


def test_a_mount_through_a_link_is_refused_before_anything_starts(place: Place) -> None:
    """The same without a race: the link is there before the launch, so bubblewrap follows it each time and makes the home writable."""
    place.make("work/cfg/locked/", "home/locked/")
    rules = (Rule(WRITE, "$WORK"), Rule(RuleKind.FS_READ_ALLOW, "$HOME"), Rule(DENY, "$WORK/cfg/locked"))
    plan = place.plan(place.small(*rules, WORK=place.work, HOME=place.home))
    (place.work / "cfg").rename(place.work / "aside")
    (place.work / "cfg").symlink_to("../home")
    plan = replace(plan, stubs=())
    command = ["/bin/sh", "-c", f"echo x >{place.home}/landed"]
    with pytest.raises(LaunchFailed, match="not in the plan"):
        spawn(plan, command)
    assert not (place.home / "landed").exists()
    unchecked = spawn(replace(plan, block_option="", expected_mounts=()), command)
    unchecked.process.wait(10)
    unchecked.end()
    assert (place.home / "landed").exists(), "without the comparison this is a way out"


def test_one_mount_too_few_or_too_many(place: Place) -> None:
    plan = place.plan(place.small(Rule(WRITE, "$WORK"), WORK=place.work))
    more = Mounted(point=str(place.work / "file"), source=str(place.work / "file"))
    for wrong in ((*plan.expected_mounts, more), tuple(m for m in plan.expected_mounts if m.point != str(place.work))):
        with pytest.raises(LaunchFailed, match="what was planned"):
            spawn(replace(plan, expected_mounts=wrong), ["/bin/sh", "-c", f"touch {place.work}/started"])
    assert not (place.work / "started").exists()


def test_where_the_kernel_does_not_say_what_it_waits_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate.Gate, "_waits", lambda self, pid: None)
    monkeypatch.setattr(gate, "WAIT_SECONDS", 0.5)
    assert place.run("echo on", place.small()).out == "on\n"
    plan = place.plan(place.small())
    with pytest.raises(LaunchFailed, match="is not mounted"):
        spawn(replace(plan, expected_mounts=(*plan.expected_mounts, Mounted(point="/x", source="/x"))), ["/bin/true"])


def test_a_program_that_does_not_wait_is_ended(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "WAIT_SECONDS", 0.3)
    waits = place.base / "waits"
    waits.write_text("#!/bin/sh\nexec sleep 30\n")
    waits.chmod(0o755)
    with pytest.raises(LaunchFailed, match="--block-fd"):
        spawn(replace(place.plan(), argv=(str(waits),)), ["/bin/true"])


@needs_python
def test_the_mode_of_the_hosts_devices_cannot_be_changed(place: Place) -> None:
    """With the mode that they have, so nothing would change; a plain user does not own them and is refused by that alone."""
    code = """
import os, stat
for name in "null zero full random urandom tty".split():
    path = f"/dev/{name}"
    try:
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode))
        print("changed", path)
    except OSError as error:
        print(error.strerror)
with open("/dev/null", "w") as null:
    null.write("x")
print(len(open("/dev/urandom", "rb").read(3)), len(open("/dev/zero", "rb").read(3)))
"""
    found = said(program(place, code, place.plan())).split("\n")
    assert set(found[:6]) <= {"Read-only file system", "Operation not permitted"}
    assert found[6:] == ["3 3", ""]


@needs_python
@needs_root
def test_dropping_the_device_mark_shows_that_the_test_notices(place: Place) -> None:
    plan = place.plan()
    plan = replace(plan, expected_mounts=tuple(replace(mount, device=False) for mount in plan.expected_mounts))
    code = "import os, stat; os.chmod('/dev/null', stat.S_IMODE(os.stat('/dev/null').st_mode)); print('changed')"
    assert said(program(place, code, plan)) == "changed\n"


@needs_python
@needs_root
def test_the_mode_of_the_kernels_proc_entries_cannot_be_changed(place: Place) -> None:
    code = """
import os, stat
for top, below, files in os.walk("/proc"):
    below[:] = [d for d in below if not d.isdigit() and d not in ("self", "thread-self", "net")]
    for name in files + below:
        path = os.path.join(top, name)
        try:
            os.chmod(path, stat.S_IMODE(os.lstat(path).st_mode))
            print("changed", path)
        except OSError:
            pass
"""
    assert said(program(place, code, place.plan())) == ""


@needs_python
def test_the_hosts_bubblewrap_is_out_of_reach(place: Place) -> None:
    """On a private copy of the program."""
    copy = place.base / "bin/bwrap"
    copy.parent.mkdir()
    shutil.copy(Bubblewrap().find() or "", copy)
    copy.chmod(0o755)
    plan = Bubblewrap(str(copy)).compile(place.small(Rule(WRITE, "$WORK"), WORK=place.work), Host.detect(), dict(os.environ))
    said(program(place, "import os; os.chmod('/proc/1/exe', 0o4777)", plan))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o755


@needs_python
def test_standard_input_at_its_end_is_not_the_hosts_null_device(place: Place) -> None:
    code = "import os, stat, sys; print(stat.S_ISFIFO(os.fstat(0).st_mode), sys.stdin.read() == '')"
    assert said(program(place, code, place.plan(), stdin=subprocess.DEVNULL)) == "True True\n"


@needs_python
@pytest.mark.skipif(platform.machine() != "x86_64", reason="call numbers of x86-64")
def test_the_keyring_of_the_user(place: Place) -> None:
    """A key of a name of its own, taken away afterwards. Reached by the serial number that /proc/keys tells."""
    libc = ctypes.CDLL(None, use_errno=True)
    name = f"sandproof-{os.getpid()}".encode()
    key = libc.syscall(248, b"user", name, b"canary", 6, -4)
    if key < 0:
        pytest.skip("this user's keyring takes no key")
    code = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for entry in open("/proc/keys"):
    words = entry.split()
    if words[7] == "keyring" and words[8].startswith(f"_uid.{{os.getuid()}}"):
        libc.syscall(250, 8, int(words[0], 16), -3)
key = libc.syscall(250, 10, -3, b"user", {name!r}, 0)
buffer = ctypes.create_string_buffer(100)
length = libc.syscall(250, 11, key, buffer, 100)
print(buffer.raw[:max(length, 0)].decode() or "nothing")
"""
    try:
        assert said(program(place, code, place.plan(place.small()))) == "nothing\n"
        unfiltered = said(program(place, code, replace(place.plan(place.small()), filter=())))
        assert unfiltered == "canary\n"
    finally:
        libc.syscall(250, 9, key, -4)


@needs_python
def test_no_way_to_the_hypervisor(place: Place) -> None:
    code = "import socket\ntry: socket.socket(40, socket.SOCK_STREAM); print('made')\nexcept OSError as e: print(e.errno)"
    assert said(program(place, code, place.plan(place.small()))) == "97\n"


@pytest.mark.parametrize("directory", ["wh?t", "st*r", "plain"])
def test_a_host_path_that_looks_like_a_glob(directory: str, tmp_path: Path, place: Place) -> None:
    odd = Place(tmp_path / directory)
    odd.make("home/dots/id", "work/")
    (odd.home / ".ssh").symlink_to("dots")
    policy = odd.small(Rule(RuleKind.FS_READ_ALLOW, "$HOME"), Rule(READ_DENY, "$HOME/.ssh"), HOME=odd.home)
    found = odd.run(f"cat '{odd.home}/.ssh/id' '{odd.home}/dots/id'", policy)
    assert found.out == ""
    assert found.code != 0


def test_looking_at_a_tree_that_changes(place: Place) -> None:
    """Every failure on the way is one of ours."""
    place.make("work/cfg/locked/", "out/locked/")
    (place.work / "link").symlink_to("../out")
    policy = place.small(Rule(WRITE, "$WORK"), Rule(DENY, "$WORK/cfg/locked"), WORK=place.work)
    with swapping(place.work / "cfg", place.work / "link"):
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            try:
                place.plan(policy)
            except SandboxError:
                pass


def test_a_raw_error_of_the_disk_is_one_of_ours(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(path: str, **_: object) -> str:
        raise FileNotFoundError(2, "gone", path)

    policy = place.policy()
    monkeypatch.setattr(os.path, "realpath", gone)
    with pytest.raises(SandboxError, match="while it was looked at"):
        Bubblewrap("/usr/bin/bwrap").compile(policy, Host.detect(), {})


def test_another_state_directory_does_not_take_our_stubs(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = place.names()
    policy = place.small(Rule(WRITE, "$WORK"), Rule(DENY, "$WORK/.mcp.json"), WORK=place.work)
    first = place.start("echo ready; read go", policy)
    assert line(first) == "ready"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    second = place.start("echo ready; read go; rm -f .mcp.json; echo x >.mcp.json; cat .mcp.json", policy)
    assert line(second) == "ready"
    first.process.communicate(b"go\n", timeout=10)
    first.end()
    assert (place.work / ".mcp.json").exists()
    out, _ = second.process.communicate(b"go\n", timeout=10)
    assert out == b""
    assert (place.work / ".mcp.json").read_bytes() == b""
    second.end()
    assert place.names() == before


def test_an_empty_file_of_the_persons_own_stays(place: Place) -> None:
    (place.work / ".mcp.json").touch()
    (place.work / ".vscode").mkdir()
    policy = place.small(Rule(WRITE, "$WORK"), Rule(DENY, "$WORK/.mcp.json"), Rule(DENY, "$WORK/.vscode"), WORK=place.work)
    first, second = place.start("read go", policy), place.start("read go", policy)
    first.end()
    second.end()
    assert (place.work / ".mcp.json").exists()
    assert (place.work / ".vscode").is_dir()


SHARER = """
import sys
from pathlib import Path
from sandbox.policy.rules import Rule, RuleKind
from sandbox.tests.support import Place
place = Place(Path(sys.argv[1]))
policy = place.small(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), Rule(RuleKind.FS_WRITE_DENY, "$WORK/.mcp.json"), WORK=place.work)
running = place.start("echo ready; exec sleep 60", policy)
print(running.process.stdout.readline().decode().strip(), flush=True)
sys.stdin.read()
"""


def test_a_run_that_only_shares_a_stub_is_watched_over_too(place: Place) -> None:
    before = place.names()
    policy = place.small(Rule(WRITE, "$WORK"), Rule(DENY, "$WORK/.mcp.json"), WORK=place.work)
    first = place.start("echo ready; exec sleep 60", policy)
    assert line(first) == "ready"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SHARER, str(place.base)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as launcher:
        assert launcher.stdout is not None
        assert launcher.stdout.readline() == b"ready\n"
        first.end()
        assert (place.work / ".mcp.json").exists()
        launcher.kill()
        launcher.wait(5)
    assert until(lambda: place.names() == before, 3)
