"""A policy is a tuple of named rules. This file has the closed list of rule kinds and what each one demands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from sandbox.errors import PolicyError
from sandbox.policy.paths import is_plain


class RuleKind(StrEnum):
    """Each kind is one sentence that must hold; `DEMANDS` has the sentences. Claims are made per kind."""

    FS_CONFINE = "fs.confine"
    FS_READ_CONFINE = "fs.read-confine"
    FS_WRITE_ALLOW = "fs.write-allow"
    FS_READ_ALLOW = "fs.read-allow"
    FS_WRITE_DENY = "fs.write-deny"
    FS_READ_DENY = "fs.read-deny"
    FS_NAME_DENY = "fs.name-deny"
    FS_ALIAS_DENY = "fs.alias-deny"
    FS_SCRATCH_PRIVATE = "fs.scratch-private"
    PROC_ISOLATE = "proc.isolate"
    PROC_TEARDOWN = "proc.teardown"
    PROC_FD_CLOSE = "proc.fd-close"
    PROC_KEYRING = "proc.keyring"
    PROC_IPC = "proc.ipc"
    PROC_UTS = "proc.uts"
    PROC_TTY = "proc.tty"
    PROC_CAPS = "proc.caps"
    PROC_USERNS = "proc.userns"
    ENV_CLEAN = "env.clean"
    NET_OFF = "net.off"
    NET_UNIX = "net.unix"
    NET_UNIX_SHARED = "net.unix-shared"

    @property
    def boundary(self) -> str:
        """The part before the dot: `fs`, `proc`, `env` or `net`."""
        return self.value.partition(".")[0]


DEMANDS: dict[RuleKind, str] = {
    RuleKind.FS_CONFINE: "Nothing outside the writable roots can be created, changed, renamed or removed.",
    RuleKind.FS_READ_CONFINE: "Only system directories and the named roots can be seen at all.",
    RuleKind.FS_WRITE_ALLOW: "The named root is writable.",
    RuleKind.FS_READ_ALLOW: "The named path is readable.",
    RuleKind.FS_WRITE_DENY: "The named path cannot be created, changed or replaced, even where its parents are writable.",
    RuleKind.FS_READ_DENY: "The named path cannot be read.",
    RuleKind.FS_NAME_DENY: "No file whose name matches can be created, at any depth, at any time.",
    RuleKind.FS_ALIAS_DENY: "No second hard link inside a writable root reaches a file that may not be written.",
    RuleKind.FS_SCRATCH_PRIVATE: "Scratch is private to the session; the host's own scratch and shared memory cannot be seen.",
    RuleKind.PROC_ISOLATE: "Processes outside the sandbox cannot be seen, signalled, traced or read.",
    RuleKind.PROC_TEARDOWN: "Nothing survives the end of the session or the death of its launcher.",
    RuleKind.PROC_FD_CLOSE: "No descriptor of the launcher beyond 0, 1 and 2 is inherited.",
    RuleKind.PROC_KEYRING: "The kernel keyrings of the launcher and its user are not shared.",
    RuleKind.PROC_IPC: "System V IPC and POSIX message queues of the host are not shared.",
    RuleKind.PROC_UTS: "The host's name can be neither read nor changed.",
    RuleKind.PROC_TTY: "Nothing can be typed into the launcher's terminal.",
    RuleKind.PROC_CAPS: "No capability is held, even as root.",
    RuleKind.PROC_USERNS: "No further user namespace can be created.",
    RuleKind.ENV_CLEAN: "The launcher's environment is neither inherited nor readable; only named variables pass.",
    RuleKind.NET_OFF: "No address can be reached, loopback services of the host included.",
    RuleKind.NET_UNIX: "Unix sockets outside the bound trees and the system directories, and abstract ones, cannot be reached.",
    RuleKind.NET_UNIX_SHARED: "A Unix socket that a host process keeps inside a bound tree cannot be reached.",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `target` is symbolic (`$WORK/.git/hooks`) or a glob, empty for kinds that have none.

    `required` rules stop the launch where the backend cannot hold them.
    """

    kind: RuleKind
    target: str = ""
    required: bool = True

    @property
    def id(self) -> str:
        """Stable: `fs.write-deny:$WORK/.git/hooks`, `net.off`."""
        return f"{self.kind}:{self.target}" if self.target else str(self.kind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Rules in order, and the host paths of the symbols that their targets use.

    Raises PolicyError for two rules with one id, a root that is not absolute and plain, or a target with an unknown symbol or `..`:
    paths are compared by component, so a `..` or a doubled slash in one would slip past every comparison.
    """

    rules: tuple[Rule, ...]
    roots: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        symbols = dict(self.roots)
        for symbol, path in self.roots:
            if not symbol.startswith("$") or not path.startswith("/"):
                raise PolicyError(f"policy root: expected $NAME and an absolute path; got {symbol!r} = {path!r}")
            if path != "/" and not is_plain(path[1:]):
                raise PolicyError(f"policy root {symbol}: expected no empty, `.` or `..` component and no NUL; got {path!r}")
        for rule in self.rules:
            if rule.id in seen:
                raise PolicyError(f"policy: rule {rule.id!r} stands twice; drop one")
            seen.add(rule.id)
            if rule.target and not is_plain(rule.target.removeprefix("/")):
                raise PolicyError(f"policy: rule {rule.id!r} has an empty, `.` or `..` component or a NUL in its target")
            head = rule.target.split("/", 1)[0]
            if head.startswith("$") and head not in symbols:
                raise PolicyError(f"policy: rule {rule.id!r} uses {head}; known symbols are {', '.join(symbols) or 'none'}")

    def of(self, *kinds: RuleKind) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.kind in kinds)

    def has(self, kind: RuleKind) -> bool:
        return any(rule.kind is kind for rule in self.rules)

    def path(self, target: str) -> str:
        """A target's host path: `$WORK/x` → `/…/work/x`. Absolute targets are returned as they are."""
        head, slash, rest = target.partition("/")
        return dict(self.roots)[head].rstrip("/") + slash + rest or "/" if head.startswith("$") else target

    def with_rules(self, extra: Iterable[Rule]) -> Self:
        """This policy and the given rules, each id once."""
        have = {rule.id for rule in self.rules}
        return type(self)(rules=self.rules + tuple(r for r in extra if r.id not in have), roots=self.roots)

    def without(self, *kinds: RuleKind) -> Self:
        return type(self)(rules=tuple(r for r in self.rules if r.kind not in kinds), roots=self.roots)
