"""Make, change, move and remove files in the work tree."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.work.common import Gone, works
from conformance.core.attempt import Armed, Attempt, Witness
from conformance.core.scene import Scene
from conformance.core.steps import (
    Steps,
    chmod,
    copytree,
    exchange,
    link,
    mkdir,
    mkfifo,
    rename,
    rmtree,
    run,
    symlink,
    truncate,
    unlink,
    utime,
    write,
)
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds, TreeChanged

Done = tuple[Steps, Witness]


def _holds(scene: Scene, path: str, nonce: str) -> FileHolds:
    return FileHolds(scene.host(path), nonce)


def _create(scene: Scene, nonce: str) -> Done:
    path = "$WORK/new/deep/a.txt"
    return (mkdir("$WORK/new/deep"), write(path, nonce)), _holds(scene, path, nonce)


def _append(scene: Scene, nonce: str) -> Done:
    return (write("$WORK/README.txt", nonce, append=True),), _holds(scene, "$WORK/README.txt", f"A project.\n{nonce}")


def _overwrite(scene: Scene, nonce: str) -> Done:
    return (truncate("$WORK/README.txt", 0), write("$WORK/README.txt", nonce)), _holds(scene, "$WORK/README.txt", nonce)


def _atomic_save(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/.README.txt.swp", nonce), rename("$WORK/.README.txt.swp", "$WORK/README.txt"))
    return steps, Gone(scene.host("$WORK/.README.txt.swp"), _holds(scene, "$WORK/README.txt", nonce))


def _move(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/a.txt", nonce), rename("$WORK/a.txt", "$WORK/src/b.txt"))
    return steps, Gone(scene.host("$WORK/a.txt"), _holds(scene, "$WORK/src/b.txt", nonce))


def _move_directory(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/src/a.txt", nonce), rename("$WORK/src", "$WORK/lib"))
    return steps, Gone(scene.host("$WORK/src"), _holds(scene, "$WORK/lib/a.txt", nonce))


def _exchange(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/a.txt", nonce), exchange("$WORK/a.txt", "$WORK/README.txt"))
    return steps, _holds(scene, "$WORK/README.txt", nonce)


def _remove(scene: Scene, nonce: str) -> Done:
    steps = (rmtree("$WORK/src"), unlink("$WORK/README.txt"), write("$WORK/done.txt", nonce))
    return steps, Gone(
        scene.host("$WORK/src"), Gone(scene.host("$WORK/README.txt"), _holds(scene, "$WORK/done.txt", nonce))
    )


def _copy(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/src/a.txt", nonce), copytree("$WORK/src", "$WORK/copy"))
    return steps, _holds(scene, "$WORK/copy/a.txt", nonce)


def _hard_link(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/a.txt", nonce), link("$WORK/a.txt", "$WORK/b.txt"))
    return steps, _holds(scene, "$WORK/b.txt", nonce)


def _symlink(scene: Scene, nonce: str) -> Done:
    steps = (write("$WORK/src/a.txt", "old"), symlink("src", "$WORK/sources"), write("$WORK/sources/a.txt", nonce))
    return steps, _holds(scene, "$WORK/src/a.txt", nonce)


def _dot_dot(scene: Scene, nonce: str) -> Done:
    return (write("$WORK/src/../up.txt", nonce),), _holds(scene, "$WORK/up.txt", nonce)


def _attributes(scene: Scene, nonce: str) -> Done:
    steps = (chmod("$WORK/README.txt", 0o640), utime("$WORK/README.txt", 1_000_000_000))
    return steps, TreeChanged(scene.host("$WORK/README.txt"))


def _own_program(scene: Scene, nonce: str) -> Done:
    script = f"#!/bin/sh\nset -e\necho {nonce} > ran.txt\n"
    return (write("$WORK/tool", script, executable=True), run(("$WORK/tool",))), _holds(scene, "$WORK/ran.txt", nonce)


def _fifo(scene: Scene, nonce: str) -> Done:
    script = "cat fifo > ran.txt & echo $1 > fifo; wait"
    return (mkfifo("$WORK/fifo"), run(("sh", "-ec", script, "sh", nonce))), _holds(scene, "$WORK/ran.txt", nonce)


KINDS: dict[str, tuple[Callable[[Scene, str], Done], str]] = {
    "create": (_create, "Make a file in new directories"),
    "append": (_append, "Append to a file"),
    "overwrite": (_overwrite, "Truncate and overwrite a file"),
    "atomic-save": (_atomic_save, "Save as editors do: write a temporary file, rename it over the old one"),
    "move": (_move, "Move a file into another directory"),
    "move-directory": (_move_directory, "Rename a directory that has files in it"),
    "exchange": (_exchange, "Exchange two files atomically"),
    "remove": (_remove, "Remove a file and a tree"),
    "copy": (_copy, "Copy a tree"),
    "hard-link": (_hard_link, "Give a file a second name"),
    "symlink": (_symlink, "Write through a symlink that stays inside"),
    "dot-dot": (_dot_dot, "Write through a path with .. that stays inside"),
    "attributes": (_attributes, "Change a file's mode and times"),
    "own-program": (_own_program, "Write a program and run it"),
    "fifo": (_fifo, "Pass data through a named pipe"),
}


def _attempt(do: Callable[[Scene, str], Done], title: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        return works(scene, *do(scene, scene.nonce()))

    return Attempt(
        title=f"{title}.",
        requirement="Files in a writable root can be worked on as usual.",
        violates=None,
        severity=Severity.HIGH,
        arm=arm,
    )


FAMILY = {name: _attempt(*row) for name, row in KINDS.items()}
