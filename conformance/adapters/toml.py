"""Third-party adapters: a short TOML file says how the sandbox is started, which policy terms it maps and what it claims.

    id = "my-sandbox"                       # lower-case letters, digits, dashes
    title = "My sandbox 1.2"
    [availability]
    command = ["my-sandbox", "--version"]   # must exit 0 within 10 s; its first line is the version
    [launch]
    argv = ["my-sandbox", "{terms}", "--dir", "{work}", "--"]   # the command is put behind it
    env = { PATH = "{PATH}", HOME = "{home}" }                  # omit the table to pass the launcher's environment on
    refusal-exit-codes = [64]               # exits that mean "I will not run this policy"
    [files]
    "settings.json" = '''{"deny": ["{repo}/.git/hooks"]}'''     # rendered into {run}, a private directory
    [terms]
    "fs.write-deny" = ["--ro", "{path}"]    # put at {terms} for every rule of this kind
    [claims]                                # see matrices/claims
    "*" = "not-enforced"

Placeholders: {work} {repo} {home} {out} {agent} {runtime} {run}, and {PATH}, the search path for programs. In terms also {path}, the
rule's path as written, and {real}, what it resolves to; globs are passed as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import string
import subprocess
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.adapters.base import PlanSession
from conformance.core.adapter import AdapterRefused
from conformance.core.runfile import AdapterRecord
from conformance.core.scene import Scene
from conformance.core.words import Reason
from sandbox.backends.plan import LaunchPlan
from sandbox.host import Host
from sandbox.launch.environment import DEFAULT_PATH
from sandbox.policy.globs import is_glob
from sandbox.policy.rules import Policy, RuleKind
from sandbox.sessions import Surface
from sandbox.spec import SandboxBackend

PLACEHOLDERS = frozenset(("work", "repo", "home", "out", "agent", "runtime", "run", "PATH"))
IN_TERMS = frozenset(("path", "real"))
TABLES = frozenset(("id", "title", "availability", "launch", "files", "terms", "claims", "install", "tmp"))
VERSION_SECONDS = 10


class AdapterError(Exception):
    """An adapter that cannot be used as written. One line: where, what was expected, what came."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Description:
    """A parsed adapter file. `env` is None where the launcher's environment is passed on; `tmp` is scratch as seen inside."""

    id: str
    title: str
    version_command: tuple[str, ...]
    argv: tuple[str, ...]
    env: Mapping[str, str] | None
    refusals: frozenset[int]
    files: Mapping[str, str]
    terms: Mapping[RuleKind, tuple[str, ...]]
    claims: Mapping[str, Any] = field(default_factory=dict)
    tmp: str = "/tmp"


def load_description(path: Path) -> Description:
    """Raises AdapterError for anything that is not a complete and well-typed adapter file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AdapterError(f"{path}: expected an adapter file in TOML; {error}") from error
    unknown = sorted(set(data) - TABLES)
    if unknown:
        raise AdapterError(f"{path}: unknown key {unknown[0]!r}; known are {', '.join(sorted(TABLES))}")
    reader = _Reader(path)
    adapter_id = reader.text(data, "id")
    if not re.fullmatch(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", adapter_id):
        raise AdapterError(f"{path}: id: expected lower-case letters, digits and dashes; got {adapter_id!r}")
    launch = reader.table(data, "launch")
    table = reader.table(data, "terms", {})
    terms = {reader.kind(name): reader.words(table, name, f"terms.{name}", IN_TERMS) for name in table}
    description = Description(
        id=adapter_id,
        title=reader.text(data, "title"),
        version_command=reader.words(reader.table(data, "availability"), "command", "availability.command"),
        argv=reader.words(launch, "argv", "launch.argv", extra={"terms"}),
        env=reader.texts(launch, "env", "launch.env") if "env" in launch else None,
        refusals=reader.codes(launch),
        files=reader.texts(data, "files", "files"),
        terms=terms,
        claims=reader.table(data, "claims", {}),
        tmp=reader.text(data, "tmp") if "tmp" in data else "/tmp",
    )
    if description.argv[0] == "{terms}":
        raise AdapterError(f"{path}: launch.argv: expected a program first; got {description.argv[0]!r}")
    if terms and "{terms}" not in description.argv:
        raise AdapterError(f"{path}: launch.argv: expected the word '{{terms}}' because [terms] is not empty")
    return description


class _Reader:
    """Typed access with errors that name the file and the key."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fail(self, key: str, expected: str, got: object) -> AdapterError:
        return AdapterError(f"{self._path}: {key}: expected {expected}; got {got!r}")

    def table(self, data: Mapping[str, Any], key: str, default: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        value = data.get(key, default)
        if not isinstance(value, dict):
            raise self.fail(key, "a table", value)
        return value

    def text(self, data: Mapping[str, Any], key: str) -> str:
        value = data.get(key)
        if not isinstance(value, str) or not value or not value.isprintable():
            raise self.fail(key, "a printable text that is not empty", value)
        return value

    def words(self, data: Mapping[str, Any], key: str, name: str, extra: frozenset[str] | set[str] = frozenset()) -> tuple[str, ...]:
        value = data.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
            raise self.fail(name, "a list of texts that is not empty", value)
        for word in value:
            self.placeholders(word, name, extra)
        return tuple(value)

    def texts(self, data: Mapping[str, Any], key: str, name: str) -> dict[str, str]:
        value = self.table(data, key, {})
        for entry, text in value.items():
            if not isinstance(text, str):
                raise self.fail(f"{name}.{entry}", "a text", text)
            if name == "files" and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", entry):
                raise self.fail(name, "a plain file name", entry)
            if name != "files":
                self.placeholders(text, f"{name}.{entry}", frozenset())
        return dict(value)

    def codes(self, launch: Mapping[str, Any]) -> frozenset[int]:
        value = launch.get("refusal-exit-codes", [])
        if not isinstance(value, list) or not all(isinstance(c, int) and not isinstance(c, bool) and 0 < c < 256 for c in value):
            raise self.fail("launch.refusal-exit-codes", "a list of numbers from 1 to 255", value)
        return frozenset(value)

    def kind(self, name: str) -> RuleKind:
        try:
            return RuleKind(name)
        except ValueError:
            raise self.fail("terms", f"a rule kind ({', '.join(RuleKind)})", name) from None

    def placeholders(self, word: str, name: str, extra: frozenset[str] | set[str]) -> None:
        if "\0" in word:
            raise self.fail(name, "a text without a zero byte", word)
        try:
            parts = [part for part in string.Formatter().parse(word) if part[1] is not None]
        except ValueError as error:
            raise self.fail(name, "balanced braces (write {{ and }} for plain ones)", word) from error
        if any(form or conversion for _, _, form, conversion in parts):
            raise self.fail(name, "placeholders without a format or a conversion", word)
        used = {part for _, part, _, _ in parts if part is not None}
        bad = sorted(used - PLACEHOLDERS - extra)
        if bad:
            known = ", ".join(sorted(PLACEHOLDERS | extra))
            raise AdapterError(f"{self._path}: {name}: unknown placeholder {{{bad[0]}}}; known are {known}")


class TomlAdapter:
    """A third-party sandbox, started as its own process from the command line that its file describes."""

    reference = False
    surfaces = frozenset((Surface.EXEC,))

    def __init__(self, description: Description) -> None:
        self._description = description
        self.id = description.id
        self._version: str | None = None
        self._unavailable: str | None = None

    def describe(self) -> str:
        return self._description.title

    def availability(self, host: Host) -> str:
        if self._unavailable is None:
            self._version, self._unavailable = _ask_version(self._description.version_command)
        return self._unavailable

    def record(self, host: Host) -> AdapterRecord:
        unavailable = self.availability(host)
        return AdapterRecord(
            variant=self.id,
            title=self.describe(),
            reference=False,
            version=self._version or "",
            unavailable=unavailable,
            claims=self._description.claims,
        )

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        d = self._description
        run = tempfile.mkdtemp(prefix="run-", dir=scene.base)
        fill = {name: scene.symbols[f"${name.upper()}"] for name in ("work", "home", "out", "agent", "runtime")}
        fill |= {"repo": scene.symbols.get("$REPO", fill["work"]), "run": run, "PATH": _search_path()}
        for name, text in d.files.items():
            rendered = re.sub(r"\{(\w+)\}", lambda m: fill.get(m[1], m[0]), text)
            Path(run, name).write_text(rendered, encoding="utf-8")
        sent, extra = self._terms(policy, fill)
        argv = tuple(piece for word in d.argv for piece in (extra if word == "{terms}" else (word.format(**fill),)))
        program = shutil.which(argv[0])
        if program is None:
            raise AdapterRefused(Reason.ADAPTER_REFUSED, f"{argv[0]} is not on PATH")
        env = None if d.env is None else {name: text.format(**fill) for name, text in d.env.items()}
        plan = LaunchPlan(
            backend=SandboxBackend.NONE,
            argv=(program, *argv[1:]),
            env=dict(scene.launcher_env) if env is None else env,
            cwd=scene.symbols["$WORK"],
            close_fds=False,
        )
        return PlanSession(
            plan=plan,
            paths=scene.symbols | {"$TMP": d.tmp},
            sent=sent,
            not_sent=tuple(rule.id for rule in policy.rules if rule.id not in sent),
            refusals=d.refusals,
        )

    def _terms(self, policy: Policy, fill: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        sent, words = [], []
        for rule in policy.rules:
            if rule.kind in self._description.terms:
                sent.append(rule.id)
                path = policy.path(rule.target)
                here = {**fill, "path": path, "real": path if is_glob(path) or not path else os.path.realpath(path)}
                words += [word.format(**here) for word in self._description.terms[rule.kind]]
        return tuple(sent), tuple(words)


def _search_path() -> str:
    return os.environ.get("PATH", DEFAULT_PATH)


def _ask_version(command: tuple[str, ...]) -> tuple[str, str]:
    """(version, why it is not available)"""
    if shutil.which(command[0]) is None:
        return "", f"{command[0]} is not on PATH"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=VERSION_SECONDS, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        return "", f"{command[0]}: {type(error).__name__}"
    if done.returncode != 0:
        return "", f"{' '.join(command)} exited with {done.returncode}"
    return (done.stdout.strip().splitlines() or [""])[0][:80], ""
