"""The repository that every scene's work tree is a copy of: one commit, made once per process."""

from __future__ import annotations

import atexit
import os
import py_compile
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from conformance.agent import agent
from conformance.core.cache import scenes_dir


@cache
def repository_template() -> Path:
    """A directory with a git repository, a few source files and an empty hooks directory. Without git on the host the repository is
    a bare skeleton, enough for everything that does not run git itself."""
    base = Path(tempfile.mkdtemp(prefix="template-", dir=scenes_dir()))
    atexit.register(_remove_if_owner, base, os.getpid())
    (base / "src").mkdir()
    (base / "src" / "main.py").write_text("print('hello')\n", encoding="utf-8")
    (base / "README.txt").write_text("A project.\n", encoding="utf-8")
    if shutil.which("git"):
        _commit(base)
    else:
        _skeleton(base)
    (base / ".git" / "hooks").mkdir(exist_ok=True)
    return base


@cache
def compiled_agent() -> Path:
    """The agent as byte code for the interpreter that runs the harness, made once per process: reading its source would cost each cell
    more than starting the interpreter does."""
    base = Path(tempfile.mkdtemp(prefix="template-", dir=scenes_dir()))
    atexit.register(_remove_if_owner, base, os.getpid())
    target = base / "agent.pyc"
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(agent.__file__, cfile=str(target), dfile="agent.py", doraise=True, invalidation_mode=mode)
    return target


def _remove_if_owner(base: Path, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(base, ignore_errors=True)


def _commit(base: Path) -> None:
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(base),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    identity = ("-c", "user.name=Scene", "-c", "user.email=scene@example.invalid")
    init = ("init", "--quiet", "--template=", "--initial-branch=main")
    # Packed and without logs: every scene copies and removes this tree, and directories cost most.
    commit = (*identity, "-c", "core.logAllRefUpdates=false", "commit", "--quiet", "-m", "start")
    for words in (init, ("add", "."), commit, ("gc", "--quiet")):
        subprocess.run(["git", *words], cwd=base, env=env, check=True, capture_output=True, timeout=20)


def _skeleton(base: Path) -> None:
    for name in ("objects", "refs/heads"):
        (base / ".git" / name).mkdir(parents=True)
    (base / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (base / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n", encoding="utf-8")
