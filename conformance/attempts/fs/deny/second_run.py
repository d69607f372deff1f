"""What one run plants, the next run follows: links put where the second launch will look for a denied path."""

from __future__ import annotations

from conformance.attempts.common import beside
from conformance.core.attempt import Armed, Attempt, Close, Guest, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import mkdir, symlink, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind

PHASES = (PhaseKind.GUEST, PhaseKind.CLOSE, PhaseKind.GUEST)


def _through_parent(scene: Scene) -> Armed:
    nonce = scene.nonce()
    rule = Rule(RuleKind.FS_WRITE_DENY, "$WORK/cfg/locked")
    twin, witness = beside(scene)
    first = Guest(twin=twin, attack=(symlink("$OUT", "$WORK/cfg"),))
    second = Guest(attack=(mkdir("$WORK/cfg/locked"), write("$WORK/cfg/locked/x", nonce)))
    return Armed(
        policy=scene.policy(rule),
        rule=rule,
        phases=(first, Close(), second),
        witness=FileHolds(scene.host("$OUT/locked/x"), nonce),
        twin=witness,
        touches=("$WORK/cfg", "$OUT/locked"),
    )


def _own_directory(scene: Scene) -> Armed:
    nonce = scene.nonce()
    rule = Rule(RuleKind.FS_WRITE_DENY, "$WORK/.claude/settings.json")
    twin, witness = beside(scene)
    first = Guest(twin=twin, attack=(mkdir("$WORK/own"), symlink("own", "$WORK/.claude")))
    second = Guest(attack=(write("$WORK/own/settings.json", nonce),))
    return Armed(
        policy=scene.policy(rule),
        rule=rule,
        phases=(first, Close(), second),
        witness=FileHolds(scene.host("$WORK/.claude/settings.json"), nonce),
        twin=witness,
        touches=("$WORK/.claude",),
    )


FAMILY = {
    "launch-through-link": Attempt(
        title="Run one plants a link to outside above a denied path; run two must neither follow it nor create through it.",
        requirement="A launch never makes or mounts anything through a link that an earlier run planted.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=_through_parent,
        phases=PHASES,
        references=("CWE-59", "bubblewrap issue: mount points created through symlinks, fixed in 0.12.0"),
    ),
    "parent-is-a-link": Attempt(
        title="Run one makes the parent of a denied file a link to a directory of its own; run two writes there.",
        requirement="A denied name holds in every later run, whatever the first one put above it.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=_own_directory,
        phases=PHASES,
        references=("CWE-59",),
    ),
}
