"""Small attempts of these tests' own, and ways to observe one without pytest's help. Stable where the catalogue grows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from conformance.adapters.none import NoneAdapter
from conformance.attempts.common import beside, confine, secret
from conformance.core.adapter import Adapter
from conformance.core.attempt import Armed, Attempt
from conformance.core.catalogue import load_attempts
from conformance.core.evidence import Evidence
from conformance.core.observe import Options, observe
from conformance.core.scene import Scene
from conformance.core.steps import read, swap_race
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.host import Host
from sandbox.policy.rules import RuleKind

ROUNDS = 400
"""What the race states as its n. A race is calibrated: it lands on the miniature that checks and then uses within n/10."""


def _secret(scene: Scene) -> Armed:
    canary = scene.nonce()
    scene.put("$HOME/.ssh/id_test", f"key {canary}\n", mode=0o600)
    return secret(scene, "$HOME/.ssh", read("$HOME/.ssh/id_test"), canary)


def race(rounds: int) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        scene.put_directory("$OUT/target")
        step = swap_race("$WORK/turn", "$OUT/target", "leaf", nonce, rounds)
        marks = ("$WORK/turn.swap", "$OUT/target")
        return confine(scene, step, FileHolds(scene.host("$OUT/target/leaf"), nonce), beside(scene), touches=marks)

    return _own("race", RuleKind.FS_CONFINE, arm)


def _own(name: str, kind: RuleKind, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title="A sample of the meta tests.",
        requirement="It is stopped.",
        violates=kind,
        severity=Severity.HIGH,
        arm=arm,
        id=f"fs/meta/{name}",
    )


SECRET = _own("secret", RuleKind.FS_READ_DENY, _secret)


@cache
def known(attempt_id: str) -> Attempt:
    if attempt_id == SECRET.id:
        return SECRET
    return next(attempt for attempt in load_attempts() if attempt.id == attempt_id)


@cache
def _control(attempt_id: str) -> bool:
    return observe(known(attempt_id), NoneAdapter(), Host.detect(), None).facts.landed > 0


def cell(adapter: Adapter, attempt: Attempt, *, repeat: int = 1) -> Evidence:
    """One cell, with a real control."""

    def control(asked: Attempt) -> bool:
        if asked.id.endswith("/race"):
            return observe(asked, NoneAdapter(), Host.detect(), None).facts.landed > 0
        return _control(asked.id)

    return observe(attempt, adapter, Host.detect(), control, Options(repeat=repeat))


def word(evidence: Evidence) -> str:
    return f"{evidence.verdict.observed} {evidence.verdict.reason}"
