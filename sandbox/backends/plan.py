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
class LaunchPlan:
    """How one confined process is started.

    `argv` is put before the command; `env` is the whole environment, of the launcher program too; `cwd` is where the launcher
    program starts. `close_fds`: descriptors above 2 are closed first. `new_keyring`: the process gets a session keyring of its own.
    `guarded` are the writable roots, if anything in them is denied; `stubs` see above. `details` go into the handle.
    `info_option`: the launcher program's option by which it reports its child to a descriptor; `chdir_option`: by which it changes
    directory *inside*. Both are "" where there is none.
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

    def at(self, directory: str) -> Self:
        """This plan with another working directory. It is entered from inside, so it can never widen a root."""
        if not self.chdir_option:
            return replace(self, cwd=directory)
        end = -3 if self.argv[-3:-2] == (self.chdir_option,) else -1
        return replace(self, argv=(*self.argv[:end], self.chdir_option, directory, self.argv[-1]))
