"""A policy's path rules turned into places on this disk, in their resolved spelling."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sandbox.backends.bubblewrap.files import Files, Glance, Kind
from sandbox.backends.bubblewrap.layout import Cover, Denied, outermost
from sandbox.backends.bubblewrap.shown import Veil
from sandbox.policy.globs import is_glob
from sandbox.policy.paths import is_at_or_below, is_below, spellings
from sandbox.policy.rules import Policy, RuleKind

DENIES = (RuleKind.FS_WRITE_DENY, RuleKind.FS_READ_DENY)
ROOTS = (RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW)

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
"""Where a distribution keeps programs and their settings. Nothing else of the host is seen unless a rule names it."""

HOST_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")


class Facts:
    """What a policy's rules come to on this disk, looked up once: every answer about one policy is made from one of these."""

    def __init__(self, policy: Policy, files: Files) -> None:
        self.policy = policy
        self.files = Glance(files)

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        return _paths(self.policy, self.files, RuleKind.FS_READ_DENY)

    @cached_property
    def veil(self) -> Veil:
        return Veil(self.hidden)

    @cached_property
    def writable(self) -> tuple[str, ...]:
        """A denied path beats a writable root at or below it (SYSTEM §4, precedence)."""
        denied = Veil(_paths(self.policy, self.files, *DENIES))
        asked = _real(self.policy, self.files, RuleKind.FS_WRITE_ALLOW)
        return tuple(dict.fromkeys(root for root in asked if not denied.covers(root)))


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """`writable`, `readable`: allowed roots, resolved. `hidden`: read-denied paths, every spelling. `denied`: (rule id, place) for
    denied paths that lie in a writable root. `literals`: allowed roots as written, where they differ from their resolved spelling."""

    writable: tuple[str, ...]
    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    denied: tuple[tuple[str, Denied], ...]
    literals: tuple[str, ...]


def survey(facts: Facts) -> World:
    """Look up where the rules' targets really are."""
    policy, files, hidden, writable = facts.policy, facts.files, facts.hidden, facts.writable
    demoted = [r for r in _real(policy, files, RuleKind.FS_WRITE_ALLOW) if r not in writable]
    readable = _real(policy, files, RuleKind.FS_READ_ALLOW) + demoted
    readable += _seen_anyway(policy, files, hidden, (*readable, *writable))
    literals = [path for path in _targets(policy, *ROOTS) if files.real(path) != path]
    return World(
        writable=writable,
        readable=tuple(dict.fromkeys(readable)),
        hidden=hidden,
        denied=tuple(_denied(policy, writable, files)),
        literals=tuple(dict.fromkeys(literals)),
    )


def _targets(policy: Policy, *kinds: RuleKind) -> list[str]:
    return [policy.path(rule.target) for rule in policy.of(*kinds)]


def _real(policy: Policy, files: Files, kind: RuleKind) -> list[str]:
    return [files.real(path) for path in _targets(policy, kind)]


def _paths(policy: Policy, files: Files, *kinds: RuleKind) -> tuple[str, ...]:
    paths = [policy.path(rule.target) for rule in policy.of(*kinds) if not is_glob(rule.target)]
    return tuple(dict.fromkeys(s for path in paths for s in spellings(path, files.real)))


def _seen_anyway(policy: Policy, files: Files, hidden: tuple[str, ...], roots: tuple[str, ...]) -> list[str]:
    """Without read confinement the whole disk is seen. Then the directory around each hidden path has to be spelled out."""
    if policy.has(RuleKind.FS_READ_CONFINE) or not policy.has(RuleKind.FS_CONFINE):
        return []
    return [around(path, files) for path in hidden if not any(is_below(path, root) for root in roots)]


def around(path: str, files: Files) -> str:
    """The innermost directory above `path` that exists."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        if files.kind(path) is Kind.DIRECTORY:
            break
    return path


def _denied(policy: Policy, writable: tuple[str, ...], files: Files) -> list[tuple[str, Denied]]:
    out = []
    for rule in policy.of(*DENIES):
        cover = Cover.MASK if rule.kind is RuleKind.FS_READ_DENY else Cover.READ_ONLY
        out += [(rule.id, found) for found in inside(policy.path(rule.target), cover, writable, files)]
    return out


def inside(path: str, cover: Cover, writable: tuple[str, ...], files: Files) -> list[Denied]:
    """Where a denied path has to be held inside writable roots."""
    found = []
    for place in places(path, writable, files):
        root = outermost(place, writable)
        if root is not None and is_below(place, root):
            found.append(Denied(root=root, path=place, cover=cover))
    return found


def places(path: str, writable: tuple[str, ...], files: Files) -> tuple[str, ...]:
    """The name itself, links resolved only until it enters a writable root (a link *inside* one could be replaced, so it must still be
    seen as a link), and what the name resolves to now."""
    parts = path.split("/")
    for count in range(1, len(parts)):
        entered = files.real("/".join(parts[:count]) or "/")
        if any(is_at_or_below(entered, root) for root in writable):
            return tuple(dict.fromkeys(("/".join((entered.rstrip("/"), *parts[count:])), files.real(path))))
    parent, _, name = path.rpartition("/")
    return tuple(dict.fromkeys((f"{files.real(parent or '/').rstrip('/')}/{name}", files.real(path))))


