"""What a backend compiles to. A launch plan is data: it can be printed, compared and, by tests, edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sandbox.spec import SandboxBackend


class StubKind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stub:
    """A mount point that must exist on the host while the sandbox runs, because a denied path does not exist yet.

    Made without following links, taken away when the last run that shares it ends. `root` exists and is a directory; `path`
    lies below it. Parents come before children.
    """

    root: str
    path: str
    kind: StubKind


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchPlan:
    """How one confined process is started.

    `argv` is put before the command; `env` is the whole environment, of the launcher program too; `cwd` is where the launcher
    program starts. `close_fds`: descriptors above 2 are closed first. `new_keyring`: the process gets a session keyring of its own.
    `guarded` are the writable roots that may hold stubs of this or another run; `stubs` see above. `details` go into the handle.
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
