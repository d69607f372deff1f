"""The types that callers of the sandbox see: what is asked for, the handle that comes back, and what happens on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self


class Mode(StrEnum):
    """What a run may do. `chat` keeps bind mounts writable; the others make them read-only."""

    CHAT = "chat"
    REVIEW = "review"
    PLAN = "plan"
    ORCHESTRATE = "orchestrate"

    @property
    def writable(self) -> bool:
        return self is Mode.CHAT


class SandboxBackend(StrEnum):
    """What confines the process."""

    MICROVM = "microvm"
    NATIVE = "native"
    NONE = "none"

    @classmethod
    def from_name(cls, name: str | None) -> Self:
        """Read a stored or typed name. Unknown and missing names are `none`, never a stronger label; `docker` is stored
        by older versions and means `native`."""
        wanted = "native" if name == "docker" else name
        return next((member for member in cls if member.value == wanted), cls("none"))


class SandboxState(StrEnum):
    CREATED = "created"
    WARM = "warm"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    DESTROYED = "destroyed"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxBindMount:
    """A host directory that the run sees. For `native` both paths are equal."""

    host_path: str
    guest_path: str
    read_only: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxSpec:
    """What one run asks for. Paths are absolute host paths; nothing here is looked up on disk."""

    session_id: str
    workspace_id: str
    agent_id: str | None = None
    bind_mounts: tuple[SandboxBindMount, ...] = ()
    network_enabled: bool = True
    egress_allowlist: tuple[str, ...] = ()
    guest_workdir: str | None = None
    mode: Mode = Mode.CHAT
    protected_paths: tuple[str, ...] = ()
    runner_state_dirs: tuple[str, ...] = ()
    exec_grant_roots: tuple[str, ...] = ()
    loopback_ports: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxHandle:
    """A session as its owner sees it. `backend` is the one it really has, never the one that was asked for."""

    session_id: str
    backend: SandboxBackend
    state: SandboxState
    error: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxViolation:
    """Something the sandbox refused. `raw` is the line it was read from, if it was read and not reported by the enforcer."""

    action: str
    target: str
    raw: str | None = None
