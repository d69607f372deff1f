"""What an adapter itself leaves on the host: everything new in a scene that no step of the attempt could have made."""

from __future__ import annotations

import os

from conformance.core.attempt import Armed, Guest
from conformance.core.scene import Scene

WATCHED = ("$WORK", "$HOME", "$OUT", "$STATE")


def listing(scene: Scene) -> frozenset[str]:
    """Symbolic paths of everything below the watched places; links are not followed."""
    found: set[str] = set()
    for symbol in WATCHED:
        root = str(scene.host(symbol))
        for directory, names, files in os.walk(root):
            base = symbol + directory[len(root) :]
            found.update(f"{base}/{name}" for name in (*names, *files))
    return frozenset(found)


def residue(armed: Armed, before: frozenset[str], after: frozenset[str]) -> tuple[str, ...]:
    """New paths that lie neither at, below nor above something that the attempt touches. `after` is taken before the host acts."""
    touched = set(armed.touches)
    for phase in armed.phases:
        if isinstance(phase, Guest):
            for step in (*phase.prepare, *phase.twin, *phase.attack):
                touched.update(step.touches)
    links = {"$LINK": "$WORK"}
    spelled = [next((links[k] + t[len(k) :] for k in links if t == k or t.startswith(k + "/")), t) for t in touched]
    return tuple(path for path in sorted(after - before) if not any(_related(path, os.path.normpath(mark)) for mark in spelled))


def _related(path: str, mark: str) -> bool:
    return path == mark or path.startswith(mark + "/") or mark.startswith(path + "/")
