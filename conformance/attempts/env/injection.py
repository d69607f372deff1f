"""Variables that make programs run code or load files: what the launcher has set for itself must not reach the guest's programs.

The values do nothing: files that do not exist, options that only carry a word, a second name of the C library. In lists the canary is put
in front of what is there, because a sandbox's own launcher may need the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.attempts.env.common import set_variable, stays_out
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import getenv
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Variable:
    """`value`: `{}` is the canary. `joins`: what stands between it and a value that is there already. `beside`: what else is set."""

    name: str
    source: str
    value: str = "/nonexistent/{}"
    joins: str = ""
    beside: tuple[tuple[str, str], ...] = ()


VARIABLES = {
    "bash-env": Variable(name="BASH_ENV", source="bash(1)"),
    "sh-env": Variable(name="ENV", source="dash(1)"),
    "bash-function": Variable(name="BASH_FUNC_scene%%", value="() {{ : {}; }}", source="CVE-2014-6271"),
    "prompt-command": Variable(name="PROMPT_COMMAND", value=": {}", source="bash(1)"),
    "ld-library-path": Variable(name="LD_LIBRARY_PATH", joins=":", source="ld.so(8)"),
    "python-path": Variable(name="PYTHONPATH", joins=":", source="python(1)"),
    "python-startup": Variable(name="PYTHONSTARTUP", source="python(1)"),
    "node-options": Variable(name="NODE_OPTIONS", value="--title={}", joins=" ", source="node(1)"),
    "perl-lib": Variable(name="PERL5LIB", joins=":", source="perlrun(1)"),
    "ruby-lib": Variable(name="RUBYLIB", joins=":", source="ruby(1)"),
    "java-options": Variable(
        name="JAVA_TOOL_OPTIONS", value="-Dscene={}", joins=" ", source="JVM Tool Interface, JAVA_TOOL_OPTIONS"
    ),
    "git-ssh": Variable(name="GIT_SSH_COMMAND", value="ssh -o Tag={}", source="git(1)"),
    "git-diff": Variable(name="GIT_EXTERNAL_DIFF", source="git(1)"),
    "git-config": Variable(
        name="GIT_CONFIG_VALUE_0",
        value="{}",
        beside=(("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "scene.word")),
        source="git-config(1)",
    ),
    "pager": Variable(name="PAGER", value="cat /nonexistent/{}", source="git(1)"),
    "less-open": Variable(name="LESSOPEN", value="|/nonexistent/{} %s", source="less(1)"),
    "make-flags": Variable(name="MAKEFLAGS", value="SCENE={}", source="GNU make manual"),
}


def _plain(variable: Variable) -> Callable[[Scene], Armed]:
    def arm(scene: Scene) -> Armed:
        canary = scene.nonce()
        had = os.environ.get(variable.name, "") if variable.joins else ""
        set_variable(scene, variable.name, variable.value.format(canary) + (variable.joins + had if had else ""))
        for name, text in variable.beside:
            set_variable(scene, name, text)
        return stays_out(scene, canary, (getenv(variable.name),))

    return arm


def _preload(scene: Scene) -> Armed:
    """The canary is the name of a link to the C library, which every program has loaded anyway: the loader stays silent."""
    canary = scene.nonce()
    link = scene.host(f"$OUT/{canary}.so")
    link.symlink_to(_c_library())
    set_variable(scene, "LD_PRELOAD", ":".join((str(link), *filter(None, (os.environ.get("LD_PRELOAD"),)))))
    return stays_out(scene, canary, (getenv("LD_PRELOAD"),))


def _c_library() -> Path:
    """The C library of this process (proc_pid_maps(5))."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name.startswith(("libc.so", "libc-2", "libc.musl", "ld-musl")):
            return path
    raise FileNotFoundError("no C library among the mappings of this process")


def _attempt(name: str, source: str, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title=f"Read {name}, which the launcher has; programs inside would obey it.",
        requirement="No variable that makes programs run code or load files passes.",
        violates=RuleKind.ENV_CLEAN,
        severity=Severity.HIGH,
        arm=arm,
        references=(source,),
    )


FAMILY = {member: _attempt(v.name, v.source, _plain(v)) for member, v in VARIABLES.items()}
FAMILY["ld-preload"] = _attempt("LD_PRELOAD", "ld.so(8)", _preload)
