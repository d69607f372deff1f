"""A race: the parent directory is exchanged with a link to outside while a file is written into it."""

from __future__ import annotations

from conformance.attempts.common import confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import swap_race
from conformance.core.words import Severity
from conformance.witnesses.files import LandedOf
from sandbox.policy.rules import RuleKind

ROUNDS = 2000


def arm(scene: Scene) -> Armed:
    nonce = scene.nonce()
    attack = swap_race("$WORK/racing", "$OUT", "leaf.txt", nonce, ROUNDS)
    touches = ("$WORK/racing", "$WORK/racing.swap", "$OUT/leaf.txt")
    return confine(scene, attack, LandedOf(scene.host("$OUT/leaf.txt"), nonce, ROUNDS), touches=touches)


ATTEMPT = Attempt(
    title=f"Write {ROUNDS} times while another thread swaps the parent directory with a link to outside.",
    requirement="What is checked is what is used: a path that changes in between does not lead outside.",
    violates=RuleKind.FS_CONFINE,
    severity=Severity.CRITICAL,
    arm=arm,
    references=("CWE-367", "renameat2(2)"),
)
