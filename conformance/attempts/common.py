"""Shorthand that attempts share."""

from __future__ import annotations

from conformance.core.attempt import Armed, Guest, HostTrigger, Phase, Witness
from conformance.core.scene import Scene
from conformance.core.steps import Step, Steps, read, write
from conformance.witnesses.files import FileHolds, OutputHolds
from sandbox.policy.rules import Policy, Rule, RuleKind

Twin = tuple[Steps, Witness]


def beside(scene: Scene, path: str = "$WORK/beside.txt", *, append: bool = False) -> Twin:
    """The twin of a write: the same verb on an allowed path."""
    nonce = scene.nonce()
    return (write(path, nonce, append=append),), FileHolds(scene.host(path), nonce)


def readable(scene: Scene, path: str = "$HOME/notes.txt") -> Twin:
    """The twin of a read: a canary in an allowed file."""
    canary = scene.nonce()
    scene.put(path, f"note {canary}\n")
    return (read(path),), OutputHolds(canary)


def escape(
    scene: Scene,
    rule: Rule,
    attack: Step | Steps,
    witness: Witness,
    twin: Twin,
    *,
    prepare: Steps = (),
    after: tuple[Phase, ...] = (),
    policy: Policy | None = None,
    touches: tuple[str, ...] = (),
) -> Armed:
    """The ordinary attempt: one guest phase with twin and attack, then what happens `after`."""
    steps = (attack,) if isinstance(attack, Step) else attack
    guest = Guest(prepare=prepare, twin=twin[0], attack=steps)
    return Armed(
        policy=policy or scene.policy(rule),
        rule=rule,
        phases=(guest, *after),
        witness=witness,
        twin=twin[1],
        touches=touches,
    )


def confine(
    scene: Scene,
    attack: Step | Steps,
    witness: Witness,
    twin: Twin | None = None,
    *,
    prepare: Steps = (),
    touches: tuple[str, ...] = (),
) -> Armed:
    """An attempt on `fs.confine`."""
    rule = Rule(RuleKind.FS_CONFINE)
    return escape(scene, rule, attack, witness, twin or beside(scene), prepare=prepare, touches=touches)


def denied(
    scene: Scene,
    target: str,
    attack: Step | Steps,
    witness: Witness,
    twin: Twin | None = None,
    *,
    after: tuple[Phase, ...] = (),
    touches: tuple[str, ...] = (),
) -> Armed:
    """An attempt on `fs.write-deny` of one path."""
    return escape(
        scene, Rule(RuleKind.FS_WRITE_DENY, target), attack, witness, twin or beside(scene), after=after, touches=touches
    )


def secret(scene: Scene, target: str, attack: Step | Steps, canary: str, twin: Twin | None = None) -> Armed:
    """An attempt on `fs.read-deny` of one path."""
    return escape(scene, Rule(RuleKind.FS_READ_DENY, target), attack, OutputHolds(canary), twin or readable(scene))


def sentinel(scene: Scene, nonce: str) -> str:
    """A harmless program for host triggers: it leaves the nonce in `$OUT/fired` when the *host* runs it, and nothing else."""
    return f"#!/bin/sh\necho {nonce} > '{scene.host('$OUT/fired')}'\nexit 0\n"


def fired(scene: Scene, nonce: str) -> FileHolds:
    return FileHolds(scene.host("$OUT/fired"), nonce)


def host(*argv: str, cwd: str = "$WORK", **env: str) -> HostTrigger:
    return HostTrigger(argv=argv, cwd=cwd, env=env)


HOOK = "$WORK/.git/hooks/pre-commit"
HOOKS = "$WORK/.git/hooks"
COMMIT = HostTrigger(argv=("git", "commit", "--quiet", "--allow-empty", "-m", "after the run"))
