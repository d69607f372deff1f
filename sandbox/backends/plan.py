"""What a backend compiles to. A launch plan is data: it can be printed, compared and, by tests, edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Self

from sandbox.spec import SandboxBackend


class StubKind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stub:
    """A mount point on the host that must be there, and be of this kind, while the sandbox runs.

    Where it is missing it is made, without following links, and taken away when the last run that mounts over it ends. `root`
    exists and is a directory; `path` lies below it. Parents come before children.
    """

    root: str
    path: str
    kind: StubKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Mounted:
    """A mount that the process must have once everything is mounted, at `point`. With `source` it is a bind of that path of the host,
    free of links; else a new file system of `type`, seen from its directory `root`. `optional`: it may be missing."""

    point: str
    source: str = ""
    type: str = ""
    root: str = "/"
    read_only: bool = False
    optional: bool = False
    device: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """One system call that fails with `errno`. `when`: only if the low 32 bits of each of these arguments are one of these values."""

    name: str
    call: str
    errno: int
    when: tuple[tuple[int, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchPlan:
    """How one confined process is started.

    `argv` is put before the command; `env` is the whole environment, of the launcher program too; `cwd` is where the launcher
    program starts. `close_fds`: descriptors above 2 are closed first. `new_keyring`: the process gets a session keyring of its own.
    `guarded` are the writable roots, if anything in them is denied; `stubs` see above. `details` go into the handle.
    `info_option`: the launcher program's option by which it reports its child to a descriptor; `chdir_option`: by which it changes
    directory *inside*. Both are "" where there is none.
    `block_option`: by which it waits on a descriptor after mounting and before starting the command; it is let go once its mounts are
    `expected_mounts` and nothing else. `filter`: system calls that fail, passed by `filter_option`. `kill_first`: at the end the first
    process of its PID namespace is killed, and with it all others.
    """

    backend: SandboxBackend
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "/"
    close_fds: bool = True
    new_keyring: bool = False
    guarded: tuple[str, ...] = ()
    stubs: tuple[Stub, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)
    info_option: str = ""
    chdir_option: str = ""
    block_option: str = ""
    expected_mounts: tuple[Mounted, ...] = ()
    filter: tuple[Block, ...] = ()
    filter_option: str = ""
    kill_first: bool = False

    def at(self, directory: str) -> Self:
        """This plan with another working directory. It is entered from inside, so it can never widen a root."""
        if not self.chdir_option:
            return replace(self, cwd=directory)
        end = -3 if self.argv[-3:-2] == (self.chdir_option,) else -1
        return replace(self, argv=(*self.argv[:end], self.chdir_option, directory, self.argv[-1]))
