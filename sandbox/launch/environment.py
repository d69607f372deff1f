"""The environment that a confined process gets (SYSTEM §9): an allowlist, because nobody can finish the list of dangerous names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sandbox.policy.paths import is_at_or_below

PASSES = frozenset(("PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR", "COLORTERM", "NO_COLOR"))
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


def clean(
    environ: Mapping[str, str], *, named: Mapping[str, str] | None = None, writable: Iterable[str] = (), home: str | None = None
) -> dict[str, str]:
    """What passes of `environ`, then what the launch names.

    PATH loses relative entries and entries below a `writable` root: what an agent writes there must not be run by name.
    `LC_*` passes, a value that begins with `()` (an exported bash function, CVE-2014-6271) never does.
    """
    roots = tuple(writable)
    out = {
        name: value
        for name, value in environ.items()
        if (name in PASSES or name.startswith("LC_")) and not value.startswith("()")
    }
    entries = [p for p in out.get("PATH", DEFAULT_PATH).split(":") if p.startswith("/")]
    out["PATH"] = ":".join(p for p in entries if not any(is_at_or_below(p, root) for root in roots)) or DEFAULT_PATH
    out["TMPDIR"] = "/tmp"
    if home is not None:
        out["HOME"] = home
    return out | dict(named or {})
