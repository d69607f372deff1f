"""From what a run asks for to a policy. Pure: no disk, no environment, no clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandbox.errors import PolicyError
from sandbox.host import Host
from sandbox.policy import baseline
from sandbox.policy.paths import is_at_or_below
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.spec import SandboxBindMount, SandboxSpec


def resolve(spec: SandboxSpec, host: Host, *, home: str) -> Policy:
    """The default policy for this run. `home` is the absolute path of the home directory that the run sees.

    Order of the rules is order of precedence, weakest first: mode, runner state, mandatory denies, protected paths.
    A home that is not there, or too large to be shown, is no reason to refuse: its rule is the only one that is not required.
    Raises PolicyError for paths that are relative or contain `..`, and for a native bind whose two paths differ.
    """
    roots = dict(_roots(spec, home))
    rules: list[Rule] = list(baseline.ALWAYS)
    rules += _mounts(spec)
    rules += [Rule(RuleKind.FS_WRITE_ALLOW, f"$STATE{i}") for i in range(len(spec.runner_state_dirs))]
    rules += _read_only(spec, roots)
    rules += _home_denies()
    rules += [Rule(RuleKind.FS_WRITE_DENY, f"{r.target}/{name}") for r in _writable(rules) for name in baseline.WRITE_DENY_IN_ROOTS]
    if host.is_linux:
        rules += [Rule(RuleKind.FS_ALIAS_DENY)]
    rules += [Rule(RuleKind.FS_NAME_DENY, glob) for glob in baseline.NAME_DENY]
    rules += [Rule(RuleKind.FS_WRITE_DENY, f"$PROTECTED{i}") for i in range(len(spec.protected_paths))]
    return Policy(rules=tuple(rules), roots=tuple(roots.items()))


def _roots(spec: SandboxSpec, home: str) -> Iterator[tuple[str, str]]:
    named = [("$HOME", home)]
    named += [(_mount_symbol(i), mount.host_path) for i, mount in enumerate(spec.bind_mounts)]
    named += [(f"$STATE{i}", path) for i, path in enumerate(spec.runner_state_dirs)]
    named += [(f"$PROTECTED{i}", path) for i, path in enumerate(spec.protected_paths)]
    for mount in spec.bind_mounts:
        if mount.host_path != mount.guest_path:
            raise PolicyError(f"bind mount: native needs equal paths; got {mount.host_path!r} and {mount.guest_path!r}")
    for symbol, path in named:
        if not path.startswith("/"):
            raise PolicyError(f"{symbol}: expected an absolute path; got {path!r}")
        yield symbol, "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def _mount_symbol(index: int) -> str:
    return "$WORK" if index == 0 else f"$BIND{index}"


def _mounts(spec: SandboxSpec) -> list[Rule]:
    def rule(index: int, mount: SandboxBindMount) -> Rule:
        writable = spec.mode.writable and not mount.read_only
        return Rule(RuleKind.FS_WRITE_ALLOW if writable else RuleKind.FS_READ_ALLOW, _mount_symbol(index))

    return [Rule(RuleKind.FS_READ_ALLOW, "$HOME", required=False), *(rule(i, m) for i, m in enumerate(spec.bind_mounts))]


def _read_only(spec: SandboxSpec, roots: Mapping[str, str]) -> Iterator[Rule]:
    """A bind that is asked for read-only stays so wherever it lies, inside a writable one too. A writable bind inside it is kept."""
    symbols = [(_mount_symbol(i), mount) for i, mount in enumerate(spec.bind_mounts)]
    writable = [roots[symbol] for symbol, mount in symbols if spec.mode.writable and not mount.read_only]
    writable += [roots[f"$STATE{i}"] for i in range(len(spec.runner_state_dirs))]
    for symbol, mount in symbols:
        if not mount.read_only:
            continue
        inner = next((root for root in writable if is_at_or_below(root, roots[symbol])), None)
        if inner is None:
            yield Rule(RuleKind.FS_WRITE_DENY, symbol)
        elif any(is_at_or_below(roots[symbol], root) for root in writable):
            raise PolicyError(f"bind mounts: {roots[symbol]!r} is read-only inside a writable one, and {inner!r} is writable again")


def _writable(rules: list[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.kind is RuleKind.FS_WRITE_ALLOW]


def _home_denies() -> list[Rule]:
    reads = [Rule(RuleKind.FS_READ_DENY, f"$HOME/{name}") for name in baseline.READ_DENY_HOME]
    return reads + [Rule(RuleKind.FS_WRITE_DENY, f"$HOME/{name}") for name in baseline.WRITE_DENY_HOME]
