"""What bubblewrap holds of each rule, on this policy and this disk. The claims in the matrix are made from these answers."""

from __future__ import annotations

from sandbox.backends.base import Coverage, Level
from sandbox.backends.bubblewrap.files import Files, Kind
from sandbox.backends.bubblewrap.layout import Cover, Denied, link_in_the_way, outermost
from sandbox.backends.bubblewrap.world import DENIES, places
from sandbox.host import Host
from sandbox.policy.globs import is_glob
from sandbox.policy.paths import is_below
from sandbox.policy.rules import Policy, Rule, RuleKind

CANNOT = {
    RuleKind.FS_NAME_DENY: "a mount covers what exists; it cannot forbid a new name (needs the write broker)",
    RuleKind.FS_ALIAS_DENY: "a mount covers one name of a file, not its other hard links (needs the write broker)",
    RuleKind.NET_UNIX_SHARED: "a socket inside a bound tree can be connected to (needs a system-call filter)",
}

LEANS_ON = {
    RuleKind.NET_UNIX: (RuleKind.FS_READ_CONFINE, RuleKind.NET_OFF),
    RuleKind.FS_READ_CONFINE: (RuleKind.FS_CONFINE,),
    RuleKind.FS_READ_DENY: (RuleKind.FS_CONFINE,),
    RuleKind.FS_WRITE_DENY: (RuleKind.FS_CONFINE,),
}
"""Rules that hold only together with others."""


def coverage(rule: Rule, policy: Policy, host: Host, files: Files) -> Coverage:
    if not host.is_linux:
        return Coverage(Level.CANNOT, "bubblewrap needs Linux")
    if rule.kind in CANNOT:
        return Coverage(Level.CANNOT, CANNOT[rule.kind])
    missing = [kind for kind in LEANS_ON.get(rule.kind, ()) if not policy.has(kind)]
    if missing:
        return Coverage(Level.CANNOT, f"holds only together with {', '.join(missing)}, which this policy lacks")
    if rule.kind in (RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW):
        return _root(rule, policy, files)
    if rule.kind in DENIES:
        return _denied(rule, policy, files)
    return Coverage(Level.ENFORCED)


def _root(rule: Rule, policy: Policy, files: Files) -> Coverage:
    path = files.real(policy.path(rule.target))
    if files.kind(path) is Kind.ABSENT:
        return Coverage(Level.CANNOT, "the root does not exist, and binding it would have to create it on the host")
    return Coverage(Level.ENFORCED)


def _denied(rule: Rule, policy: Policy, files: Files) -> Coverage:
    if is_glob(rule.target):
        return Coverage(Level.CANNOT, CANNOT[RuleKind.FS_NAME_DENY])
    writable = [files.real(policy.path(r.target)) for r in policy.of(RuleKind.FS_WRITE_ALLOW)]
    for place in places(rule, policy, files):
        root = outermost(place, writable)
        if root is None or not is_below(place, root):
            continue
        link = link_in_the_way(Denied(root=root, path=place, cover=Cover.READ_ONLY), files)
        if link is not None:
            return Coverage(Level.CANNOT, "a symlink in a writable directory is on the way and could be replaced (needs the write broker)")
        parent = place.rpartition("/")[0]
        if place.endswith(("/.git/hooks", "/.git/config", "/.git/config.worktree")) and files.kind(parent) is not Kind.DIRECTORY:
            return Coverage(Level.CANNOT, "there is no .git directory yet, and a stub would break `git init` (needs the write broker)")
    return Coverage(Level.ENFORCED)
