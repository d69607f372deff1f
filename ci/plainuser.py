"""A plain user for as long as a `with` block lasts: own name, uid and home, and no account left behind. Needs root on Linux.

The user exists in a private mount namespace only (`ci.enter`). What is on the machine meanwhile is one folder of root's, mode 0700,
with the home in it: on a real disk, because attempts need hard links, user xattrs and O_TMPFILE as an ordinary home has them.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from ci import say
from ci.enter import UNAVAILABLE, Order
from ci.paths import ROOT
from ci.say import Stop

_UIDS = range(20_000, 60_000)  # above people, below dynamic service users (61184…, systemd) and sub-uid ranges (100000…)
_MAX_FETCH = 256 * 1024 * 1024
_PASSED = ("CI", "NO_COLOR", "TERM", "TZ")


class PlainUserUnavailable(Stop):
    """This machine does not let us make the user. The column is then missing, and says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """A name and a number (for user and group alike) that nobody has here."""

    name: str
    uid: int


def pick_account(names: Collection[str], numbers: Collection[int]) -> Account:
    """A random account that collides with none of `names` and `numbers`: random, so that two runs at once do not meet."""
    while True:
        account = Account(name=f"sandproof-{secrets.token_hex(3)}", uid=secrets.choice(_UIDS))
        if account.name not in names and account.uid not in numbers:
            return account


def account_lines(account: Account, home: Path) -> tuple[str, str]:
    """The line for passwd and the line for group."""
    return (
        f"{account.name}:x:{account.uid}:{account.uid}:sandproof:{home}:/bin/sh\n",
        f"{account.name}:x:{account.uid}:\n",
    )


def environment(account: Account, home: Path, outer: Mapping[str, str]) -> dict[str, str]:
    """What the user starts with: nothing of root's but a few harmless settings, and the folders that hold the tools."""
    tools = (shutil.which(tool, path=outer.get("PATH")) for tool in ("bwrap", "socat", "git"))
    folders = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", *(os.path.dirname(t) for t in tools if t)]
    return {
        "HOME": str(home),
        "USER": account.name,
        "LOGNAME": account.name,
        "SHELL": "/bin/sh",
        "PATH": os.pathsep.join(dict.fromkeys(folders)),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "SANDPROOF_CACHE": str(home / ".cache" / "sandproof"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(home / ".cache" / "hypothesis"),
        **{name: outer[name] for name in _PASSED if name in outer},
    }


class PlainUser:
    """The user while the block lasts. Leaving it, however, ends every process of the user and removes its folder."""

    def __init__(self, *, root: Path = ROOT, base: Path = Path("/var/tmp")) -> None:
        self._root = root
        self._base = base
        self._home_parent = Path(os.path.realpath("/home"))

    def __enter__(self) -> Self:
        if not self._home_parent.is_dir():
            raise PlainUserUnavailable("expected a folder /home to hold a home; there is none", "make it: mkdir /home")
        self.account = pick_account(*_taken())
        self.home = self._home_parent / self.account.name
        self._work = Path(tempfile.mkdtemp(prefix="sandproof-user-", dir=self._base))
        try:
            self._fill()
        except BaseException:  # also an interruption must leave nothing behind; it is raised again
            shutil.rmtree(self._work)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        end_processes_of(self.account.uid)
        shutil.rmtree(self._work)  # follows no link that the user may have left (shutil.rmtree.avoids_symlink_attacks)

    def run(self, argv: Sequence[str | Path], take: Callable[[str], None], extra: Mapping[str, str] | None = None) -> int:
        """Run a program as the user, in the checkout (read-only there). Each line of its output, both streams as one, goes to `take`.

        Returns the exit code (negative: the signal); whatever the program left running is ended. The user never gets root's
        terminal, onto which it could type (TIOCSTI): own session, pipes only. Raises PlainUserUnavailable.
        """
        last = ""
        with self._start(argv, extra) as process:
            # A process left behind would hold the pipe open for ever; so the end of the program ends the rest.
            threading.Thread(target=self._end_with, args=(process,), daemon=True).start()
            try:
                for line in process.stdout or ():
                    last = line.rstrip("\n")
                    take(last)
            except BaseException:  # an interruption; it is raised again
                end_processes_of(self.account.uid)
                process.kill()
                raise
        return checked(process.returncode, last)

    def _end_with(self, process: subprocess.Popen[str]) -> None:
        process.wait()
        end_processes_of(self.account.uid)

    def _start(self, argv: Sequence[str | Path], extra: Mapping[str, str] | None) -> subprocess.Popen[str]:
        order = Order(
            name=self.account.name,
            uid=self.account.uid,
            work=str(self._work),
            home_parent=str(self._home_parent),
            wanted=(str(self._root), os.path.realpath(sys.base_prefix)),
            argv=tuple(str(a) for a in argv),
            env={**environment(self.account, self.home, os.environ), **(extra or {})},
        )
        return subprocess.Popen(
            [sys.executable, "-B", "-m", "ci.enter", order.dump()],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def fetch(self, name: str, target: Path) -> None:
        """Copy a file from the top of the user's home. Raises Stop when it is not a plain file that the user owns."""
        home = os.open(self._work / "home", os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            # The user is not trusted: no link, no pipe that never ends, no file of somebody else's.
            source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=home)
        except OSError as error:
            raise Stop(f"expected the plain user's run to leave {name}; {error.strerror}", "look at its output above") from error
        finally:
            os.close(home)
        partial = target.with_name(target.name + ".partial")
        try:
            _check_plain(source, name, self.account.uid)
            with open(source, "rb", closefd=False) as stream, partial.open("wb") as copy:
                shutil.copyfileobj(stream, copy)
        finally:
            os.close(source)
        os.replace(partial, target)

    def _fill(self) -> None:
        for name, line in zip(("passwd", "group"), account_lines(self.account, self.home), strict=True):
            known = Path("/etc", name).read_text(encoding="utf-8", errors="surrogateescape")
            copy = self._work / name
            copy.write_text(known + ("" if known.endswith("\n") else "\n") + line, encoding="utf-8", errors="surrogateescape")
            copy.chmod(0o644)
        home = self._work / "home"
        home.mkdir(mode=0o700)
        os.chown(home, self.account.uid, self.account.uid)


def checked(code: int, last_output: str) -> int:
    """The exit code, unless it says that the user could not be made."""
    if code == UNAVAILABLE:
        lines = last_output.strip().splitlines() or ["no reason given"]
        problem, _, next_step = lines[-1].partition(" next: ")
        raise PlainUserUnavailable(problem, next_step or "run the same command as a plain user")
    return code


def end_processes_of(uid: int, *, patience: float = 5.0) -> None:
    """Kill every process of a user, and those they start meanwhile, until none is left or `patience` seconds have passed."""
    deadline = time.monotonic() + patience
    while (pids := _processes_of(uid)) and time.monotonic() < deadline:
        for pid in pids:
            _kill(pid, uid)
        time.sleep(0.01)
    if pids:
        say.warn(f"processes of the plain user are still there: {pids}; next: look at them and kill them by hand")


def _kill(pid: int, uid: int) -> None:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if uid in _uids_of(pid):  # asked again with the handle held: the number may have gone to another process
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)


def _processes_of(uid: int) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if uid in _uids_of(pid)]


def _uids_of(pid: int) -> frozenset[int]:
    """Real, effective, saved and file-system uid of a living process; empty for one that is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return frozenset()
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    if fields.get("State", "").strip().startswith("Z"):
        return frozenset()
    return frozenset(int(number) for number in fields.get("Uid", "").split())


def _taken() -> tuple[set[str], set[int]]:
    import grp
    import pwd

    users, groups = pwd.getpwall(), grp.getgrall()
    names = {u.pw_name for u in users} | {g.gr_name for g in groups}
    return names, {u.pw_uid for u in users} | {g.gr_gid for g in groups}


def _check_plain(source: int, name: str, uid: int) -> None:
    found = os.fstat(source)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != uid or found.st_size > _MAX_FETCH:
        raise Stop(f"{name}: expected a plain file of the plain user's, at most {_MAX_FETCH} bytes; got another", "run it again")
