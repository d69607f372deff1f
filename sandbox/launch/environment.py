"""The environment that a confined process gets (SYSTEM §9): an allowlist, because nobody can finish the list of dangerous names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from sandbox.policy.paths import is_at_or_below

PASSES = frozenset(("PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TZ", "USER", "LOGNAME", "SHELL", "TMPDIR", "COLORTERM", "NO_COLOR")) | {
    f"LC_{category}"
    for category in (
        "ALL COLLATE CTYPE MESSAGES MONETARY NUMERIC TIME ADDRESS IDENTIFICATION MEASUREMENT NAME PAPER TELEPHONE".split()
    )
}  # locale(7); any other LC_ name could be anybody's
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

NEVER = frozenset(
    (
        "BASH_ENV ENV PERL5OPT PYTHONPATH NODE_OPTIONS NODE_EXTRA_CA_CERTS PERL_MM_OPT RUBYOPT GIT_SSH GIT_SSH_COMMAND PYTHONSTARTUP "
        "PYTHONHOME PERL5LIB RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS "
        "SSH_AUTH_SOCK SSH_ASKPASS PAGER EDITOR PROMPT_COMMAND SHELLOPTS BASHOPTS IFS CDPATH DOCKER_HOST ELECTRON_RUN_AS_NODE"
    ).split()
)
NEVER_PREFIXES = ("LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_", "NPM_CONFIG_")
"""What not even the launch may name, in any case of letters (SYSTEM §9)."""


def is_dangerous(name: str, value: str) -> bool:
    """Would this variable make an ordinary program run or load something else? A value that begins with `()` is an exported bash
    function (CVE-2014-6271)."""
    upper = name.upper()
    return upper in NEVER or upper.startswith(NEVER_PREFIXES) or value.startswith("()")


def sanitise(named: Mapping[str, str]) -> dict[str, str]:
    """What a launch may name: anything that is not dangerous."""
    return {name: value for name, value in named.items() if not is_dangerous(name, value)}


def clean(
    environ: Mapping[str, str],
    *,
    named: Mapping[str, str] | None = None,
    writable: Iterable[str] = (),
    scratch: Iterable[str] = (),
    shown: Iterable[str] = (),
    home: str | None = None,
) -> dict[str, str]:
    """What passes of `environ`, then what the launch names.

    PATH loses relative entries and entries in a `writable` root, or in `scratch` outside the `shown` roots, also through a link or
    a `..`: what an agent writes there must not be run by name.
    """
    out = {
        name: value
        for name, value in environ.items()
        if name in PASSES and not is_dangerous(name, value)
    }
    roots, loose, kept = tuple(writable), tuple(scratch), tuple(shown)

    def agents(entry: str) -> bool:
        for place in (entry, os.path.normpath(entry), os.path.realpath(entry)):
            if any(is_at_or_below(place, root) for root in roots):
                return True
            if any(is_at_or_below(place, root) for root in loose) and not any(is_at_or_below(place, root) for root in kept):
                return True
        return False

    entries = [entry for entry in out.get("PATH", DEFAULT_PATH).split(":") if entry.startswith("/") and not agents(entry)]
    out["PATH"] = ":".join(entries) or DEFAULT_PATH
    out["TMPDIR"] = "/tmp"
    if home is not None:
        out["HOME"] = home
    return out | sanitise(named or {})
