"""Real launches: processes, descriptors, environment, keyring, powers, network, teardown."""

from __future__ import annotations

import ctypes
import os
import platform
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.launch.keyring import SYS_KEYCTL
from sandbox.launch.process import spawn
from sandbox.policy.rules import RuleKind
from sandbox.tests.support import Place, until

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="shows what uid 0 cannot do")
PYTHON = next((p for p in ("/usr/bin/python3", "/usr/local/bin/python3") if os.access(p, os.X_OK)), None)
needs_python = pytest.mark.skipif(PYTHON is None, reason="no Python in a system directory, where the sandbox sees one")


def python(place: Place, code: str, *drop: RuleKind) -> str:
    said = place.run(f"exec {PYTHON} -I -S - <<'EOF'\n{code}\nEOF", place.small().without(*drop))
    assert said.code == 0, said.err
    return said.out.strip()


def test_no_descriptor_beyond_2_is_inherited(place: Place) -> None:
    with open(place.base / "home/.ssh/id", encoding="utf-8") as secret:
        os.set_inheritable(secret.fileno(), True)
        said = place.run("ls /proc/self/fd; ls /proc/1/fd")
    assert set(said.out.split()) <= {"0", "1", "2", "3", "4", "5"}
    links = place.run("ls -l /proc/self/fd /proc/1/fd").out
    assert "home/.ssh" not in links
    assert "memfd" not in links


def test_dropping_the_rule_lets_descriptors_in(place: Place) -> None:
    with open(place.base / "home/.ssh/id", encoding="utf-8") as secret:
        os.set_inheritable(secret.fileno(), True)
        said = place.run(f"cat /proc/self/fd/{secret.fileno()}", place.small().without(RuleKind.PROC_FD_CLOSE))
    assert said.out == "home/.ssh/id"


def test_no_environment_of_the_launcher_anywhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDPROOF_CANARY", "canary-in-the-environment")
    said = place.run("for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done; env")
    assert "PATH=" in said.out
    assert "canary-in-the-environment" not in said.out
    assert "canary-in-the-environment" in place.run("env", place.small().without(RuleKind.ENV_CLEAN)).out


def session_keyring() -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(SYS_KEYCTL[platform.machine()], 0, -3, 0))


@needs_python
@pytest.mark.skipif(platform.machine() not in SYS_KEYCTL, reason="no system-call number for keyctl here")
def test_a_session_keyring_of_its_own(place: Place) -> None:
    number = SYS_KEYCTL[platform.machine()]
    code = f"import ctypes; print(ctypes.CDLL(None).syscall({number}, 0, -3, 0))"
    outside = session_keyring()
    if outside < 0:
        pytest.skip("this host has no session keyring to share")
    assert int(python(place, code)) == -1  # the filter
    unfiltered = replace(place.plan(place.small()), filter=())
    running = spawn(unfiltered, [str(PYTHON), "-I", "-S", "-c", code], stdout=subprocess.PIPE)
    out, _ = running.process.communicate(timeout=20)
    running.end()
    assert int(out) not in (outside, -1)
    assert session_keyring() == outside


def test_no_network(place: Place) -> None:
    said = place.run("cat /proc/net/dev; cat /proc/net/route")
    names = {line.partition(":")[0].strip() for line in said.out.splitlines() if ":" in line}
    assert names == {"lo"}
    assert len([line for line in said.out.splitlines() if line.startswith("Iface")]) <= 1


@needs_python
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_the_hosts_services_are_out_of_reach(family: socket.AddressFamily, place: Place) -> None:
    address: tuple[str, int] | str = ("127.0.0.1", 0) if family == socket.AF_INET else f"\0sandproof-{os.getpid()}"
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()
        code = (
            f"import socket\ns = socket.socket({int(family)}); s.settimeout(2)\n"
            f"try: s.connect({server.getsockname()!r}); print('reached')\nexcept OSError: print('not reached')"
        )
        assert python(place, code) == "not reached"
        assert python(place, code, RuleKind.NET_OFF, RuleKind.NET_UNIX) == "reached"


def test_no_capabilities_and_no_new_privileges(place: Place) -> None:
    said = place.run("cat /proc/self/status /proc/1/status")
    fields = [line.split() for line in said.out.splitlines()]
    powers = {field[0]: int(field[1], 16) for field in fields if field and field[0].startswith("Cap")}
    assert powers == {"CapInh:": 0, "CapPrm:": 0, "CapEff:": 0, "CapBnd:": 0, "CapAmb:": 0}
    assert ["NoNewPrivs:", "1"] in fields


def test_no_further_user_namespace(place: Place) -> None:
    assert place.run("unshare -U true").code != 0
    assert place.run("unshare -Ur mount -t tmpfs none /mnt").code != 0


@needs_root
@needs_python
def test_root_can_open_no_switch_of_the_kernel_for_writing(place: Place) -> None:
    """Only opened, never written; whatever opens is in the answer. Files in /proc/pressure are writable for everybody by design
    (Documentation/accounting/psi.rst)."""
    code = """
import os
opened = []
for top, directories, files in os.walk("/proc"):
    directories[:] = [d for d in directories if not d.isdigit() and d not in ("self", "thread-self", "net", "pressure")]
    for name in files:
        path = os.path.join(top, name)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            continue
        opened.append(path)
print(" ".join(opened))
"""
    assert python(place, code) == ""


def test_other_processes_are_not_there(place: Place) -> None:
    said = place.run(f"ls -d /proc/[0-9]* | wc -l; kill -0 {os.getpid()} && echo SEEN; cat /proc/{os.getpid()}/cmdline")
    assert int(said.out.split()[0]) < 8
    assert "SEEN" not in said.out


def test_the_host_name(place: Place) -> None:
    assert place.run("cat /proc/sys/kernel/hostname").out.strip() == "sandbox"


def test_nothing_survives_the_end(place: Place) -> None:
    running = spawn(
        place.plan(), ["/bin/sh", "-c", "setsid sh -c 'while :; do date +%N >beat; done' & echo ready; wait"], stdout=subprocess.PIPE
    )
    assert running.process.stdout is not None
    assert running.process.stdout.readline() == b"ready\n"
    assert until((place.work / "beat").exists)
    running.end()
    before = (place.work / "beat").read_bytes()
    assert not until(lambda: (place.work / "beat").read_bytes() != before, 0.2)


LAUNCHER = """
import sys, time
from pathlib import Path
from sandbox.tests.support import Place
place = Place(Path(sys.argv[1]))
place.start("setsid sh -c 'while :; do date +%N >beat; done' & wait")
sys.stdin.read()
"""


def test_nothing_survives_the_launcher(place: Place) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    beat = place.work / "beat"
    with subprocess.Popen([sys.executable, "-c", LAUNCHER, str(place.base)], stdin=subprocess.PIPE, env=env) as launcher:
        assert until(beat.exists, 10)
        launcher.kill()
        launcher.wait(5)
    seen = [b""]

    def still() -> bool:
        before, seen[0] = seen[0], beat.read_bytes()
        return before == seen[0] and not until(lambda: beat.read_bytes() != seen[0], 0.1)

    assert until(still, 2)


def test_spawn_from_a_short_lived_thread(place: Place) -> None:
    import threading

    found = []
    thread = threading.Thread(target=lambda: found.append(place.start("sleep 0.3; echo lived")))
    thread.start()
    thread.join()
    out, _ = found[0].process.communicate(timeout=10)
    assert out == b"lived\n"


def test_the_working_directory(place: Place) -> None:
    assert place.run("pwd").out.strip() == str(place.work)
    assert place.run("pwd", place.small()).out.strip() == "/"


def test_the_state_directory_is_not_the_users_own() -> None:
    assert Path(os.environ["XDG_STATE_HOME"]).name.startswith("state")
