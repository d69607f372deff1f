"""What bubblewrap holds of each rule, on this policy and this disk. The claims in the matrix are made from these answers.

`partial` is held against everything inside; what is left open, and waits for the write broker, is in WEAK_FILE.
"""

from __future__ import annotations

from sandbox.backends.base import Coverage, Level
from sandbox.backends.bubblewrap import seccomp
from sandbox.backends.bubblewrap.files import Kind
from sandbox.backends.bubblewrap.layout import Cover, link_in_the_way
from sandbox.backends.bubblewrap.shown import MOST_ENTRIES, too_many
from sandbox.backends.bubblewrap.world import DENIES, HOST_SCRATCH, ROOTS, Facts, around, inside
from sandbox.host import Host
from sandbox.policy.baseline import DIRECTORIES
from sandbox.policy.globs import is_glob
from sandbox.policy.paths import is_at_or_below, is_below
from sandbox.policy.rules import Rule, RuleKind

CANNOT = {
    RuleKind.FS_NAME_DENY: "a mount covers what exists; it cannot forbid a new name (needs the write broker)",
    RuleKind.FS_ALIAS_DENY: "a mount covers one name of a file, not its other hard links (needs the write broker)",
    RuleKind.NET_UNIX_SHARED: "a socket inside a bound tree can be connected to (needs a system-call filter)",
}

WEAK_FILE = (
    "a mount over a file in a writable tree lasts until a process of the host renames another file onto it or removes it "
    "(rename(2), unlink(2)); from then on the name is free"
)
LEANS_ON = {
    RuleKind.NET_UNIX: (RuleKind.FS_READ_CONFINE, RuleKind.NET_OFF),
    RuleKind.FS_READ_CONFINE: (RuleKind.FS_CONFINE,),
    RuleKind.FS_READ_DENY: (RuleKind.FS_CONFINE,),
    RuleKind.FS_WRITE_DENY: (RuleKind.FS_CONFINE,),
}
"""Rules that hold only together with others."""

OWN_MOUNTS = ("/proc", "/sys", "/dev")
# Nobody makes a repository in a runner's state directory, so there a stub does no harm.
GIT_NAMES = ("/.git/hooks", "/.git/config", "/.git/config.worktree")


def coverage(rule: Rule, host: Host, facts: Facts) -> Coverage:
    if not host.is_linux:
        return Coverage(Level.CANNOT, "bubblewrap needs Linux")
    if rule.kind in CANNOT:
        return Coverage(Level.CANNOT, CANNOT[rule.kind])
    missing = [kind for kind in LEANS_ON.get(rule.kind, ()) if not facts.policy.has(kind)]
    if missing:
        return Coverage(Level.CANNOT, f"holds only together with {', '.join(missing)}, which this policy lacks")
    why = seccomp.why_not(rule.kind)
    if rule.kind in ROOTS:
        why = _root(rule, facts)
    elif rule.kind in DENIES:
        why = _denied(rule, facts)
    elif rule.kind is RuleKind.FS_SCRATCH_PRIVATE:
        why = _scratch(facts)
    if why:
        return Coverage(Level.CANNOT, why)
    weak = rule.kind in DENIES and _is_file_in_root(rule, facts)
    return Coverage(Level.PARTIAL, WEAK_FILE) if weak else Coverage(Level.ENFORCED)


def _is_file_in_root(rule: Rule, facts: Facts) -> bool:
    """Is the denied path, or will its stub be, a file in a writable tree?"""
    path = facts.policy.path(rule.target)
    for place in inside(path, Cover.READ_ONLY, facts.writable, facts.files):
        kind = facts.files.kind(place.path)
        if kind is Kind.FILE or (kind is Kind.ABSENT and place.path.rpartition("/")[2] not in DIRECTORIES):
            return True
    return False


def _root(rule: Rule, facts: Facts) -> str:
    path = facts.files.real(facts.policy.path(rule.target))
    if facts.files.kind(path) is Kind.ABSENT:
        return "the root does not exist or cannot be reached, and binding it would have to create it on the host"
    if path == "/" or (any(is_at_or_below(path, own) for own in OWN_MOUNTS) and not is_below(path, "/dev/shm")):
        return "the sandbox has its own /proc, /sys and /dev, and a root there or above them would replace these"
    if facts.veil.covers(path):
        return "the root lies in a path that may not be read"
    if _led_out(facts.policy.path(rule.target), path, facts):
        return "the root lies in a writable one and a link leads out of that; whoever may write there could have put the link"
    if rule.kind is RuleKind.FS_READ_ALLOW and not any(is_at_or_below(path, root) for root in facts.writable):
        many = too_many(path, facts.veil, facts.files)
        if many:
            return f"it has {many} entries that would have to be shown one by one to hide others; at most {MOST_ENTRIES} can be"
    return ""


def _led_out(path: str, real: str, facts: Facts) -> bool:
    """Is `path` written as a place inside another writable root, and really outside of it?"""
    for other in facts.policy.of(RuleKind.FS_WRITE_ALLOW):
        written = facts.policy.path(other.target)
        resolved = facts.files.real(written)
        if any(is_below(path, root) for root in (written, resolved)) and not is_at_or_below(real, resolved):
            return True
    return False


def _scratch(facts: Facts) -> str:
    for rule in facts.policy.of(*ROOTS):
        path = facts.files.real(facts.policy.path(rule.target))
        if any(is_at_or_below(facts.files.real(scratch), path) for scratch in HOST_SCRATCH):
            return f"the root {rule.target} is or contains the host's own scratch"
    return ""


def _denied(rule: Rule, facts: Facts) -> str:
    if is_glob(rule.target):
        return CANNOT[RuleKind.FS_NAME_DENY]
    path, files = facts.policy.path(rule.target), facts.files
    if rule.kind is RuleKind.FS_READ_DENY and not facts.policy.has(RuleKind.FS_READ_CONFINE) and around(files.real(path), files) == "/":
        return "it lies directly in /, which is seen as it is (add fs.read-confine)"
    for place in inside(path, Cover.READ_ONLY, facts.writable, files):
        if link_in_the_way(place, files) is not None:
            return "a symlink in a writable directory is on the way and could be replaced (needs the write broker)"
        git, _, _ = place.path.rpartition("/")
        if place.path.endswith(GIT_NAMES) and not rule.target.startswith("$STATE") and files.kind(git) is Kind.ABSENT:
            return "there is no .git directory yet, and a stub would break `git init` (needs the write broker)"
    return ""
