"""Roots and denied paths spelled through a symbolic link, attacked by the other spelling."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import beside, escape
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind

LOCKED = "conf/locked"


def _deny(scene: Scene, rule_by: str, attack_by: str, root: str) -> Armed:
    nonce = scene.nonce()
    scene.put(f"$WORK/{LOCKED}/kept.txt", "x")
    rule = Rule(RuleKind.FS_WRITE_DENY, f"{rule_by}/{LOCKED}")
    return escape(
        scene,
        rule,
        write(f"{attack_by}/{LOCKED}/x", nonce),
        FileHolds(scene.host(f"$WORK/{LOCKED}/x"), nonce),
        beside(scene, f"{root}/beside.txt"),
        policy=scene.policy(rule, writable=(root,)),
    )


def _link_rule(scene: Scene) -> Armed:
    return _deny(scene, "$LINK", "$WORK", "$WORK")


def _link_attack(scene: Scene) -> Armed:
    return _deny(scene, "$WORK", "$LINK", "$LINK")


def _both(scene: Scene) -> Armed:
    return _deny(scene, "$LINK", "$LINK", "$LINK")


def _root(scene: Scene) -> Armed:
    nonce = scene.nonce()
    return escape(
        scene,
        Rule(RuleKind.FS_CONFINE),
        write("$LINK/../stray.txt", nonce),
        FileHolds(scene.base / "stray.txt", nonce),
        beside(scene, "$LINK/beside.txt"),
        policy=scene.policy(writable=("$LINK",)),
    )


def _scratch(scene: Scene) -> Armed:
    nonce = scene.nonce()
    scene.symbols["$SLINK"] = str(scene.base / "slink")
    scene.put_directory("$WORK/scratch")
    scene.host("$SLINK").symlink_to("work/scratch")
    return escape(
        scene,
        Rule(RuleKind.FS_CONFINE),
        write("$SLINK/../../out/stray.txt", nonce),
        FileHolds(scene.host("$OUT/stray.txt"), nonce),
        beside(scene, "$SLINK/beside.txt"),
        policy=scene.policy(writable=("$WORK", "$SLINK")),
        touches=("$OUT/stray.txt", "$WORK/scratch"),
    )


def _attempt(title: str, kind: RuleKind, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title=title,
        requirement="A rule holds for a path as written and for what it resolves to.",
        violates=kind,
        severity=Severity.HIGH,
        arm=arm,
        references=("symlink(7)", "path_resolution(7)"),
    )


DENY, CONFINE = RuleKind.FS_WRITE_DENY, RuleKind.FS_CONFINE
FAMILY = {
    "deny-by-link": _attempt("Write a path that is denied by its spelling through a link, by its real spelling.", DENY, _link_rule),
    "attack-by-link": _attempt("Write a denied path by its spelling through a link.", DENY, _link_attack),
    "both-by-link": _attempt("Write a path that is denied through a link, through the same link.", DENY, _both),
    "root-is-a-link": _attempt("Leave a writable root that is itself a link, by its parent.", CONFINE, _root),
    "scratch-is-a-link": _attempt("Leave a scratch directory that is reached through a link, as /tmp is on macOS.", CONFINE, _scratch),
}
