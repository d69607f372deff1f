"""Writing a file whole or not at all, and the directories that are written to."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from conformance.core import cache
from matrices.errors import InputError


def cache_dir() -> Path:
    """Where this machine keeps what sandproof writes. Raises InputError where it cannot be made."""
    return _made(cache.cache_dir)


def runs_dir() -> Path:
    """Where run files are kept. Raises InputError where it cannot be made."""
    return _made(cache.runs_dir)


def _made(make: Callable[[], Path]) -> Path:
    try:
        return make()
    except OSError as error:
        raise InputError(
            f"{error.filename or 'cache'}: expected a cache directory that can be made and written to; {error.strerror}; set"
            " SANDPROOF_CACHE to another directory"
        ) from error


def program() -> str:
    """`sandproof`, as it can be typed here: an environment that is not activated needs the path."""
    beside = Path(sys.executable).with_name("sandproof")
    if shutil.which("sandproof") or not beside.exists():
        return "sandproof"
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def must_take_files(directory: Path) -> None:
    """Raises InputError where no file can be made in it; found out before minutes of work, not after."""
    if not directory.is_dir() or not os.access(directory, os.W_OK | os.X_OK):
        raise InputError(f"{directory}: expected a directory that can be written to; make it, or give another")


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
    if os.path.realpath(path) in [os.path.realpath(each) for each in inputs]:
        raise InputError(f"{path}: expected a file to write; it is one of the run files; give another name")


def _beside(path: Path, text: str) -> Path:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path}: expected a directory that can be written; {error.strerror}") from error
    temporary = Path(name)
    try:
        # Half a surrogate pair has no bytes of its own: it is written out as everywhere else.
        with open(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        temporary.chmod(0o644)
    except OSError as error:
        temporary.unlink()
        raise InputError(f"{path}: expected a file that can be written; {error.strerror}") from error
    return temporary
