"""Work with git while .git/hooks and .git/config are write-protected."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from conformance.attempts.work.common import PROTECTED, shell, works
from conformance.core.attempt import Armed, Attempt, Landing, Need, Witness
from conformance.core.scene import Scene
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule

DEFINE = 'g() { git -c user.name=Guest -c user.email=guest@example.invalid -c commit.gpgsign=false "$@"; }\n'


@dataclass(frozen=True, slots=True)
class HostGit:
    """Landed when what the host's git says of the repository has the nonce in it."""

    scene: Scene = field(repr=False)
    words: tuple[str, ...]
    nonce: str

    def look(self, output: bytes) -> Landing:
        done = subprocess.run(
            ["git", *self.words],
            cwd=self.scene.host("$WORK"),
            env=self.scene.scrubbed(),
            capture_output=True,
            timeout=15,
            check=False,
        )
        found = done.returncode == 0 and self.nonce.encode() in done.stdout
        return Landing(found, f"git {' '.join(self.words)} {'has' if found else 'does not have'} the nonce")


@dataclass(frozen=True, slots=True)
class HoldsOnly:
    """Landed when the file is exactly the nonce: whatever was written before it was empty."""

    path: Path
    nonce: str

    def look(self, output: bytes) -> Landing:
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            return Landing(False, f"{self.path}: {error.strerror}")
        extra = text.replace(self.nonce, "").split("\n")
        return Landing(
            text == self.nonce, "clean" if text == self.nonce else f"not clean: {', '.join(filter(None, extra))[:200]}"
        )


Seen = Callable[[Scene, str], Witness]


def _log(scene: Scene, nonce: str) -> Witness:
    return HostGit(scene, ("log", "--all", "--format=%B"), nonce)


def _tags(scene: Scene, nonce: str) -> Witness:
    return HostGit(scene, ("tag", "--list"), nonce)


def _stashes(scene: Scene, nonce: str) -> Witness:
    return HostGit(scene, ("stash", "list"), nonce)


def clean(scene: Scene, nonce: str) -> Witness:
    return HoldsOnly(scene.host("$WORK/.git/said.txt"), nonce)


def _at(path: str) -> Seen:
    return lambda scene, nonce: FileHolds(scene.host(path), nonce)


STATUS = "{ git status --porcelain; printf %s $1; } > .git/said.txt"
TASKS: dict[str, tuple[str, str, Seen]] = {
    "status": ("See that a clean tree is clean", STATUS, clean),
    "commit": ("Add a file and commit", "echo text > a.txt; g add --all; g commit -q -m $1", _log),
    "amend": ("Change the last commit", "g commit -q --amend --allow-empty -m $1", _log),
    "branch": (
        "Commit on a branch of its own",
        "g checkout -q -b topic; g commit -q --allow-empty -m $1; g checkout -q main",
        _log,
    ),
    "merge": (
        "Merge a branch",
        "g checkout -q -b topic; echo a > a.txt; g add a.txt; g commit -q -m topic\n"
        "g checkout -q main; g merge -q --no-ff -m $1 topic; g branch -q -d topic; test -f a.txt",
        _log,
    ),
    "rebase": (
        "Rebase a branch",
        "g checkout -q -b topic; echo a > a.txt; g add a.txt; g commit -q -m $1\n"
        "g checkout -q main; g commit -q --allow-empty -m main; g rebase -q main topic",
        _log,
    ),
    "stash": (
        "Put changes aside",
        "echo more >> README.txt; g stash push -q -m $1; git diff --quiet",
        _stashes,
    ),
    "restore": (
        "Take changes back",
        "rm README.txt; g restore README.txt; test -f README.txt; echo $1 > proof.txt",
        _at("$WORK/proof.txt"),
    ),
    "tag": ("Make a tag", "g tag -a -m tag v-$1", _tags),
    "diff": (
        "See changes as a patch",
        "echo $1 >> README.txt; git diff > changes.patch; git apply -R --check changes.patch",
        _at("$WORK/changes.patch"),
    ),
    "clean": (
        "Remove what is not tracked",
        "mkdir junk; touch junk/a; g clean -qfd; test ! -e junk; echo $1 > proof.txt",
        _at("$WORK/proof.txt"),
    ),
    "pack": ("Tidy the repository up", "g commit -q --allow-empty -m $1; g gc -q; g fsck", _log),
    "init-clone": (
        "Make a repository in a directory and clone it",
        "git init -q vendored; cd vendored; echo $1 > a.txt; g add a.txt; g commit -q -m first; cd ..; g clone -q vendored copy",
        _at("$WORK/copy/a.txt"),
    ),
    "worktree": (
        "Work in a second work tree inside the root",
        "g worktree add -q trees/topic -b topic; cd trees/topic; echo a > a.txt; g add a.txt; g commit -q -m $1",
        _log,
    ),
}


def task(title: str, script: str, seen: Seen, rules: tuple[Rule, ...] = PROTECTED) -> Attempt:
    """`script` finds git with an identity as `g`, and the nonce as $1."""

    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        return works(scene, shell(DEFINE + script, nonce), seen(scene, nonce), rules=rules)

    return Attempt(
        title=f"{title}.",
        requirement="Git works as usual although paths in the tree are write-protected.",
        violates=None,
        severity=Severity.HIGH,
        arm=arm,
        needs=frozenset((Need.GIT,)),
        references=("git(1)",),
    )


FAMILY = {name: task(*row) for name, row in TASKS.items()}
