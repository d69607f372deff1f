"""What Python programs, and the libraries below them, need of a system."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.work.common import proof, python, works
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import run
from conformance.core.words import Severity

POOL = """
import multiprocessing, sys
def double(n):
    return 2 * n
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Lock(), context.Pool(2) as pool:
        assert pool.map(double, range(9)) == list(range(0, 18, 2))
    open("proof.txt", "w").write(sys.argv[1])
"""

SHARED_MEMORY = """
import sys
from multiprocessing import shared_memory
nonce = sys.argv[1].encode()
block = shared_memory.SharedMemory(create=True, size=4096)
try:
    block.buf[:len(nonce)] = nonce
    again = shared_memory.SharedMemory(name=block.name)
    open("proof.txt", "wb").write(bytes(again.buf[:len(nonce)]))
    again.close()
finally:
    block.close()
    block.unlink()
"""

MAPPED = """
import mmap, sys
nonce = sys.argv[1].encode()
with open("proof.txt", "wb+") as file:
    file.truncate(4096)
    with mmap.mmap(file.fileno(), 4096) as area:
        area[:len(nonce)] = nonce
        area.flush()
"""

LOCKED = """
import fcntl, sys
first, second = open("lock", "w"), open("lock", "w")
fcntl.flock(first, fcntl.LOCK_EX)
try:
    fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    fcntl.flock(first, fcntl.LOCK_UN)
    fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(second, fcntl.LOCK_EX)
    open("proof.txt", "w").write(sys.argv[1])
"""

DATABASE = """
import sqlite3, sys
for mode in ("delete", "wal"):
    base = sqlite3.connect(mode + ".db")
    assert base.execute("pragma journal_mode=" + mode).fetchone()[0] == mode
    base.execute("create table t (word text)")
    base.execute("insert into t values (?)", (sys.argv[1],))
    base.commit()
    word = base.execute("select word from t").fetchone()[0]
    base.close()
open("proof.txt", "w").write(word)
"""

TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", "test -t 0 && test -t 1 && stty -a >/dev/null && tty >/dev/null && read word && echo got $word", "sh"])
os.write(terminal, sys.argv[1].encode() + b"\\n")
said = b""
try:
    while chunk := os.read(terminal, 4096):
        said += chunk
except OSError:
    pass
assert os.waitpid(pid, 0)[1] == 0, said
open("proof.txt", "wb").write(said[said.index(b"got"):])
"""

MODULE = """
import importlib, os, sys
os.mkdir("package")
open("package/__init__.py", "w").write("WORD = %r" % sys.argv[1])
importlib.invalidate_caches()
import package
assert any(name.endswith(".pyc") for name in os.listdir("package/__pycache__"))
open("proof.txt", "w").write(package.WORD)
"""

THREADS = """
import concurrent.futures, subprocess, sys
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    said = list(pool.map(lambda n: subprocess.run(["echo", str(n)], stdout=-1, check=True).stdout, range(8)))
assert said == [b"%d\\n" % n for n in range(8)]
open("proof.txt", "w").write(sys.argv[1])
"""

TEMPORARY = """
import sys, tempfile
with tempfile.TemporaryDirectory() as directory:
    with tempfile.NamedTemporaryFile("w+", dir=directory) as named, tempfile.TemporaryFile("w+") as file:
        for out in (named, file):
            out.write(sys.argv[1])
            out.seek(0)
        assert named.read() == file.read() == sys.argv[1]
open("proof.txt", "w").write(sys.argv[1])
"""

WATCHED = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init()
assert watch >= 0 and libc.inotify_add_watch(watch, b".", 0x100) >= 0  # IN_CREATE, inotify(7)
open(sys.argv[1], "w").close()
name = os.read(watch, 4096)[16:].rstrip(b"\\0")
open("proof.txt", "wb").write(name)
"""

TIME = """
import sys, time
before, cpu = time.monotonic(), time.process_time()
time.sleep(0.01)
assert 0.01 <= time.monotonic() - before < 10 and time.process_time() >= cpu and time.time() > 1.7e9
assert time.localtime() and time.tzname
open("proof.txt", "w").write(sys.argv[1])
"""

PROGRAMS = {
    "pool": (POOL, "Use a pool of processes and a lock"),
    "shared-memory": (SHARED_MEMORY, "Use POSIX shared memory"),
    "mapped-file": (MAPPED, "Write to a file through a shared mapping"),
    "file-lock": (LOCKED, "Lock files"),
    "database": (DATABASE, "Use SQLite with a rollback journal and with a write-ahead log"),
    "terminal": (TERMINAL, "Run a program on a terminal of its own"),
    "module": (MODULE, "Import a module just written, which is compiled beside it"),
    "threads": (THREADS, "Start programs from several threads"),
    "temporary": (TEMPORARY, "Use temporary files and directories"),
    "watched-directory": (WATCHED, "Watch a directory for new files"),
    "clocks": (TIME, "Read the clocks"),
}


def _attempt(source: str, title: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        return works(scene, python(scene, source, nonce), proof(scene, nonce))

    return _made(title, arm)


def _environment(scene: Scene) -> Armed:
    nonce = scene.nonce()
    code = "import sys; assert sys.prefix != sys.base_prefix; open('proof.txt', 'w').write(sys.argv[1])"
    steps = (
        run(("{python}", "-m", "venv", "--without-pip", "$WORK/venv")),
        run(("$WORK/venv/bin/python", "-c", code, nonce)),
    )
    return works(scene, steps, proof(scene, nonce))


def _made(title: str, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title=f"{title}, in Python.",
        requirement="Programs find the services of the system that they are used to.",
        violates=None,
        severity=Severity.HIGH,
        arm=arm,
    )


FAMILY = {name: _attempt(*row) for name, row in PROGRAMS.items()} | {
    "virtual-environment": _made("Make a virtual environment and run its interpreter", _environment)
}
