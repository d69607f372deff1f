"""The in-guest agent: reads a plan from standard input, carries it out step by step, says on standard output what it is doing.

Stdlib only, one file, no imports of the project: it is copied into a read-only directory and run with `python -I -S`. Every line
it prints is the plan's tag, a space and one JSON object, flushed before the next call is made. A step that fails is reported and the
next one is tried; the program ends by itself after the plan's deadline.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from _signal import SIGKILL, alarm  # type: ignore[import-not-found]  # the package imports enum
from binascii import b2a_base64

try:  # the C half alone: the package imports re and enum, half of this file's start
    import _json
except ImportError:  # another interpreter than CPython
    _json = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket as Socket
    from typing import Any

# Bigger modules are imported where they are used: every cell of the matrix pays for this file's start.

OUTPUT_LIMIT = 8000
SYSCALLS = {
    "x86_64": {"keyctl": 250, "pidfd_open": 434, "pidfd_getfd": 438, "renameat2": 316},
    "aarch64": {"keyctl": 219, "pidfd_open": 434, "pidfd_getfd": 438, "renameat2": 276},
}


def libc() -> Any:
    """The C library with errno, loaded by the first call that needs it."""
    global _libc
    if _libc is None:
        import ctypes

        _libc = ctypes.CDLL(None, use_errno=True)
    return _libc


_libc: Any = None


def check(result: Any) -> Any:
    """Turn a libc -1 into OSError."""
    if result == -1 or result == (1 << 64) - 1:
        import ctypes

        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def syscall(name: str, *args: Any) -> Any:
    number = SYSCALLS.get(os.uname().machine, {}).get(name)
    if number is None:
        raise OSError(errno.ENOSYS, name)
    return check(libc().syscall(number, *args))


# --- files ---------------------------------------------------------------------------------------------------------------


def write(path: str, data: str, append: bool, executable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
    fd = os.open(path, flags, 0o755 if executable else 0o644)
    try:
        os.write(fd, data.encode())
    finally:
        os.close(fd)


def read(path: str) -> Any:
    if os.path.isdir(path):
        return " ".join(sorted(os.listdir(path)))
    with open(path, "rb") as file:
        return file.read(OUTPUT_LIMIT)


def mkdir(path: str) -> None:
    os.makedirs(path, exist_ok=True)


def exchange(a: str, b: str) -> None:
    syscall("renameat2", -100, os.fsencode(a), -100, os.fsencode(b), 2)


def rmtree(path: str) -> None:
    import shutil

    errors: list[BaseException] = []
    shutil.rmtree(path, onerror=lambda _function, _path, info: errors.append(info[1]))
    if errors:
        raise errors[0]


def copytree(src: str, dst: str) -> None:
    import shutil

    shutil.copytree(src, dst, symlinks=True, dirs_exist_ok=True)


def otmpfile(directory: str, path: str, data: str) -> None:
    fd = os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o644)
    try:
        os.write(fd, data.encode())
        check(libc().linkat(-100, b"/proc/self/fd/%d" % fd, -100, os.fsencode(path), 0x400))
    finally:
        os.close(fd)


def splice(src: str, dst: str) -> None:
    with open(src, "rb") as source, open(dst, "wb") as sink:
        os.copy_file_range(source.fileno(), sink.fileno(), 1 << 16)


def reopen_write(path: str, data: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        again = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY)
        os.write(again, data.encode())
        os.close(again)
    finally:
        os.close(fd)


def swap_race(path: str, outside: str, leaf: str, data: str, rounds: int) -> str:
    """Ends after `rounds` writes; the exchanging process ends with it, or by its own alarm."""
    other = path + ".swap"
    mkdir(path)
    if not os.path.islink(other):
        os.symlink(outside, other)
    parent = os.getpid()
    started, starts = os.pipe()
    swapper = os.fork()
    if swapper == 0:
        libc().prctl(1, SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        os.write(starts, b"1")
        while os.getppid() == parent:
            try:
                exchange(path, other)
            except OSError:
                pass
        os._exit(0)
    os.read(started, 1)
    refused = 0
    for number in range(rounds):
        if number % 20 == 0:
            time.sleep(0.0002)  # a busy machine would otherwise let one side finish before the other begins
        try:
            write(os.path.join(path, leaf), data, True, False)
        except OSError:
            refused += 1
    os.kill(swapper, SIGKILL)
    os.waitpid(swapper, 0)
    return f"{rounds} rounds, {refused} refused"


# --- descriptors, environment, processes -----------------------------------------------------------------------------------


def inherited() -> list[int]:
    own = {0, 1, 2}
    found = [int(name) for name in os.listdir("/proc/self/fd")]
    return [fd for fd in sorted(found) if fd not in own and os.path.exists(f"/proc/self/fd/{fd}")]


def fds_write(data: str, name: str) -> None:
    done = 0
    for fd in inherited():
        try:
            if os.path.isdir(f"/proc/self/fd/{fd}"):
                below = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=fd)
                done += os.write(below, data.encode())
                os.close(below)
            else:
                done += os.write(fd, data.encode())
        except OSError:
            continue
    if not done:
        raise OSError(errno.EBADF, "no inherited descriptor took it")


def fds_read() -> bytes:
    parts = []
    for fd in inherited():
        try:
            os.lseek(fd, 0, os.SEEK_SET)
            parts.append(os.read(fd, OUTPUT_LIMIT))
        except OSError:
            continue
    if not parts:
        raise OSError(errno.EBADF, "no inherited descriptor can be read")
    return b" ".join(parts)


def environ_of_ancestors(name: str = "") -> bytes:
    """With a name only that variable comes back: the rest is nobody's business."""
    pids, pid = [1], os.getpid()
    while pid > 0 and len(pids) < 64:
        pids.append(pid)
        try:
            with open(f"/proc/{pid}/status") as status:
                pid = next(int(line.split()[1]) for line in status if line.startswith("PPid"))
        except OSError:  # hidden: the way up ends here
            break
    parts, errors = [], []
    for number in pids:
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                parts.append(file.read())
        except OSError as error:
            errors.append(error)
    if not parts:
        raise errors[0]
    if not name:
        return b"\n".join(parts)
    found = [entry for part in parts for entry in part.split(b"\0") if entry.startswith(name.encode() + b"=")]
    if not found:
        raise OSError(errno.ENOENT, name)
    return b"\n".join(found)


def getenv(name: str) -> str:
    if name not in os.environ:
        raise OSError(errno.ENOENT, name)
    return os.environ[name]


def proc_read(pid: int, entry: str) -> bytes:
    with open(f"/proc/{pid}/{entry}", "rb") as file:
        return file.read(OUTPUT_LIMIT)


def cmdlines() -> bytes:
    parts = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    parts.append(file.read(400))
            except OSError:
                continue
    return b"\n".join(parts)[-OUTPUT_LIMIT:]


def peek(pid: int, address: int, length: int) -> bytes:
    import ctypes

    buffer = ctypes.create_string_buffer(length)

    class Vector(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    local = Vector(ctypes.addressof(buffer), length)
    remote = Vector(address, length)
    try:
        check(libc().process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))
    except OSError:
        with open(f"/proc/{pid}/mem", "rb") as file:
            file.seek(address)
            return file.read(length)
    return buffer.raw


def steal_fd(pid: int, fd: int) -> bytes:
    handle = syscall("pidfd_open", pid, 0)
    stolen = syscall("pidfd_getfd", handle, fd, 0)
    os.lseek(stolen, 0, os.SEEK_SET)
    return os.read(stolen, OUTPUT_LIMIT)


def keyring_read(description: str) -> bytes:
    import ctypes

    key = syscall("keyctl", 10, -3, b"user", description.encode(), 0)  # KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING
    buffer = ctypes.create_string_buffer(512)
    length = syscall("keyctl", 11, key, buffer, 512)  # KEYCTL_READ
    return buffer.raw[:length]


def tiocsti(text: str) -> None:
    import fcntl
    import termios

    errors = []
    for target in (2, "/dev/tty"):
        try:
            fd = target if isinstance(target, int) else os.open(target, os.O_RDWR | os.O_NOCTTY)
            for char in text.encode():
                fcntl.ioctl(fd, termios.TIOCSTI, bytes([char]))
        except OSError as error:
            errors.append(error)
        else:
            return
    raise errors[-1]


def shm_write(shmid: int, data: str) -> None:
    import ctypes

    libc().shmat.restype = ctypes.c_void_p
    address = check(libc().shmat(shmid, None, 0))
    ctypes.memmove(address, data.encode(), len(data))
    check(libc().shmdt(ctypes.c_void_p(address)))


def heartbeat(path: str, cookie: str, seconds: int, wait: bool) -> None:
    ready, signal_ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        libc().prctl(15, cookie.encode()[:15], 0, 0, 0)  # PR_SET_NAME
        for number in (0, 1, 2):
            os.dup2(os.open("/dev/null", os.O_RDWR), number)
        os.write(signal_ready, b"1")
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            with open(path, "a") as file:
                file.write(".")
            time.sleep(0.1)
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(signal_ready)
    if os.read(ready, 1) != b"1":
        raise OSError(errno.ECHILD, "the background process did not start")
    if wait:
        say({"b": "beating"})
        time.sleep(seconds)


# --- network -----------------------------------------------------------------------------------------------------------------


def family_of(address: str) -> int:
    import socket

    return socket.AF_INET6 if ":" in address else socket.AF_INET


UNROUTED = ("198.51.100.77", "2001:db8:77::1", "8.8.4.4")


class RoutedError(Exception):
    """Here an address that is not loopback might really answer, so it is not spoken to."""


def must_be_cut_off(address: str) -> None:
    """Refuse to name a real address where any route leads out. Connecting a datagram socket sends nothing."""
    import socket

    if address.startswith(("127.", "::ffff:127.")) or address in ("::1", "0.0.0.0", "::", "localhost"):
        return
    for target in UNROUTED:
        with socket.socket(family_of(target), socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((target, 9))
            except OSError:
                continue
        raise RoutedError(target)


def tcp(address: str, port: int, data: str) -> None:
    import socket

    must_be_cut_off(address)
    with socket.socket(family_of(address), socket.SOCK_STREAM) as conn:
        conn.settimeout(2)
        conn.connect((address, port))
        conn.sendall(data.encode())
        conn.shutdown(socket.SHUT_WR)


def udp(address: str, port: int, data: str) -> None:
    import socket

    must_be_cut_off(address)
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as conn:
        conn.settimeout(2)
        conn.connect((address, port))
        conn.send(data.encode())


def short(path: str) -> str:
    """A spelling of the path of a Unix socket that fits into an address, which holds 107 bytes (unix(7)). Abstract names stay."""
    if len(os.fsencode(path)) <= 107 or path.startswith("\0"):
        return path
    directory, _, name = path.rpartition("/")
    return f"/proc/self/fd/{os.open(directory, os.O_PATH | os.O_DIRECTORY)}/{name}"


def unix(path: str, data: str, datagram: bool) -> None:
    import socket

    path = short(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if datagram else socket.SOCK_STREAM) as conn:
        conn.settimeout(2)
        conn.connect(path)
        conn.sendall(data.encode())


def abstract(name: str, data: str) -> None:
    unix("\0" + name, data, False)


def inside(address: str, path: str, data: str, datagram: bool) -> None:
    """A listener of our own on an address, and a call to it; `path` keeps what it heard."""
    import socket

    with socket.socket(family_of(address), socket.SOCK_DGRAM if datagram else socket.SOCK_STREAM) as server:
        server.bind((address, 0))
        if not datagram:
            server.listen(1)
        (udp if datagram else tcp)(address, server.getsockname()[1], data)
        write(path, heard(server), False, False)


def inside_unix(name: str, path: str, data: str, datagram: bool) -> None:
    """The same on a Unix socket. A name that begins with a zero byte is abstract."""
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if datagram else socket.SOCK_STREAM) as server:
        server.bind(short(name))
        try:
            if not datagram:
                server.listen(1)
            unix(name, data, datagram)
            write(path, heard(server), False, False)
        finally:
            if not name.startswith("\0"):
                os.unlink(name)


def heard(server: Socket) -> str:
    import socket

    server.settimeout(2)
    if server.type == socket.SOCK_DGRAM:
        return server.recv(4096).decode()
    conn, _ = server.accept()
    with conn:
        conn.settimeout(2)
        return b"".join(iter(lambda: conn.recv(4096), b"")).decode()


def join_netns(pid: int) -> None:
    fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    try:
        check(libc().setns(fd, 0x40000000))
    finally:
        os.close(fd)


# --- namespaces --------------------------------------------------------------------------------------------------------------


def remount(path: str) -> None:
    errors = []
    name = os.fsencode(path)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: check(libc().umount2(name, 2)),  # MNT_DETACH
        lambda: check(libc().mount(None, name, None, 0x20 | 0x1000, None)),  # MS_REMOUNT | MS_BIND, without MS_RDONLY
    )
    for call in calls:
        try:
            call()
        except OSError as error:
            errors.append(error)
        else:
            return
    raise errors[-1]


def userns() -> None:
    uid, gid = os.getuid(), os.getgid()
    check(libc().unshare(0x10000000 | 0x00020000))
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def sethostname(name: str) -> None:
    raw = name.encode()
    check(libc().sethostname(raw, len(raw)))


def run(argv: list[str], cwd: str, stdin: str) -> bytes:
    import subprocess

    try:
        done = subprocess.run(
            argv, cwd=cwd, input=stdin.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=15, check=False
        )
    except subprocess.TimeoutExpired:
        raise OSError(errno.ETIMEDOUT, "the program did not end") from None
    if done.returncode:
        raise ProcessError(done.returncode, done.stdout)
    return done.stdout


class ProcessError(Exception):
    pass


VERBS: dict[str, Callable[..., Any]] = {
    "write": write,
    "read": read,
    "mkdir": mkdir,
    "rename": os.rename,
    "exchange": exchange,
    "link": os.link,
    "symlink": lambda target, path: os.symlink(target, path),
    "unlink": os.unlink,
    "rmtree": rmtree,
    "copytree": copytree,
    "chmod": os.chmod,
    "utime": lambda path, when: os.utime(path, (when, when)),
    "truncate": lambda path, size: os.truncate(path, size),
    "setxattr": lambda path, value: os.setxattr(path, "user.sandproof", value.encode()),
    "mkfifo": os.mkfifo,
    "otmpfile": otmpfile,
    "splice": splice,
    "reopen-write": reopen_write,
    "swap-race": swap_race,
    "fds-write": fds_write,
    "fds-read": fds_read,
    "environ-of-ancestors": environ_of_ancestors,
    "getenv": getenv,
    "proc-read": proc_read,
    "cmdlines": cmdlines,
    "kill": lambda pid, signal: os.kill(pid, signal),
    "peek": peek,
    "steal-fd": steal_fd,
    "keyring-read": keyring_read,
    "tiocsti": tiocsti,
    "sethostname": sethostname,
    "shm-write": shm_write,
    "heartbeat": heartbeat,
    "tcp": tcp,
    "udp": udp,
    "unix": unix,
    "abstract": abstract,
    "inside": inside,
    "inside-unix": inside_unix,
    "join-netns": join_netns,
    "remount": remount,
    "userns": userns,
    "run": run,
}

tag = ""


def encoded(record: dict[str, Any]) -> str:
    """A flat record of texts, numbers and nothing as JSON."""
    if _json is None:
        import json

        return json.dumps(record)
    parts = []
    for key, value in record.items():
        text = "null" if value is None else _json.encode_basestring_ascii(value) if isinstance(value, str) else str(value)
        parts.append(f"{_json.encode_basestring_ascii(key)}: {text}")
    return "{" + ", ".join(parts) + "}"


class Strict:
    """What json.JSONDecoder would set for the scanner; the plan has no numbers but integers."""

    strict = True
    object_hook = object_pairs_hook = parse_constant = None
    parse_float = parse_int = int


def decoded(text: str) -> Any:
    if _json is None:
        import json

        return json.loads(text)
    scanner: Any = _json.make_scanner
    return scanner(Strict())(text, 0)[0]


def say(record: dict[str, Any]) -> None:
    sys.stdout.write(f"{tag} {encoded(record)}\n")
    sys.stdout.flush()


def shown(value: Any) -> str | None:
    """Text as it is; bytes that are not text also as base64, so that nothing read is lost on the way out."""
    if isinstance(value, bytes):
        raw = value[:OUTPUT_LIMIT]
        text = raw.decode("utf-8", "backslashreplace")
        plain = text.encode() == raw and "".join(text.split()).isprintable()
        return text if plain else f"{text} b64:{b2a_base64(raw, newline=False).decode()}"
    return None if value is None else str(value)[:OUTPUT_LIMIT]


def carry_out(number: int, step: dict[str, Any]) -> None:
    """One step, reported before and after. What the call raises becomes its errno; anything else is a fault and ends the agent."""
    say({"b": "acting", "step": number, "role": step["role"], "verb": step["verb"]})
    code, out = None, None
    try:
        out = shown(VERBS[step["verb"]](**step["args"]))
    except RoutedError as error:
        code, out = "EROUTED", f"there is a route to {error}; nothing was sent"
    except ProcessError as error:
        code, out = f"exit:{error.args[0]}", shown(error.args[1])
    except OSError as error:  # shutil.Error, which has no errno, is one too
        code, out = errno.errorcode.get(error.errno or 0, "EUNKNOWN"), str(error.strerror or error)[:400]
    say({"b": "acted", "step": number, "role": step["role"], "verb": step["verb"], "errno": code, "out": out})


def main() -> None:
    global tag
    plan = decoded(sys.stdin.read())
    tag = plan["tag"]
    alarm(plan["deadline"])
    say({"b": "ready"})
    for number, step in enumerate(plan["steps"]):
        carry_out(number, step)
    say({"b": "done"})


if __name__ == "__main__":
    main()
