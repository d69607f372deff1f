"""From a spec to the default policy: precedence, modes, what is always denied, and ids without a machine's paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.host import Host
from sandbox.policy import baseline
from sandbox.policy.resolve import resolve
from sandbox.policy.rules import Policy, RuleKind
from sandbox.spec import Mode, SandboxBindMount, SandboxSpec
from sandbox.tests.support import LINUX, ids, mount, quick, spec

HOME = "/home-of-someone"
names = st.text(alphabet="abcdef", min_size=1, max_size=6)
paths = st.lists(names, min_size=1, max_size=3).map(lambda parts: "/machine/" + "/".join(parts))


@st.composite
def specs(draw: st.DrawFn) -> SandboxSpec:
    found = draw(st.lists(paths, max_size=3))
    return spec(
        *(mount(path, read_only=draw(st.booleans())) for path in found),
        mode=draw(st.sampled_from(Mode)),
        protected=draw(st.lists(paths, max_size=2)),
        state=draw(st.lists(paths, max_size=2)),
    )


def policy(wanted: SandboxSpec, host: Host = LINUX) -> Policy | None:
    try:
        return resolve(wanted, host, home=HOME)
    except PolicyError:
        return None


def targets(found: Policy, *kinds: RuleKind) -> set[str]:
    return {rule.target for rule in found.of(*kinds)}


@quick
@given(specs())
def test_whatever_is_asked(wanted: SandboxSpec) -> None:
    found = policy(wanted)
    if found is None:
        return
    assert found == policy(wanted)
    assert set(baseline.ALWAYS) <= set(found.rules)
    assert not any(text in rule_id for rule_id in ids(found) for text in ("/machine", "someone"))
    writable = targets(found, RuleKind.FS_WRITE_ALLOW)
    denied = targets(found, RuleKind.FS_WRITE_DENY)
    assert {f"{root}/{name}" for root in writable for name in baseline.WRITE_DENY_IN_ROOTS} <= denied
    assert {f"$HOME/{name}" for name in baseline.WRITE_DENY_HOME} <= denied
    assert {f"$HOME/{name}" for name in baseline.READ_DENY_HOME} == targets(found, RuleKind.FS_READ_DENY)
    assert {f"$PROTECTED{i}" for i in range(len(wanted.protected_paths))} <= denied
    assert {f"$STATE{i}" for i in range(len(wanted.runner_state_dirs))} <= writable
    if not wanted.mode.writable:
        assert writable == {f"$STATE{i}" for i in range(len(wanted.runner_state_dirs))}
    assert all(rule.required for rule in found.rules if rule.target != "$HOME")


@pytest.mark.parametrize("mode", list(Mode))
def test_modes(mode: Mode) -> None:
    found = resolve(spec(mount("/w"), mount("/r", read_only=True), mode=mode, state=["/s"]), LINUX, home=HOME)
    writable = {"$STATE0", "$WORK"} if mode is Mode.CHAT else {"$STATE0"}
    assert targets(found, RuleKind.FS_WRITE_ALLOW) == writable
    assert "$BIND1" in targets(found, RuleKind.FS_READ_ALLOW)


def test_order_is_precedence_weakest_first() -> None:
    order = [rule.id for rule in resolve(spec(mount("/w"), protected=["/w/repo"], state=["/s"]), LINUX, home=HOME).rules]
    steps = ["fs.write-allow:$WORK", "fs.write-allow:$STATE0", "fs.write-deny:$WORK/.git/hooks", "fs.write-deny:$PROTECTED0"]
    assert [order.index(step) for step in steps] == sorted(order.index(step) for step in steps)


def test_a_read_only_bind_stays_so_inside_a_writable_one() -> None:
    found = resolve(spec(mount("/w"), mount("/w/vendor/", read_only=True)), LINUX, home=HOME)
    assert "fs.write-deny:$BIND1" in ids(found)


def test_a_writable_bind_inside_a_read_only_one_stays_writable() -> None:
    found = resolve(spec(mount("/r", read_only=True), mount("/r/out")), LINUX, home=HOME)
    assert "fs.write-allow:$BIND1" in ids(found)
    assert "fs.write-deny:$WORK" not in ids(found)


def test_writable_in_read_only_in_writable_cannot_be_said() -> None:
    with pytest.raises(PolicyError, match="writable again"):
        resolve(spec(mount("/w"), mount("/w/r", read_only=True), mount("/w/r/w")), LINUX, home=HOME)


def test_hosts() -> None:
    assert "fs.alias-deny" in ids(resolve(spec(), LINUX, home=HOME))
    assert "fs.alias-deny" not in ids(resolve(spec(), Host(platform="macos"), home=HOME))
    assert {f"fs.name-deny:{glob}" for glob in baseline.NAME_DENY} <= ids(resolve(spec(), LINUX, home=HOME))


@pytest.mark.parametrize(
    "wanted",
    [
        spec(mount("w")),
        spec(mount("/w/../etc")),
        spec(mount("/w\0")),
        spec(protected=["repo"]),
        spec(state=["state"]),
        spec(SandboxBindMount(host_path="/a", guest_path="/b")),
    ],
)
def test_what_cannot_be_understood_is_refused(wanted: SandboxSpec) -> None:
    with pytest.raises(PolicyError):
        resolve(wanted, LINUX, home=HOME)


def test_slashes_are_tidied() -> None:
    found = resolve(spec(mount("//w///x/./y/")), LINUX, home="/h/")
    assert dict(found.roots) == {"$HOME": "/h", "$WORK": "/w/x/y"}
