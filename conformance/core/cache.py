"""Where scenes and run files lie on this machine."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def cache_dir() -> Path:
    """`$SANDPROOF_CACHE`, else `sandproof` in the user's cache directory. Made on first use, private to the user. Raises OSError where
    it cannot be made."""
    named = os.environ.get("SANDPROOF_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = Path(named) if named else Path(base) / "sandproof"
    if not path.is_absolute():
        raise OSError(errno.EINVAL, "expected SANDPROOF_CACHE, XDG_CACHE_HOME or HOME to be an absolute path", str(path))
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def runs_dir() -> Path:
    path = cache_dir() / "runs"
    path.mkdir(exist_ok=True)
    return path


def scenes_dir() -> Path:
    """Not below /tmp: sandboxes mask /tmp, and then nothing that an attempt does there would be seen from outside."""
    path = Path(os.path.realpath(cache_dir())) / "scenes"
    path.mkdir(exist_ok=True)
    return path
