"""Every rule of the native backend is there for a reason: drop it, and an attempt that it stopped lands.

The rule is dropped in this process only, from the policy that the adapter compiles; nothing shipped can do so.
"""

from __future__ import annotations

import os

import pytest

from conformance.adapters.native import NativeAdapter
from conformance.core.catalogue import load_attempts
from conformance.core.runner import Runner
from conformance.core.words import Observed
from sandbox.backends.bubblewrap.coverage import CANNOT, LEANS_ON
from sandbox.host import Host
from sandbox.policy.rules import RuleKind

NOTICED_BY = {
    RuleKind.FS_CONFINE: "fs/write/outside/elsewhere",
    RuleKind.FS_READ_CONFINE: "fs/read/elsewhere/outside-file",
    RuleKind.FS_WRITE_DENY: "fs/deny/hook-moves/rename-ancestor",
    RuleKind.FS_READ_DENY: "fs/read/home-secrets/ssh",
    RuleKind.FS_SCRATCH_PRIVATE: "fs/read/elsewhere/other-session",
    RuleKind.PROC_ISOLATE: "proc/neighbours/cmdline",
    RuleKind.PROC_TEARDOWN: "proc/survival/launcher-killed",
    RuleKind.PROC_FD_CLOSE: "proc/descriptors/write-file",
    RuleKind.PROC_KEYRING: "proc/shared-kernel/session-keyring",
    RuleKind.PROC_IPC: "proc/shared-kernel/shared-memory",
    RuleKind.PROC_UTS: "proc/shared-kernel/host-name-read",
    RuleKind.PROC_TTY: "proc/shared-kernel/terminal-input",
    RuleKind.ENV_CLEAN: "env/secret/own",
    RuleKind.NET_OFF: "net/loopback/tcp",
}

ROOT_ONLY = {
    RuleKind.PROC_CAPS: "bubblewrap leaves a plain user no capability anyway; --cap-drop matters for root",
    RuleKind.PROC_USERNS: "bubblewrap leaves a plain user no capability anyway; --cap-drop matters for root",
}

DEFENCE_IN_DEPTH = {
    # With --disable-userns bubblewrap enters a second user namespace, in which the first one's mounts are locked
    # (mount_namespaces(7)), so that capabilities kept there are of no use.
    RuleKind.PROC_CAPS: (RuleKind.PROC_USERNS, "proc/powers/unmount"),
    RuleKind.PROC_USERNS: (RuleKind.PROC_CAPS, "proc/powers/unmount"),
    # A socket that cannot be seen cannot be connected to; abstract ones are a matter of the network namespace.
    RuleKind.NET_UNIX: (RuleKind.FS_READ_CONFINE, "net/unix/stream"),
}
"""Kinds that another named rule backs: dropping one changes nothing, dropping both must be noticed."""

GRANTS = (RuleKind.FS_WRITE_ALLOW, RuleKind.FS_READ_ALLOW)


def leaning_on(kind: RuleKind) -> frozenset[RuleKind]:
    """The kind, and every kind that holds only together with it: without it they would rightly refuse."""
    found = {kind}
    while more := {k for k, others in LEANS_ON.items() if k not in found and found.intersection(others)}:
        found |= more
    return frozenset(found)


def test_every_kind_is_accounted_for() -> None:
    assert set(RuleKind) == {*NOTICED_BY, *DEFENCE_IN_DEPTH, *GRANTS, *CANNOT}


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner()


def dropped(runner: Runner, attempt_id: str, kinds: frozenset[RuleKind]) -> Observed:
    unavailable = NativeAdapter().availability(Host.detect())
    if unavailable:
        pytest.skip(f"the native backend is not available here: {unavailable}")
    attempt = next(a for a in load_attempts() if a.id == attempt_id)
    assert runner.cell(attempt, NativeAdapter()).verdict.observed is Observed.ENFORCED
    return runner.cell(attempt, NativeAdapter(drop=kinds)).verdict.observed


@pytest.mark.parametrize("kind", NOTICED_BY, ids=str)
def test_dropping_a_rule_turns_its_attempt_red(kind: RuleKind, runner: Runner) -> None:
    assert dropped(runner, NOTICED_BY[kind], leaning_on(kind)) is Observed.ESCAPED


@pytest.mark.parametrize("kind", DEFENCE_IN_DEPTH, ids=str)
def test_defence_in_depth_is_noticed_together_with_what_backs_it(kind: RuleKind, runner: Runner) -> None:
    backing, attempt = DEFENCE_IN_DEPTH[kind]
    if ROOT_ONLY.get(backing) and os.geteuid() != 0:
        pytest.skip(ROOT_ONLY[backing])
    assert dropped(runner, attempt, frozenset((kind,))) is Observed.ENFORCED
    assert dropped(runner, attempt, leaning_on(kind) | leaning_on(backing)) is Observed.ESCAPED
