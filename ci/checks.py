"""`ci test`: every check in one go. All of them run, whatever fails; the end lists what failed."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ci import matrix, run, say
from ci.paths import ROOT
from ci.plainuser import PlainUser, PlainUserUnavailable
from ci.say import Stop

USER_TESTS = ("sandbox/tests", "conformance/meta", "ci/tests")
"""What is tested a second time as a plain user: what starts processes. Parsing and rendering do not depend on the user."""

_SCRATCH = Path("/tmp")
_CLOSING = re.compile(r"=+ .*\b(passed|failed|error|errors|no tests ran)\b.* in .*=+|\d+ (passed|failed|error)\b.* in .*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """One finished step. `seconds` is wall-clock time; `closing` is pytest's last line where the step was pytest."""

    name: str
    passed: bool
    seconds: float
    closing: str = ""
    skipped: str = ""


@dataclass(slots=True)
class Closing:
    """Shows pytest's lines and remembers the closing one."""

    line: str = ""

    def take(self, line: str) -> None:
        print(line, flush=True)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        if _CLOSING.fullmatch(plain.strip()):
            self.line = plain.strip()


@dataclass(slots=True)
class Checks:
    """The steps, as they are carried out. `python` is the environment's."""

    python: Path
    jobs: int
    outcomes: list[Outcome] = field(default_factory=list)

    def all(self) -> int:
        self._step("ruff", lambda: self._module("ruff", "check", "."))
        self._step("mypy", lambda: self._module("mypy", "--platform", "linux"))
        self._pytest("pytest", self._here)
        if len(matrix.here()) == 2:
            self._pytest("pytest as a plain user", self._as_user)
        self._step("matrix and gate", self._matrix)
        return self._report()

    def _step(self, name: str, work: Callable[[], int]) -> None:
        say.step(name)
        started = time.monotonic()
        skipped = ""
        try:
            passed = work() == 0
        except PlainUserUnavailable as error:
            passed, skipped = True, error.problem
            say.warn(f"not run: {error}")
        except Stop as error:
            passed = False
            say.stop(error)
        self.outcomes.append(Outcome(name=name, passed=passed, seconds=time.monotonic() - started, skipped=skipped))

    def _pytest(self, name: str, work: Callable[[Closing], int]) -> None:
        closing = Closing()
        self._step(name, lambda: work(closing))
        last = self.outcomes.pop()
        self.outcomes.append(
            Outcome(name=last.name, passed=last.passed, seconds=last.seconds, closing=closing.line, skipped=last.skipped)
        )

    def _module(self, *argv: str) -> int:
        return run.shown((self.python, "-m", *argv))

    def _here(self, closing: Closing) -> int:
        return run.shown(self._pytest_command(), take=closing.take)

    def _as_user(self, closing: Closing) -> int:
        folders = [folder for folder in USER_TESTS if (ROOT / folder).is_dir()]
        with PlainUser() as user:
            extra = {"PYTEST_DEBUG_TEMPROOT": str(user.home)}
            try:
                return user.run((*self._pytest_command(), "-p", "no:cacheprovider", *folders), closing.take, extra)
            finally:
                # Those that tests start do not hear of the home. What they leave would stay for ever, with an owner that is nobody.
                shutil.rmtree(_SCRATCH / f"pytest-of-{user.account.name}", ignore_errors=True)

    def _pytest_command(self) -> tuple[str | Path, ...]:
        return (self.python, "-m", "pytest", "-q", "-n", str(self.jobs), "--color=no")

    def _matrix(self) -> int:
        folder = ROOT / "build"
        folder.mkdir(exist_ok=True)
        # Not in the cache: a person's "last run" stays the one they made.
        with tempfile.TemporaryDirectory(prefix="test-runs-", dir=folder) as runs:
            return matrix.gate(self.python, matrix.observe(self.python, self.jobs, Path(runs)))

    def _report(self) -> int:
        say.step("summary")
        for outcome in self.outcomes:
            word = "not run" if outcome.skipped else "ok" if outcome.passed else "FAILED"
            detail = outcome.closing or outcome.skipped
            say.note(f"{word:8}{outcome.name} ({outcome.seconds:.1f} s){': ' + detail if detail else ''}")
        failed = [outcome.name for outcome in self.outcomes if not outcome.passed]
        say.step(f"failed: {', '.join(failed)}" if failed else "everything passed")
        closing = next((o.closing for o in self.outcomes if o.closing), "")
        if closing:
            print(closing, flush=True)
        return 1 if failed else 0
