"""Path spellings. A rule on a path holds for the path as written and for what it resolves to (SYSTEM §4)."""

from __future__ import annotations

from collections.abc import Callable

Resolver = Callable[[str], str | None]
"""Gives the symlink-free spelling of an absolute path, or None where it does not resolve."""


def spellings(path: str, resolve: Resolver) -> tuple[str, ...]:
    """The literal spelling and, where it differs, the resolved one. A path that does not resolve stays as written. This is a path of a
    host, never a glob: a directory may be called `what?`, so only a rule's own target can say that it is one."""
    resolved = resolve(path)
    return (path,) if resolved is None or resolved == path else (path, resolved)


def is_plain(path: str) -> bool:
    """Only names between the slashes: no empty one, no `.`, no `..`, no NUL. For a path without its leading slash."""
    return "\0" not in path and not any(part in ("", ".", "..") for part in path.split("/"))


def is_below(path: str, root: str) -> bool:
    """Is `path` strictly inside `root`? Compared by component: `/x/repo-evil` is not below `/x/repo`."""
    return path != root and path.startswith(root.rstrip("/") + "/")


def is_at_or_below(path: str, root: str) -> bool:
    return path == root or is_below(path, root)


def ancestors(path: str, root: str) -> tuple[str, ...]:
    """The directories strictly between `root` and `path`, outermost first. Raises ValueError if `path` is not below `root`."""
    if not is_below(path, root):
        raise ValueError(f"ancestors: expected a path below {root!r}; got {path!r}")
    inner = path[len(root.rstrip("/")) + 1 :].split("/")[:-1]
    base = root.rstrip("/")
    out = []
    for name in inner:
        base = f"{base}/{name}"
        out.append(base)
    return tuple(out)
