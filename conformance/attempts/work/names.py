"""Files with names that programs often get wrong."""

from __future__ import annotations

from conformance.attempts.work.common import works
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import mkdir, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds

NAMES = {
    "spaces": ("", "a file  with spaces ", "spaces, one at its end"),
    "quotes": ("", 'it\'s a "name" with `quotes` and \\', "quotes and a backslash"),
    "unicode": ("", "Straße-日本語-e\u0301-🙂.txt", "letters of several scripts, a combining accent and an emoji"),
    "newline": ("", "first\nsecond", "a newline"),
    "dash": ("", "--help", "dashes in front"),
    "shell": ("", "$HOME;*?[a]{b}&|<>#~!", "characters that a shell treats specially"),
    "long": ("", "n" * 255, "255 bytes, the most that is allowed"),
    "deep": ("/".join(["d" * 100] * 20), "leaf.txt", "2000 bytes of directories before it"),
}


def _attempt(parent: str, name: str, what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        directory = f"$WORK/{parent}".rstrip("/")
        path = f"{directory}/{name}"
        return works(scene, (mkdir(directory), write(path, nonce)), FileHolds(scene.host(path), nonce))

    return Attempt(
        title=f"Write a file whose name has {what}." if not parent else f"Write a file with {what}.",
        requirement="Any name that the file system allows can be used.",
        violates=None,
        severity=Severity.MEDIUM,
        arm=arm,
        references=("path_resolution(7)",),
    )


FAMILY = {member: _attempt(*row) for member, row in NAMES.items()}
