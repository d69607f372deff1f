"""Ways around a read-only hooks directory that never write to it: move it, or its parents, out of the way."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import COMMIT, HOOK, HOOKS, Twin, denied, fired, sentinel
from conformance.core.attempt import Armed, Attempt, HostTrigger, Need, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import Steps, copytree, exchange, mkdir, rename, rmtree, symlink, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import RuleKind


def _ancestor(script: str) -> Steps:
    return (
        rename("$WORK/.git", "$WORK/.moved"),
        mkdir("$WORK/.git/hooks"),
        copytree("$WORK/.moved", "$WORK/.git"),
        write(HOOK, script, executable=True),
    )


def _exchange(script: str) -> Steps:
    return (
        copytree("$WORK/.git", "$WORK/other"),
        mkdir("$WORK/other/hooks"),
        write("$WORK/other/hooks/pre-commit", script, executable=True),
        exchange("$WORK/.git", "$WORK/other"),
    )


def _roundtrip(script: str) -> Steps:
    return (
        rename(HOOKS, "$WORK/h"),
        write("$WORK/h/pre-commit", script, executable=True),
        rename("$WORK/h", HOOKS),
    )


def _replaced(script: str) -> Steps:
    return (
        mkdir("$WORK/own"),
        write("$WORK/own/pre-commit", script, executable=True),
        rmtree(HOOKS),
        symlink("../own", HOOKS),
    )


HOW: dict[str, tuple[Callable[[str], Steps], str]] = {
    "rename-ancestor": (_ancestor, "Rename .git away and make a new .git/hooks"),
    "exchange-ancestor": (_exchange, "Exchange .git with a prepared directory (renameat2)"),
    "roundtrip": (_roundtrip, "Move the hooks directory to a writable place, edit it, move it back"),
    "replace-by-link": (_replaced, "Remove the hooks directory and put a link in its place"),
}


def move_twin(scene: Scene) -> Twin:
    """The same calls on directories that nothing protects."""
    nonce = scene.nonce()
    steps = (mkdir("$WORK/pkg/sub"), rename("$WORK/pkg", "$WORK/pkg2"), mkdir("$WORK/pkg/sub"), write("$WORK/pkg/sub/x", nonce))
    return steps, FileHolds(scene.host("$WORK/pkg/sub/x"), nonce)


def _attempt(make: Callable[[str], Steps], how: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        return denied(scene, HOOKS, make(sentinel(scene, nonce)), fired(scene, nonce), move_twin(scene), after=(COMMIT,))

    return Attempt(
        title=f"{how}; the host commits afterwards.",
        requirement="A denied path cannot be moved away together with its parents, nor replaced.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
        phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
        needs=frozenset((Need.GIT,)),
        references=("rename(2)", "githooks(5)", "mount_namespaces(7)"),
    )


def _higher(scene: Scene) -> Armed:
    nonce = scene.nonce()
    scene.symbols["$REPO"] = scene.symbols["$WORK"] + "/nested/project"
    scene.put_directory("$WORK/nested")
    scene.host("$WORK/.git").rename(scene.put_directory("$REPO") / ".git")
    steps = (
        rename("$WORK/nested", "$WORK/nested2"),
        mkdir("$WORK/nested/project/.git/hooks"),
        copytree("$WORK/nested2/project/.git", "$WORK/nested/project/.git"),
        write("$WORK/nested/project/.git/hooks/pre-commit", sentinel(scene, nonce), executable=True),
    )
    commit = HostTrigger(argv=COMMIT.argv, cwd="$REPO")
    return denied(scene, "$WORK/nested/project/.git/hooks", steps, fired(scene, nonce), move_twin(scene), after=(commit,))


FAMILY = {name: _attempt(make, how) for name, (make, how) in HOW.items()} | {
    "rename-higher": Attempt(
        title="Rename a directory above the repository, which lies below the bound root; the host commits afterwards.",
        requirement="Every ancestor of a denied path is held, not only its parent.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=_higher,
        phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
        needs=frozenset((Need.GIT,)),
        references=("rename(2)", "githooks(5)"),
    )
}
