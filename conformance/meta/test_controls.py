"""All controls run unconfined, on people's machines: nothing outside their scenes may change, and nothing may leave the machine.

The whole suite runs once through `none` in a world where both can be seen exactly: the file system is read-only except for the cache,
a home, a checkout and empty scratch; the network has no interface but `lo`; process table, System V objects and host name are new.
Whatever an attempt needs beyond its scene fails there, so its control does not land; whatever it leaves is the only thing there.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.none import NoneAdapter
from conformance.core.catalogue import load_attempts
from conformance.core.evidence import Evidence
from conformance.core.observe import observe
from conformance.core.runfile import read_run
from conformance.meta import surroundings
from conformance.meta.child import PLUGINS, ROOT, environment
from conformance.meta.samples import word
from conformance.suite import SUITE_PATH
from sandbox.host import Host
from sandbox.launch.keyring import SYS_KEYCTL

WORLD = (
    *("--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--tmpfs", "/dev/shm", "--proc", "/proc", "--tmpfs", "/tmp"),
    *("--tmpfs", "/var/tmp"),
    *("--unshare-net", "--unshare-uts", "--unshare-ipc", "--unshare-pid", "--die-with-parent"),
)


def bwrap() -> str:
    program = shutil.which("bwrap")
    if program is None or not Host.detect().is_linux:
        pytest.skip("the small world is made by bubblewrap, which is not here")
    tried = subprocess.run([program, *WORLD, "true"], capture_output=True, text=True, timeout=20, check=False)
    if tried.returncode:
        pytest.skip(f"the small world cannot be made here: {tried.stderr.strip()[:200]}")
    return program


def readable() -> list[str]:
    """The interpreter, its libraries and this tree, where they lie below scratch that is replaced."""
    needed = {str(ROOT), sys.prefix, sys.base_prefix, *(entry for entry in sys.path if entry)}
    return [word for path in sorted(needed) if path.startswith(("/tmp/", "/var/tmp/")) for word in ("--ro-bind-try", path, path)]


def session_keys() -> bytes:
    """The ids of the keys in this process's session keyring, empty where there is none (keyctl(2), KEYCTL_READ)."""
    number = SYS_KEYCTL.get(platform.machine())
    buffer = ctypes.create_string_buffer(4096)
    length = ctypes.CDLL(None).syscall(number, 11, -3, buffer, 4096) if number else 0
    return buffer.raw[: max(0, length)]


World = tuple[dict[str, Any], dict[str, Evidence]]


def in_world(place: Path, *words: str) -> World:
    """What lay around before and after, and the cells."""
    program = bwrap()
    for name in ("home", "checkout/.git/hooks", "cache", "tmp"):
        (place / name).mkdir(parents=True)
    for bait in ("home/.bashrc", "home/.gitconfig", "checkout/README", "checkout/.git/config"):
        (place / bait).write_text("# a person's own\n", encoding="utf-8")
    env = environment(HOME=str(place / "home"), SANDPROOF_CACHE=str(place / "cache"), TMPDIR=str(place / "tmp"))
    env.pop("XDG_CACHE_HOME", None)
    suite = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--rootdir", str(place), *PLUGINS, str(SUITE_PATH)]
    command = [program, *WORLD, *readable(), "--bind", str(place), str(place), "--chdir", str(place / "checkout"), "--"]
    look = [sys.executable, str(Path(surroundings.__file__))]
    keys = session_keys()
    done = subprocess.run(
        [*command, *look, *suite, "--adapter", "none", "--run-file", str(place / "run.jsonl"), *words],
        env=env,
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    told["before"]["session keyring"], told["after"]["session keyring"] = keys, session_keys()
    seen = read_run(place / "run.jsonl")
    assert seen.complete, told["said"]
    return told, {evidence.attempt: evidence for evidence in seen.evidence}


def missed(world: World) -> dict[str, str]:
    return {name: word(cell) for name, cell in world[1].items() if not cell.facts.landed}


def test_all_controls(tmp_path: Path) -> None:
    """One test, so that workers do not make the world several times."""
    attempts = {attempt.id: attempt for attempt in load_attempts()}
    told, cells = world = in_world(tmp_path / "w")
    assert told["code"] == 0, told["said"]
    assert set(cells) == set(attempts), "a control was not made"
    assert told["before"]["interfaces"] == ["lo"]
    before, after = told["before"], told["after"]
    assert {what: (before[what], after[what]) for what in before if before[what] != after[what]} == {}, "a control left something"
    # What does not land there must not land on this host either, for the same reason: it would have needed more than its scene.
    host = Host.detect()
    here = {name: word(observe(attempts[name], NoneAdapter(), host, None)) for name in missed(world)}
    differs = [name for name, said in missed(world).items() if said != here[name]]
    if differs:  # once more: on a busy machine a control may miss its deadline
        again = in_world(tmp_path / "again", *(part for name in differs for part in ("--attempt", name)))
        assert missed(again) == {name: here[name] for name in missed(again)}
    assert len(here) < len(attempts) / 3, "too few controls land for this test to mean anything"


def test_the_world_would_have_shown_it(tmp_path: Path) -> None:
    """A command that leaves one thing in each place is seen in each."""
    program = bwrap()
    for name in ("home", "checkout", "tmp", "cache/scenes"):
        (tmp_path / name).mkdir(parents=True)
    litter = (
        "import ctypes, os, socket, subprocess\n"
        "for path in (os.environ['HOME'] + '/x', 'x', '/tmp/x', '/dev/shm/x', os.environ['TMPDIR'] + '/x'):\n"
        "    open(path, 'w').close()\n"
        "os.mkdir(os.environ['SANDPROOF_CACHE'] + '/scenes/x')\n"
        "ctypes.CDLL(None).shmget(0, 4096, 0o1600)\n"
        "subprocess.Popen(['sleep', '30'], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "if os.getuid() == 0:\n"
        "    socket.sethostname('changed')\n"
    )
    env = environment(HOME=str(tmp_path / "home"), SANDPROOF_CACHE=str(tmp_path / "cache"), TMPDIR=str(tmp_path / "tmp"))
    command = [program, *WORLD, *readable(), "--bind", str(tmp_path), str(tmp_path), "--chdir", str(tmp_path / "checkout"), "--"]
    look = [sys.executable, str(Path(surroundings.__file__)), sys.executable, "-c", litter]
    done = subprocess.run([*command, *look], env=env, capture_output=True, text=True, timeout=60, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    changed = {what for what in told["before"] if told["before"][what] != told["after"][what]}
    expected = {"home", "checkout", "scratch", "temporary files", "scenes", "System V objects", "processes"}
    assert changed == expected | ({"host name"} if os.getuid() == 0 else set())
