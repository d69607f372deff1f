"""All attempts, found by walking the `attempts` package. An attempt's id is the path of its file; a family adds its member's name.

A module defines `ATTEMPT`, or `FAMILY`, a mapping from member name to attempt.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import conformance
from conformance.core.attempt import Attempt

ROOT = Path(conformance.__file__).parent / "attempts"
SUITE_PARTS = ("agent", "attempts", "core", "witnesses")


@cache
def load_attempts() -> tuple[Attempt, ...]:
    """Sorted by id. Raises TypeError for a module that defines neither `ATTEMPT` nor `FAMILY`, ValueError for an id twice."""
    found: dict[str, Attempt] = {}
    for path in sorted(ROOT.rglob("*.py")):
        if path.name.startswith("_") or path.name == "common.py":
            continue
        for attempt in _in_module(path):
            if attempt.id in found:
                raise ValueError(f"attempt id {attempt.id!r} stands twice")
            found[attempt.id] = attempt
    return tuple(found[name] for name in sorted(found))


def _in_module(path: Path) -> Iterator[Attempt]:
    relative = path.relative_to(ROOT).with_suffix("")
    module = importlib.import_module(".".join(("conformance.attempts", *relative.parts)))
    base = "/".join(part.replace("_", "-") for part in relative.parts)
    single, family = getattr(module, "ATTEMPT", None), getattr(module, "FAMILY", None)
    if isinstance(single, Attempt):
        yield single.named(base)
    elif isinstance(family, dict):
        for member, attempt in family.items():
            if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", member):
                raise ValueError(f"{path.name}: family member {member!r}: expected lower-case letters, digits, dots and dashes")
            yield attempt.named(f"{base}/{member}")
    else:
        raise TypeError(f"{path}: expected ATTEMPT or FAMILY")


@cache
def suite_digest() -> str:
    """The first 16 hex digits of SHA-256 over the sources that decide what is attempted and how it is judged."""
    digest = hashlib.sha256()
    for part in SUITE_PARTS:
        for path in sorted((ROOT.parent / part).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT.parent)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
