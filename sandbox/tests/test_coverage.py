"""What the backends say of each rule, and that a refusal starts and writes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.backends.base import Level
from sandbox.backends.bubblewrap.backend import FLAGS, Bubblewrap
from sandbox.backends.none import NoneBackend
from sandbox.backends.plan import LaunchPlan
from sandbox.errors import BackendUnavailable, UnenforceableRule
from sandbox.host import Host
from sandbox.policy import baseline
from sandbox.policy.resolve import resolve
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.tests.support import LINUX, NOT_YET, Place, mount, spec

CANNOT = {RuleKind.FS_NAME_DENY, RuleKind.FS_ALIAS_DENY, RuleKind.NET_UNIX_SHARED}
SAMPLES = {
    RuleKind.FS_WRITE_ALLOW: "$WORK",
    RuleKind.FS_READ_ALLOW: "$HOME",
    RuleKind.FS_WRITE_DENY: "$WORK/.git/hooks",
    RuleKind.FS_READ_DENY: "$HOME/.ssh",
    RuleKind.FS_NAME_DENY: "**/.env",
}


@pytest.fixture
def tree(tmp_path: Path) -> Place:
    found = Place(tmp_path / "scene")
    found.make("home/.ssh/id", "work/.git/hooks/", "work/.git/config")
    return found


def bubblewrap() -> Bubblewrap:
    return Bubblewrap("/nowhere/bwrap")


def compiled(policy: Policy) -> LaunchPlan:
    return bubblewrap().compile(policy, LINUX, {})


def refused(policy: Policy) -> UnenforceableRule:
    with pytest.raises(UnenforceableRule) as caught:
        compiled(policy)
    return caught.value


@pytest.mark.parametrize("kind", list(RuleKind))
def test_every_kind_has_an_answer(kind: RuleKind, tree: Place) -> None:
    rules = tuple(Rule(each, SAMPLES.get(each, "")) for each in RuleKind)
    policy = Policy(rules=rules, roots=(("$WORK", str(tree.work)), ("$HOME", str(tree.home))))
    rule = Rule(kind, SAMPLES.get(kind, ""))
    found = bubblewrap().coverage(rule, policy, LINUX)
    assert found.level is (Level.CANNOT if kind in CANNOT else Level.ENFORCED)
    assert bool(found.why) is (kind in CANNOT)
    assert bubblewrap().coverage(rule, policy, Host(platform="macos")).level is Level.CANNOT
    allows = (RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW)
    assert NoneBackend().coverage(rule, policy, LINUX).level is (Level.ENFORCED if kind in allows else Level.CANNOT)


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        (RuleKind.NET_UNIX, RuleKind.NET_OFF),
        (RuleKind.NET_UNIX, RuleKind.FS_READ_CONFINE),
        (RuleKind.FS_READ_CONFINE, RuleKind.FS_CONFINE),
        (RuleKind.FS_READ_DENY, RuleKind.FS_CONFINE),
        (RuleKind.FS_WRITE_DENY, RuleKind.FS_CONFINE),
    ],
)
def test_rules_that_lean_on_others(kind: RuleKind, needed: RuleKind, tree: Place) -> None:
    rule = Rule(kind, SAMPLES.get(kind, ""))
    policy = tree.small(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), HOME=tree.home, WORK=tree.work).with_rules([rule])
    assert bubblewrap().coverage(rule, policy, LINUX).level is Level.ENFORCED
    found = bubblewrap().coverage(rule, policy.without(needed), LINUX)
    assert found.level is Level.CANNOT
    assert needed in found.why


@pytest.mark.parametrize("kind", NOT_YET)
def test_the_default_policy_is_refused_and_nothing_is_written(kind: RuleKind, tree: Place) -> None:
    before = tree.names()
    whole = resolve(spec(mount(tree.work)), LINUX, home=str(tree.home))
    error = refused(whole.without(*(other for other in NOT_YET if other is not kind)))
    assert error.rule_id.startswith(kind)
    assert str(error).startswith(f"{error.rule_id}: ")
    assert "write broker" in error.why
    assert tree.names() == before
    assert os.listdir(os.environ["XDG_STATE_HOME"]) == []


def test_without_the_program_it_is_unavailable(tree: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BackendUnavailable, match="install the package bubblewrap"):
        Bubblewrap().compile(tree.policy(), LINUX, {})


@pytest.mark.parametrize("rule", baseline.ALWAYS, ids=lambda rule: rule.id)
def test_none_refuses_whatever_is_required(rule: Rule) -> None:
    with pytest.raises(UnenforceableRule) as caught:
        NoneBackend().compile(Policy(rules=(rule,), roots=()), LINUX, {})
    assert caught.value.rule_id == rule.id


def test_none_runs_what_requires_nothing() -> None:
    policy = Policy(
        rules=(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), Rule(RuleKind.NET_OFF, required=False)), roots=(("$WORK", "/w"),)
    )
    plan = NoneBackend().compile(policy, LINUX, {"SECRET": "x", "LANG": "C"})
    assert (plan.argv, plan.close_fds) == ((), True)
    assert "SECRET" not in plan.env
    bare = NoneBackend().bare({"SECRET": "x"}, sanitised=False)
    assert (bare.env, bare.close_fds) == ({"SECRET": "x"}, False)


@pytest.mark.parametrize("kind", FLAGS)
def test_dropping_a_rule_drops_its_flag_and_only_that(kind: RuleKind, tree: Place) -> None:
    policy = tree.small(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), WORK=tree.work).without(RuleKind.NET_UNIX)
    whole, less = compiled(policy).argv, compiled(policy.without(kind)).argv
    words = FLAGS[kind]
    where = whole.index(words[0])
    assert whole[where : where + len(words)] == words
    if kind is RuleKind.PROC_ISOLATE:  # /proc is then the host's too
        assert words[0] not in less
        return
    assert whole[:where] + whole[where + len(words) :] == less


@pytest.mark.parametrize(
    ("kind", "field", "kept", "dropped"),
    [
        (RuleKind.PROC_FD_CLOSE, "close_fds", True, False),
        (RuleKind.PROC_KEYRING, "new_keyring", True, False),
    ],
)
def test_dropping_a_rule_that_is_no_flag(kind: RuleKind, field: str, kept: bool, dropped: bool, tree: Place) -> None:
    policy = tree.small()
    assert (getattr(compiled(policy), field), getattr(compiled(policy.without(kind)), field)) == (kept, dropped)


def test_dropping_env_clean_lets_the_environment_in(tree: Place) -> None:
    assert bubblewrap().compile(tree.small().without(RuleKind.ENV_CLEAN), LINUX, {"SECRET": "x"}).env == {"SECRET": "x"}


def test_dropping_a_path_rule_drops_its_cover(tree: Place) -> None:
    kept = tree.small(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), Rule(RuleKind.FS_WRITE_DENY, "$WORK/.git/hooks"), WORK=tree.work)
    hooks = str(tree.work / ".git/hooks")
    assert hooks in compiled(kept).argv
    assert hooks not in compiled(kept.without(RuleKind.FS_WRITE_DENY)).argv


@pytest.mark.parametrize("root", ["/", "/proc", "/proc/sys", "/sys", "/dev", "/dev/pts"])
@pytest.mark.parametrize("kind", [RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW])
def test_roots_that_would_replace_the_sandboxs_own(root: str, kind: RuleKind, tree: Place) -> None:
    found = refused(tree.small(Rule(kind, "$WORK"), WORK=root).without(RuleKind.FS_SCRATCH_PRIVATE))
    assert found.rule_id == f"{kind}:$WORK"


@pytest.mark.parametrize("root", ["/tmp", "/var", "/var/tmp", "/dev/shm"])
def test_the_hosts_scratch_as_a_root_is_not_private(root: str, tree: Place) -> None:
    if os.path.realpath(root) != root:
        pytest.skip(f"{root} is a link on this host")
    assert refused(tree.small(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), WORK=root)).rule_id in (
        "fs.scratch-private",
        "fs.write-allow:$WORK",
    )


@pytest.mark.parametrize("kind", [RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW])
def test_a_root_that_is_not_there(kind: RuleKind, tree: Place) -> None:
    found = refused(tree.small(Rule(kind, "$WORK"), WORK=tree.base / "nowhere"))
    assert found.rule_id == f"{kind}:$WORK"
    assert not (tree.base / "nowhere").exists()


@pytest.mark.parametrize("kind", [RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW])
def test_a_root_in_a_path_that_may_not_be_read(kind: RuleKind, tree: Place) -> None:
    tree.make("home/.ssh/project/")
    policy = tree.small(
        Rule(kind, "$WORK"), Rule(RuleKind.FS_READ_DENY, "$HOME/.ssh"), HOME=tree.home, WORK=tree.home / ".ssh/project"
    )
    assert refused(policy).rule_id == f"{kind}:$WORK"


@pytest.mark.parametrize("link", [".claude", ".vscode", ".git"])
def test_a_planted_link_in_the_way_is_a_refusal(link: str, tree: Place) -> None:
    tree.make("elsewhere/")
    if link == ".git":
        (tree.work / ".git").rename(tree.base / "elsewhere/git")
    (tree.work / link).symlink_to(tree.base / "elsewhere")
    before = tree.names()
    found = refused(tree.policy())
    assert found.rule_id.startswith(f"fs.write-deny:$WORK/{link}")
    assert "symlink" in found.why
    assert tree.names() == before


@pytest.mark.parametrize("kind", [RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW])
def test_a_root_that_a_planted_link_leads_out_of_another(kind: RuleKind, tree: Place) -> None:
    tree.make("elsewhere/", "work/inside/")
    (tree.work / "sub").symlink_to(tree.base / "elsewhere")
    (tree.work / "fine").symlink_to("inside")
    rules = (Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), Rule(kind, "$SUB"))
    found = refused(tree.small(*rules, WORK=tree.work, SUB=tree.work / "sub"))
    assert found.rule_id == f"{kind}:$SUB"
    assert "leads out" in found.why
    compiled(tree.small(*rules, WORK=tree.work, SUB=tree.work / "fine"))


def test_a_link_to_a_writable_place_is_seen_from_outside_too(tree: Place) -> None:
    """The denied path is written through a link outside, and the link in the way lies inside the writable root."""
    tree.make("work/sub/", "elsewhere/")
    (tree.home / "door").symlink_to(tree.work)
    (tree.work / "x").symlink_to(tree.base / "elsewhere")
    rule = Rule(RuleKind.FS_WRITE_DENY, "$HOME/door/x/locked")
    policy = tree.small(Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), rule, HOME=tree.home, WORK=tree.work)
    assert bubblewrap().coverage(rule, policy, LINUX).level is Level.CANNOT


def test_without_a_git_directory_the_hook_rule_cannot_hold(tmp_path: Path) -> None:
    bare = Place(tmp_path / "scene")
    bare.make("home/", "work/")
    assert refused(bare.policy()).rule_id == "fs.write-deny:$WORK/.git/hooks"


def test_a_home_that_is_not_there_is_said_and_not_shown(tree: Place) -> None:
    policy = resolve(spec(mount(tree.work)), LINUX, home="/nowhere/home").without(*NOT_YET)
    plan = compiled(policy)
    assert "not held: fs.read-allow:$HOME" in plan.details
    assert not any("/nowhere/home" in word for word in plan.argv)


def test_a_home_with_too_many_entries_is_said_and_not_shown(tree: Place) -> None:
    for number in range(1001):
        (tree.home / f"f{number}").touch()
    plan = compiled(tree.policy())
    assert "1002 entries" in plan.details["not held: fs.read-allow:$HOME"]
    assert len(plan.argv) < 1000


def test_something_hidden_directly_below_the_root_directory(tree: Place) -> None:
    rule = Rule(RuleKind.FS_READ_DENY, "/nothing-of-that-name")
    policy = tree.small(rule)
    assert bubblewrap().coverage(rule, policy, LINUX).level is Level.ENFORCED
    assert bubblewrap().coverage(rule, policy.without(RuleKind.FS_READ_CONFINE), LINUX).level is Level.CANNOT


def test_compiling_is_repeatable_and_writes_nothing(tree: Place) -> None:
    before = tree.names()
    assert compiled(tree.policy()) == compiled(tree.policy())
    assert tree.names() == before


def test_a_denied_file_in_a_writable_tree_is_held_in_part(tree: Place) -> None:
    rules = (Rule(RuleKind.FS_CONFINE), Rule(RuleKind.FS_WRITE_ALLOW, "$WORK"), Rule(RuleKind.FS_WRITE_DENY, "$WORK/.mcp.json"))
    policy = Policy(rules=rules, roots=(("$WORK", str(tree.work)),))
    found = bubblewrap().coverage(rules[2], policy, LINUX)
    assert found.level is Level.PARTIAL
    assert "renames another file onto it" in found.why
