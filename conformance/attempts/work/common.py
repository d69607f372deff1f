"""Shorthand of ordinary work: what must go on working while hooks and configuration are write-protected."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.attempts.common import Twin, beside
from conformance.core.attempt import Armed, Guest, Landing, Witness
from conformance.core.scene import Scene
from conformance.core.steps import Step, Steps, run
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind

PROOF = "$WORK/proof.txt"
"""Where programs that have no better place leave the nonce."""

PROTECTED = (Rule(RuleKind.FS_WRITE_DENY, "$WORK/.git/hooks"), Rule(RuleKind.FS_WRITE_DENY, "$WORK/.git/config"))


def works(
    scene: Scene,
    steps: Step | Steps,
    witness: Witness,
    *,
    rules: tuple[Rule, ...] = PROTECTED,
    prepare: Steps = (),
    twin: Twin | None = None,
    touches: tuple[str, ...] = (),
) -> Armed:
    """Ordinary work and a plain write beside it, started by a launcher that has none of the person's own settings."""
    scene.launcher_env = {**scene.scrubbed(), "TMPDIR": scene.symbols["$SCRATCH"], "TERM": "dumb"}
    beside_it = twin or beside(scene, "$WORK/.git/beside.txt")
    return Armed(
        policy=scene.policy(*rules),
        phases=(Guest(prepare=prepare, twin=beside_it[0], attack=(steps,) if isinstance(steps, Step) else steps),),
        witness=witness,
        twin=beside_it[1],
        touches=touches,
    )


def shell(script: str, nonce: str) -> Step:
    """Run a POSIX shell script in `$WORK`, with the nonce as $1; the first command that fails ends it."""
    return run(("sh", "-euc", script, "sh", nonce))


def python(scene: Scene, source: str, nonce: str) -> Step:
    """Run a program from a file in `$WORK`, with the nonce as its only argument."""
    scene.put("$WORK/task.py", source)
    return run(("{python}", "$WORK/task.py", nonce))


def proof(scene: Scene, nonce: str) -> FileHolds:
    return FileHolds(scene.host(PROOF), nonce)


@dataclass(frozen=True, slots=True)
class Gone:
    """Landed when nothing lies at `path` any more and another witness is content."""

    path: Path
    also: Witness

    def look(self, output: bytes) -> Landing:
        if self.path.is_symlink() or self.path.exists():
            return Landing(False, f"{self.path} is still there")
        return self.also.look(output)
