"""Each witness sees what landed, and does not see what did not."""

from __future__ import annotations

import base64
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.agent import agent
from conformance.core.attempt import Witness
from conformance.witnesses.files import Exists, FileHolds, OutputHolds, TreeChanged
from conformance.witnesses.kernel import SharedSegment, Terminal, put_key
from conformance.witnesses.listeners import Hears, on_abstract, on_loopback, on_path
from conformance.witnesses.processes import Decoy, Survives

NONCE = "5f0c9a1b2d3e4f60"


def landed(witness: Witness, output: bytes = b"") -> bool:
    return witness.look(output).landed


# --- files -------------------------------------------------------------------------------------------------------------------


def test_a_file_holds_the_nonce_or_does_not(tmp_path: Path) -> None:
    path = tmp_path / "x"
    witness = FileHolds(path, NONCE)
    assert not landed(witness)
    path.write_text("something else", encoding="utf-8")
    assert not landed(witness)
    path.write_text(f"before {NONCE} after", encoding="utf-8")
    assert landed(witness)
    path.unlink()
    path.mkdir()
    assert not landed(witness)


def test_a_pipe_in_the_files_place_does_not_hang_the_witness(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    assert not landed(FileHolds(tmp_path / "x", NONCE))


def test_a_file_is_found_through_links_as_the_hosts_tools_would(tmp_path: Path) -> None:
    (tmp_path / "real").write_text(NONCE, encoding="utf-8")
    (tmp_path / "x").symlink_to("real")
    assert landed(FileHolds(tmp_path / "x", NONCE))


def _chmod(path: Path) -> None:
    path.chmod(0o600)


def _mtime(path: Path) -> None:
    os.utime(path, (1, 1))


def _xattr(path: Path) -> None:
    try:
        os.setxattr(path, "user.sandproof", b"x")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error.strerror}")


def _replace(path: Path) -> None:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    info = path.stat()
    os.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))
    copy.replace(path)


def _link(path: Path) -> None:
    os.link(path, path.parent.parent / "second-name")


def _symlink(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


CHANGES: dict[str, Callable[[Path], object]] = {
    "mode": _chmod,
    "time": _mtime,
    "xattr": _xattr,
    "inode": _replace,
    "links": _link,
    "type": _symlink,
    "content": lambda path: path.write_text("other", encoding="utf-8"),
    "gone": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("renamed")),
    "sibling": lambda path: path.with_name("sibling").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_tree_that_changed_in_any_way(change: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "tree" / "file"
    path.parent.mkdir()
    path.write_text("content", encoding="utf-8")
    path.chmod(0o644)
    witness = TreeChanged(path.parent)
    path.read_text(encoding="utf-8")
    assert not landed(witness), "reading changes nothing"
    change(path)
    assert landed(witness)


def test_a_tree_of_which_nothing_exists_yet(tmp_path: Path) -> None:
    witness = TreeChanged(tmp_path / "absent")
    assert not landed(witness)
    (tmp_path / "absent").mkdir()
    assert landed(witness)


def test_existence_counts_dangling_links(tmp_path: Path) -> None:
    witness = Exists(tmp_path / "x")
    assert not landed(witness)
    (tmp_path / "x").symlink_to("nowhere")
    assert landed(witness)


@pytest.mark.parametrize("around", [b"", b"a", b"ab", b"abc"])
def test_a_canary_is_found_plain_and_encoded(around: bytes) -> None:
    witness = OutputHolds(NONCE)
    raw = around + NONCE.encode() + around
    assert landed(witness, b"x " + raw)
    assert landed(witness, raw.hex().encode())
    assert landed(witness, base64.b64encode(raw))
    assert not landed(witness, around + NONCE[:-1].encode() + around)
    assert not landed(witness, base64.b64encode(around + b"0" * 16))


# --- listeners -----------------------------------------------------------------------------------------------------------------


def _sends_tcp(heard: Hears, text: str) -> None:
    agent.tcp(heard.sock.getsockname()[0], heard.port, text)


def _sends_udp(heard: Hears, text: str) -> None:
    agent.udp(heard.sock.getsockname()[0], heard.port, text)


def _sends_unix(heard: Hears, text: str) -> None:
    agent.unix(heard.name, text, heard.sock.type == socket.SOCK_DGRAM)


def _sends_abstract(heard: Hears, text: str) -> None:
    agent.abstract(heard.sock.getsockname()[1:].decode(), text)


LISTENERS: dict[str, tuple[Callable[[Path], Hears], Callable[[Hears, str], None]]] = {
    "tcp": (lambda place: on_loopback(NONCE), _sends_tcp),
    "udp": (lambda place: on_loopback(NONCE, datagram=True), _sends_udp),
    "tcp6": (lambda place: on_loopback(NONCE, address="::1"), _sends_tcp),
    "unix": (lambda place: on_path(place / "s", NONCE), _sends_unix),
    "unix-datagram": (lambda place: on_path(place / "s", NONCE, datagram=True), _sends_unix),
    "abstract": (lambda place: on_abstract(f"sandproof-meta-{os.getpid()}", NONCE), _sends_abstract),
}


@pytest.mark.parametrize(("make", "send"), LISTENERS.values(), ids=LISTENERS)
def test_a_listener_hears_the_nonce_and_nothing_else(
    make: Callable[[Path], Hears], send: Callable[[Hears, str], None], tmp_path: Path
) -> None:
    try:
        heard = make(tmp_path)
    except OSError as error:
        pytest.skip(f"this kind of socket is not here: {error.strerror}")
    with heard.sock:
        assert not landed(heard)
        send(heard, "some other text")
        assert not landed(heard)
        send(heard, f"a {NONCE} b")
        assert landed(heard)
        assert landed(heard), "what was heard stays heard"


def test_a_caller_that_says_nothing_does_not_hold_up_the_witness() -> None:
    heard = on_loopback(NONCE)
    with heard.sock, socket.create_connection(("127.0.0.1", heard.port)):
        started = time.monotonic()
        assert not landed(heard)
        assert time.monotonic() - started < 3


# --- processes -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def decoy() -> Iterator[Decoy]:
    made = Decoy(NONCE, named="meta-decoy", env={"DECOY": "1"})
    yield made
    made.close()


def test_a_decoy_lives_until_it_is_signalled(decoy: Decoy) -> None:
    assert not landed(decoy)
    os.kill(decoy.pid, signal.SIGUSR1)
    decoy.process.wait(timeout=5)
    seen = decoy.look(b"")
    assert (seen.landed, seen.saw) == (True, "the decoy ended with 42")


def test_a_decoy_hides_its_canary_in_memory_and_behind_a_descriptor(decoy: Decoy) -> None:
    with open(f"/proc/{decoy.pid}/fd/{decoy.fd}", "rb") as file:
        assert file.read() == NONCE.encode()
    if os.geteuid() != 0:
        return  # whether a plain user may read another process's memory is the host's own choice (ptrace_scope)
    with open(f"/proc/{decoy.pid}/mem", "rb") as memory:
        memory.seek(decoy.address)
        assert memory.read(len(NONCE)) == NONCE.encode()


def test_what_survives_is_seen_and_ended(tmp_path: Path) -> None:
    path, cookie = tmp_path / "beat", f"meta{os.getpid()}"[:15]
    witness = Survives(cookie, path)
    assert not landed(witness)
    source = "import sys; sys.path.insert(0, sys.argv[1]); import agent; agent.heartbeat(sys.argv[2], sys.argv[3], 20, False)"
    place = str(Path(agent.__file__).parent)
    subprocess.run([sys.executable, "-I", "-S", "-c", source, place, str(path), cookie], check=True, timeout=10)
    try:
        assert landed(witness)
    finally:
        witness.close()
    assert not landed(witness)


# --- kernel objects --------------------------------------------------------------------------------------------------------------


def test_a_shared_segment_is_written_from_another_process() -> None:
    segment = SharedSegment(NONCE)
    try:
        assert not landed(segment)
        agent.shm_write(segment.id, NONCE)
        assert landed(segment)
    finally:
        segment.close()
    with pytest.raises(OSError, match=r"Invalid argument|Identifier removed"):
        agent.shm_write(segment.id, NONCE)


def test_a_terminal_reads_what_was_typed_and_no_less() -> None:
    terminal = Terminal(NONCE)
    try:
        assert not landed(terminal)
        os.write(terminal.master, b"something else")
        assert not landed(terminal)
        os.write(terminal.master, NONCE.encode())
        assert landed(terminal)
    finally:
        terminal.close()


def test_a_key_of_the_launcher_is_found_by_the_agent_and_removed() -> None:
    """In a process of its own: the session keyring that it joins must not stay this one's."""
    source = (
        "from conformance.witnesses.kernel import put_key\n"
        "from conformance.agent import agent\n"
        f"remove = put_key('sandproof:meta', '{NONCE}')\n"
        "print(agent.keyring_read('sandproof:meta').decode())\n"
        "remove()\n"
        "try:\n"
        "    agent.keyring_read('sandproof:meta')\n"
        "except OSError:\n"
        "    print('gone')\n"
    )
    root = str(Path(agent.__file__).parent.parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((root, *filter(None, sys.path)))}
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=20, check=False, env=environment)
    if "PermissionError" in done.stderr or "Function not implemented" in done.stderr:
        pytest.skip("the kernel's keyrings may not be used here")
    assert done.stdout.split() == [NONCE, "gone"], done.stderr
    assert callable(put_key)


def test_constants_of_this_machine_are_those_of_its_headers() -> None:
    """A wrong number would make a control that never lands."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = agent.SYSCALLS.get(os.uname().machine, {}).get("pidfd_open")
    if number is None:
        pytest.skip(f"no system-call numbers are known for {os.uname().machine}")
    handle = libc.syscall(number, os.getpid(), 0)
    if handle < 0 and ctypes.get_errno() == 1:
        pytest.skip("pidfd_open is filtered here")
    assert handle >= 0
    os.close(handle)
