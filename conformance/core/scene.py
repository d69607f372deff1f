"""A throw-away place on the host for one shot: a work tree, a home, and everything else that an attempt may touch.

Every path of an attempt lies in here. Names are random; nothing in them tells which attempt, adapter or role it is.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from conformance.core.cache import scenes_dir
from conformance.core.netns import IsolatedNetwork, shared_network
from conformance.core.template import compiled_agent, repository_template
from sandbox.policy import baseline
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.sessions import Launcher

WARNING = (
    "This is a scene of the sandproof conformance suite, kept for inspection.\n"
    "It holds inert attack material: do not open it as a project, do not run git or an editor in it.\n"
)


class Scene:
    """Symbols: `$WORK` the writable root (a git repository), `$HOME` the home that the run sees, `$OUT` a place outside every root,
    `$STATE` a runner's state directory, `$AGENT` the agent's read-only directory, `$RUNTIME` the interpreter, `$TMP` scratch as the
    adapter maps it, `$OTHER` another session's place in the host's scratch, `$LINK` a symlink to `$WORK`."""

    def __init__(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="", dir=scenes_dir()))
        self.symbols = {f"${name.upper()}": str(self.base / name) for name in ("work", "home", "out", "state", "agent", "scratch", "link")}
        self.symbols["$RUNTIME"] = os.path.realpath(sys.base_prefix)
        self.launcher_env: dict[str, str] = dict(os.environ)
        self.before_exec: Callable[[], None] | None = None
        self.stderr_fd: int | None = None
        self.network: IsolatedNetwork | None = None
        self._stack = ExitStack()
        self._build()

    def _build(self) -> None:
        shutil.copytree(repository_template(), self.base / "work", symlinks=True)
        for name in ("home", "out", "state", "agent", "scratch"):
            (self.base / name).mkdir()
        (self.base / "link").symlink_to("work")
        shutil.copyfile(compiled_agent(), self.base / "agent" / "agent.pyc")

    # --- names ---------------------------------------------------------------------------------------------------------

    def host(self, symbolic: str) -> Path:
        """The host path of `$WORK/x`. A symbol that the scene lacks is a KeyError: a fault of the attempt."""
        head, slash, rest = symbolic.partition("/")
        return Path(self.symbols[head] + slash + rest) if head.startswith("$") else Path(symbolic)

    def nonce(self) -> str:
        return secrets.token_hex(8)

    def redact(self, text: str) -> str:
        """Replace this scene's paths by their symbols, and the user's own home and name."""
        for symbol, path in sorted(self.symbols.items(), key=lambda item: -len(item[1])):
            text = text.replace(path, symbol)
        text = text.replace(str(self.base), "$SCENE")
        home = os.path.expanduser("~")
        return text.replace(home, "~") if len(home) > 1 else text

    # --- things in it ----------------------------------------------------------------------------------------------------

    def put(self, symbolic: str, content: str = "", *, mode: int = 0o644) -> Path:
        """A file made by the host before the run, parents included."""
        path = self.host(symbolic)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(mode)
        return path

    def put_directory(self, symbolic: str) -> Path:
        path = self.host(symbolic)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def other_session(self) -> str:
        """A directory in the host's own scratch, as another session would have one."""
        path = tempfile.mkdtemp(prefix="other-", dir="/tmp")
        self.symbols["$OTHER"] = path
        self.on_close(lambda: shutil.rmtree(path, ignore_errors=True))
        return path

    def leak_descriptor(self, path: Path) -> None:
        """Leave an inheritable descriptor on a file or directory open in the launcher, as careless launchers do."""
        fd = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
        os.set_inheritable(fd, True)
        self.on_close(lambda: os.close(fd))

    def isolate_network(self) -> IsolatedNetwork:
        """Put the whole shot into a network with no route out. Raises NoIsolatedNetwork.

        One network serves the scenes of this process one after the other; listeners belong to their scene and close with it.
        """
        if self.network is None:
            self.network = shared_network()
        return self.network

    def keep_open(self, thing: socket.socket) -> None:
        self.on_close(thing.close)

    def on_close(self, undo: Callable[[], object]) -> None:
        self._stack.callback(undo)

    def launcher(self) -> Launcher:
        return Launcher(
            env=self.launcher_env,
            prefix=self.network.prefix if self.network else (),
            before_exec=self.before_exec,
            stderr_fd=self.stderr_fd,
        )

    # --- the policy that every attempt starts from ------------------------------------------------------------------------

    def policy(self, *extra: Rule, writable: tuple[str, ...] = ("$WORK",)) -> Policy:
        """The base (confinement, hygiene, network off), the given writable roots, and `extra`."""
        rules = (
            *baseline.ALWAYS,
            Rule(RuleKind.FS_READ_ALLOW, "$HOME"),
            Rule(RuleKind.FS_READ_ALLOW, "$RUNTIME"),
            Rule(RuleKind.FS_READ_ALLOW, "$AGENT"),
            *(() if "$WORK" in writable else (Rule(RuleKind.FS_READ_ALLOW, "$WORK"),)),
            *(Rule(RuleKind.FS_WRITE_ALLOW, root) for root in writable),
        )
        return Policy(rules=rules, roots=tuple(self.symbols.items())).with_rules(extra)

    # --- its end -----------------------------------------------------------------------------------------------------------

    def close(self, *, keep: bool = False) -> None:
        """Undo everything. A kept scene gets a warning and loses its execute bits."""
        self._stack.close()
        if keep:
            _defuse(self.base)
            (self.base / "DO-NOT-OPEN.txt").write_text(WARNING, encoding="utf-8")
            return
        _remove(self.base)

    def git(self, *words: str, cwd: str = "$WORK") -> None:
        """Run the host's git in the scene while it is being armed. Raises CalledProcessError."""
        subprocess.run(["git", *words], cwd=self.host(cwd), env=self.scrubbed(), check=True, capture_output=True, timeout=20)

    def scrubbed(self) -> dict[str, str]:
        """The environment of host commands: nothing of the person's own, HOME in the scene, no system-wide git settings."""
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.symbols["$HOME"],
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Scene",
            "GIT_AUTHOR_EMAIL": "scene@example.invalid",
            "GIT_COMMITTER_NAME": "Scene",
            "GIT_COMMITTER_EMAIL": "scene@example.invalid",
        }


def _defuse(base: Path) -> None:
    """No file below can be run by its name any more. Links are not followed."""
    for directory, _, names in os.walk(base):
        for path in (Path(directory, name) for name in names):
            if not path.is_symlink() and path.is_file():
                with contextlib.suppress(OSError):
                    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o111)


def _remove(base: Path) -> None:
    """Remove a scene even where an attempt took permissions away."""

    def retry(function: Callable[..., object], path: str, _info: object) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(path), stat.S_IRWXU)
            os.chmod(path, stat.S_IRWXU, follow_symlinks=True)
            function(path)

    shutil.rmtree(base, onerror=retry)
