"""Shorthand of the environment attempts: a canary that only the launcher's own environment has."""

from __future__ import annotations

from conformance.attempts.common import Twin, escape, readable
from conformance.core.attempt import Armed
from conformance.core.scene import Scene
from conformance.core.steps import Steps, getenv
from conformance.witnesses.files import OutputHolds
from sandbox.policy.rules import Rule, RuleKind

RULE = Rule(RuleKind.ENV_CLEAN)


def set_variable(scene: Scene, name: str, value: str) -> None:
    """Put a variable into the launcher's environment, before all others: what is read of an environment may be cut off."""
    scene.launcher_env = {name: value} | {k: v for k, v in scene.launcher_env.items() if k != name}


def passes(scene: Scene) -> Twin:
    """The twin: TERM, which a sandbox may pass, and a note that can be read. No rule says that TERM must pass, so only the note
    decides; a TERM that is missing shows as collateral damage."""
    set_variable(scene, "TERM", scene.nonce())
    steps, witness = readable(scene)
    return (getenv("TERM"), *steps), witness


def stays_out(scene: Scene, canary: str, attack: Steps) -> Armed:
    """The canary is set already; it must not come out."""
    return escape(scene, RULE, attack, OutputHolds(canary), passes(scene))
