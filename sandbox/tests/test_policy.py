"""Policy invariants and rule ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.policy import baseline
from sandbox.policy.rules import DEMANDS, Policy, Rule, RuleKind
from sandbox.tests.support import quick

ROOTS = (("$WORK", "/w"),)


def test_ids_are_stable() -> None:
    assert Rule(RuleKind.FS_WRITE_DENY, "$WORK/.git/hooks").id == "fs.write-deny:$WORK/.git/hooks"
    assert Rule(RuleKind.NET_OFF).id == "net.off"
    assert Rule(RuleKind.NET_OFF, required=False).id == "net.off"


def test_the_kinds_are_a_closed_list() -> None:
    assert sorted(RuleKind) == sorted(DEMANDS)
    assert "\n".join(sorted(RuleKind)) == "\n".join(
        """env.clean fs.alias-deny fs.confine fs.name-deny fs.read-allow fs.read-confine fs.read-deny fs.scratch-private
        fs.write-allow fs.write-deny net.off net.unix net.unix-shared proc.caps proc.fd-close proc.ipc proc.isolate proc.keyring
        proc.teardown proc.tty proc.userns proc.uts""".split()
    )
    assert {kind.boundary for kind in RuleKind} == {"env", "fs", "net", "proc"}


def test_a_rule_stands_once() -> None:
    with pytest.raises(PolicyError, match=r"net\.off.*twice"):
        Policy(rules=(Rule(RuleKind.NET_OFF), Rule(RuleKind.NET_OFF, required=False)), roots=())


def test_an_unknown_symbol_is_refused() -> None:
    with pytest.raises(PolicyError, match=r"\$NOWHERE; known symbols are \$WORK"):
        Policy(rules=(Rule(RuleKind.FS_READ_DENY, "$NOWHERE/x"),), roots=ROOTS)


@pytest.mark.parametrize("path", ["w", "", "./w", "/w/", "/w//x", "/w/../x", "/w/.", "/w\0"])
def test_a_root_is_absolute_and_plain(path: str) -> None:
    with pytest.raises(PolicyError):
        Policy(rules=(), roots=(("$WORK", path),))


def test_a_symbol_begins_with_a_dollar() -> None:
    with pytest.raises(PolicyError):
        Policy(rules=(), roots=(("WORK", "/w"),))


@pytest.mark.parametrize("target", ["$WORK/../x", "$WORK//x", "$WORK/", "/a/./b", "$WORK/x\0"])
def test_a_target_is_plain(target: str) -> None:
    with pytest.raises(PolicyError):
        Policy(rules=(Rule(RuleKind.FS_WRITE_DENY, target),), roots=ROOTS)


@quick
@given(st.lists(st.sampled_from(baseline.ALWAYS), unique=True), st.lists(st.sampled_from(baseline.ALWAYS)))
def test_adding_and_leaving_out(have: list[Rule], more: list[Rule]) -> None:
    policy = Policy(rules=tuple(have), roots=ROOTS)
    both = policy.with_rules(dict.fromkeys(more))
    assert set(both.rules) == {*have, *more}
    assert both.rules[: len(have)] == tuple(have)
    kinds = [rule.kind for rule in more]
    assert set(both.without(*kinds).rules) == set(have) - set(more)
    assert set(both.of(*kinds)) == set(more)
    assert all(both.has(kind) for kind in kinds)


@pytest.mark.parametrize(
    ("root", "target", "path"),
    [("/w", "$WORK/x", "/w/x"), ("/w", "$WORK", "/w"), ("/", "$WORK/x", "/x"), ("/", "$WORK", "/"), ("/w", "/a", "/a")],
)
def test_paths_of_targets(root: str, target: str, path: str) -> None:
    assert Policy(rules=(), roots=(("$WORK", root),)).path(target) == path
