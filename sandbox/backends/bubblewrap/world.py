"""A policy's path rules turned into places on this disk, in their resolved spelling."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.backends.bubblewrap.files import Files
from sandbox.backends.bubblewrap.layout import Cover, Denied, outermost
from sandbox.policy.paths import is_at_or_below, is_below, spellings
from sandbox.policy.rules import Policy, Rule, RuleKind

DENIES = (RuleKind.FS_WRITE_DENY, RuleKind.FS_READ_DENY)


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """`writable`, `readable`: allowed roots, resolved. `hidden`: read-denied paths, every spelling. `denied`: (rule id, place) for
    denied paths that lie in a writable root. `literals`: allowed roots as written, where they differ from their resolved spelling."""

    writable: tuple[str, ...]
    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    denied: tuple[tuple[str, Denied], ...]
    literals: tuple[str, ...]


def survey(policy: Policy, files: Files) -> World:
    """Look up where the rules' targets really are."""
    protected = _paths(policy, files, RuleKind.FS_WRITE_DENY)
    asked = [files.real(path) for path in _targets(policy, RuleKind.FS_WRITE_ALLOW)]
    # A protected path beats a writable root at or below it (SYSTEM §4, precedence).
    writable = tuple(dict.fromkeys(r for r in asked if not any(is_at_or_below(r, p) for p in protected)))
    demoted = [root for root in asked if root not in writable]
    readable = [files.real(path) for path in _targets(policy, RuleKind.FS_READ_ALLOW)]
    literal = [
        path
        for path in _targets(policy, RuleKind.FS_WRITE_ALLOW) + _targets(policy, RuleKind.FS_READ_ALLOW)
        if files.real(path) != path
    ]
    return World(
        writable=writable,
        readable=tuple(dict.fromkeys(readable + demoted)),
        hidden=_paths(policy, files, RuleKind.FS_READ_DENY),
        denied=tuple(_denied(policy, writable, files)),
        literals=tuple(dict.fromkeys(literal)),
    )


def _targets(policy: Policy, kind: RuleKind) -> list[str]:
    return [policy.path(rule.target) for rule in policy.of(kind)]


def _paths(policy: Policy, files: Files, kind: RuleKind) -> tuple[str, ...]:
    return tuple(dict.fromkeys(s for path in _targets(policy, kind) for s in spellings(path, files.real)))


def _denied(policy: Policy, writable: tuple[str, ...], files: Files) -> list[tuple[str, Denied]]:
    out = []
    for rule in policy.of(*DENIES):
        for place in places(rule, policy, files):
            root = outermost(place, writable)
            if root is not None and is_below(place, root):
                cover = Cover.MASK if rule.kind is RuleKind.FS_READ_DENY else Cover.READ_ONLY
                out.append((rule.id, Denied(root=root, path=place, cover=cover)))
    return out


def places(rule: Rule, policy: Policy, files: Files) -> tuple[str, ...]:
    """Where a denied path has to be held: its name, below the resolved spelling of the root it is written under (so that a link on
    the way *inside* a writable tree is still seen as a link), and what that name resolves to."""
    path = policy.path(rule.target)
    roots = [policy.path(r.target) for r in policy.of(RuleKind.FS_WRITE_ALLOW)]
    named = next((root for root in sorted(roots, key=len, reverse=True) if is_below(path, root)), None)
    literal = path if named is None else files.real(named) + path[len(named) :]
    if named is None:
        head, _, name = path.rpartition("/")
        literal = f"{files.real(head or '/').rstrip('/')}/{name}"
    return tuple(dict.fromkeys((literal, files.real(path))))
