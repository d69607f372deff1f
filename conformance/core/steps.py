"""The verbs that an in-guest agent knows, as functions that build its steps. This table is closed: what is not here cannot be asked.

A step is data: a verb and its arguments. Paths are symbolic (`$WORK/x`) and are mapped by the session, for twin and attack alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Argument = str | int | bool | Sequence[str]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the agent. `paths` names the arguments that are symbolic paths; `touches` what the step may leave on the host."""

    verb: str
    args: Mapping[str, Argument] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()

    def text(self) -> str:
        """For a person: the verb and its symbolic paths."""
        words = self.args.get("argv", ())
        if self.verb == "run" and not isinstance(words, str | int):
            return f"run {' '.join(words)}".split("\n", 1)[0][:80]
        return " ".join((self.verb, *(str(self.args[name]) for name in self.paths)))


Steps = tuple[Step, ...]


REPORTS_EFFECT = frozenset(
    ("write", "mkdir", "rename", "exchange", "link", "unlink", "chmod", "utime", "truncate", "setxattr", "mkfifo", "otmpfile", "splice")
)
"""Verbs whose success means that something changed on a file system; if nothing changed outside, it was swallowed."""


CONNECTS = frozenset(("tcp", "unix", "abstract"))
"""Verbs whose success means that somebody answered."""

NO_ROUTE_WANTED = "EROUTED"
"""What the agent reports instead of speaking to an address that is not loopback where a route leads out."""


def _on(verb: str, paths: Mapping[str, str], **args: Argument) -> Step:
    return Step(verb, {**paths, **args}, tuple(paths), tuple(paths.values()))


def write(path: str, data: str, *, append: bool = False, executable: bool = False) -> Step:
    """open(O_WRONLY|O_CREAT), truncating unless `append`."""
    return _on("write", {"path": path}, data=data, append=append, executable=executable)


def read(path: str) -> Step:
    return _on("read", {"path": path})


def mkdir(path: str) -> Step:
    """mkdir -p"""
    return _on("mkdir", {"path": path})


def rename(src: str, dst: str) -> Step:
    return _on("rename", {"src": src, "dst": dst})


def exchange(a: str, b: str) -> Step:
    """renameat2(RENAME_EXCHANGE)"""
    return _on("exchange", {"a": a, "b": b})


def link(src: str, dst: str) -> Step:
    return _on("link", {"src": src, "dst": dst})


def symlink(target: str, path: str) -> Step:
    """The target is mapped like a path unless it is relative."""
    return _on("symlink", {"target": target, "path": path})


def unlink(path: str) -> Step:
    return _on("unlink", {"path": path})


def rmtree(path: str) -> Step:
    """Remove a tree, going on after errors; the first error is reported."""
    return _on("rmtree", {"path": path})


def copytree(src: str, dst: str) -> Step:
    return _on("copytree", {"src": src, "dst": dst})


def chmod(path: str, mode: int) -> Step:
    return _on("chmod", {"path": path}, mode=mode)


def utime(path: str, when: int) -> Step:
    """Set access and modification time, in seconds since the epoch."""
    return _on("utime", {"path": path}, when=when)


def truncate(path: str, size: int) -> Step:
    return _on("truncate", {"path": path}, size=size)


def setxattr(path: str, value: str) -> Step:
    """setxattr(2) of user.sandproof"""
    return _on("setxattr", {"path": path}, value=value)


def mkfifo(path: str) -> Step:
    return _on("mkfifo", {"path": path})


def otmpfile(directory: str, path: str, data: str) -> Step:
    """open(O_TMPFILE) in `directory`, then linkat through /proc/self/fd to `path`."""
    return _on("otmpfile", {"directory": directory, "path": path}, data=data)


def splice(src: str, dst: str) -> Step:
    """copy_file_range(2) from src to a new dst."""
    return _on("splice", {"src": src, "dst": dst})


def reopen_write(path: str, data: str) -> Step:
    """Open read-only, then open /proc/self/fd/N for writing."""
    return _on("reopen-write", {"path": path}, data=data)


def swap_race(path: str, outside: str, leaf: str, data: str, rounds: int) -> Step:
    """One thread exchanges directory `path` with a symlink to `outside`; the other writes `path/leaf`, `rounds` times."""
    return _on("swap-race", {"path": path, "outside": outside}, leaf=leaf, data=data, rounds=rounds)


def fds_write(data: str, name: str) -> Step:
    """Write to every inherited descriptor above 2; below directories make `name`."""
    return Step("fds-write", {"data": data, "name": name})


def fds_read() -> Step:
    return Step("fds-read")


def environ_of_ancestors(name: str = "") -> Step:
    """/proc/N/environ of this process, its ancestors and process 1: one variable, or (which shows a person's own) everything."""
    return Step("environ-of-ancestors", {"name": name})


def getenv(name: str) -> Step:
    return Step("getenv", {"name": name})


def proc_read(pid: int, entry: str) -> Step:
    """/proc/PID/ENTRY"""
    return Step("proc-read", {"pid": pid, "entry": entry})


def cmdlines() -> Step:
    """Command lines of all processes that can be seen."""
    return Step("cmdlines")


def kill(pid: int, signal: int) -> Step:
    return Step("kill", {"pid": pid, "signal": signal})


def peek(pid: int, address: int, length: int) -> Step:
    """Read another process's memory: process_vm_readv(2), then /proc/PID/mem."""
    return Step("peek", {"pid": pid, "address": address, "length": length})


def steal_fd(pid: int, fd: int) -> Step:
    """pidfd_open(2), pidfd_getfd(2), read."""
    return Step("steal-fd", {"pid": pid, "fd": fd})


def keyring_read(description: str) -> Step:
    """Search the session keyring for a `user` key and read it (keyctl(2))."""
    return Step("keyring-read", {"description": description})


def tiocsti(text: str) -> Step:
    """Type into the terminal: ioctl TIOCSTI on standard error and on /dev/tty."""
    return Step("tiocsti", {"text": text})


def sethostname(name: str) -> Step:
    return Step("sethostname", {"name": name})


def shm_write(shmid: int, data: str) -> Step:
    """Attach a System V segment by id and write into it."""
    return Step("shm-write", {"shmid": shmid, "data": data})


def heartbeat(path: str, cookie: str, seconds: int, *, wait: bool) -> Step:
    """A detached process that appends to `path` ten times a second and carries `cookie` as its name (at most 15 characters); with
    `wait` the agent stays until it ends."""
    return _on("heartbeat", {"path": path}, cookie=cookie, seconds=seconds, wait=wait)


def tcp(address: str, port: int, data: str) -> Step:
    return Step("tcp", {"address": address, "port": port, "data": data})


def udp(address: str, port: int, data: str) -> Step:
    return Step("udp", {"address": address, "port": port, "data": data})


def unix(path: str, data: str, *, datagram: bool = False) -> Step:
    return Step("unix", {"path": path, "data": data, "datagram": datagram}, ("path",))


def abstract(name: str, data: str) -> Step:
    return Step("abstract", {"name": name, "data": data})


def inside(address: str, path: str, data: str, *, datagram: bool = False) -> Step:
    """Listen on an address inside, call it as `tcp` or `udp` do, and keep in `path` what was heard."""
    return _on("inside", {"path": path}, address=address, data=data, datagram=datagram)


def inside_unix(name: str, path: str, data: str, *, datagram: bool = False) -> Step:
    """The same on a Unix socket: a symbolic path, or an abstract name after a zero byte."""
    args: dict[str, Argument] = {"name": name, "path": path, "data": data, "datagram": datagram}
    return Step("inside-unix", args, ("name", "path"), (path, name))


def join_netns(pid: int) -> Step:
    """setns(2) into /proc/PID/ns/net"""
    return Step("join-netns", {"pid": pid})


def remount(path: str) -> Step:
    """Unmount what covers `path`; remount it writable."""
    return Step("remount", {"path": path}, ("path",))


def userns() -> Step:
    """unshare(CLONE_NEWUSER | CLONE_NEWNS): become root of a namespace of one's own."""
    return Step("userns")


def run(argv: Sequence[str], *, cwd: str = "$WORK", stdin: str = "", touches: Sequence[str] = ("$WORK",)) -> Step:
    """Run a program. A word that begins with `$` is mapped as a path; `{python}` is the interpreter. A non-zero exit is an error."""
    return Step("run", {"argv": tuple(argv), "cwd": cwd, "stdin": stdin}, ("cwd",), tuple(touches))
