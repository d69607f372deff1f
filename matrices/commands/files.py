"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from matrices.errors import InputError


def write(path: Path, text: str) -> None:
    """Replace `path` with `text` at once. Raises InputError where that cannot be done."""
    temporary = _beside(path, text)
    try:
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink()
        raise InputError(f"{path}: expected a file that can be written; {error.strerror}") from error


def write_new(path: Path, text: str) -> None:
    """Like `write`, for a file that must not be there yet, also not made by someone else meanwhile."""
    must_not_exist(path)
    temporary = _beside(path, text)
    try:
        os.link(temporary, path)
    except OSError as error:
        raise InputError(f"{path}: expected a new file; {error.strerror}") from error
    finally:
        temporary.unlink()


def must_not_exist(path: Path) -> None:
    if os.path.lexists(path):
        raise InputError(f"{path}: expected a new file; it exists and is left as it is; give another name")


def must_not_be_input(path: Path, inputs: list[Path]) -> None:
    """A report must not replace what it was made from."""
    if path.resolve() in [each.resolve() for each in inputs]:
        raise InputError(f"{path}: expected a file to write; it is one of the run files; give another name")


def _beside(path: Path, text: str) -> Path:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: expected a directory that can be written; {error.strerror}") from error
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.chmod(name, 0o644)
    return Path(name)
