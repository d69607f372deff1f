"""The pytest plugin: one test for each cell, options to choose them, and a run file to keep what was seen.

Knows pytest and nothing of the operating system; `core.runner` is the other half. Registered by its module name, so that an installed
entry point, a conftest and `-p conformance.plugin` all mean the same registration.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.adapters.registry import BUILT_IN, AdapterError, load_adapter
from conformance.core.adapter import Adapter
from conformance.core.attempt import Attempt
from conformance.core.catalogue import load_attempts
from conformance.core.evidence import Evidence
from conformance.core.ids import current
from conformance.core.observe import Options, kept_scenes
from conformance.core.runfile import AdapterRecord, evidence_from, evidence_line
from conformance.core.runner import Runner, RunWriter, faulty, header
from sandbox.host import Host

PROPERTY = "sandproof_evidence"
KEPT = "sandproof_scene"
RecordProperty = Callable[[str, object], None]


class Hooks:
    """What other plugins may add."""

    @pytest.hookspec
    def pytest_sandproof_evidence(self, evidence: Evidence, record: AdapterRecord) -> str | None:
        """Called for each cell. A text is a reason to fail its test."""


@dataclass(frozen=True, slots=True)
class Cell:
    adapter: Adapter
    attempt: Attempt

    @property
    def name(self) -> str:
        return f"{self.adapter.id}|{self.attempt.id}"


CellRunner = Callable[[Cell, RecordProperty], list[str]]


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sandproof", "sandbox conformance")
    group.addoption("--adapter", action="append", metavar="NAME", help=f"{', '.join(BUILT_IN)}, a .toml file or module:object; repeatable")
    group.addoption("--attempt", action="append", metavar="ID", help="an attempt id, or the beginning of some up to a slash; repeatable")
    group.addoption("--run-file", metavar="FILE", help="write the run here; never overwrites")
    group.addoption("--keep-scene", action="store_true", help="leave the scenes in place for inspection")
    group.addoption("--repeat", type=int, default=1, metavar="N", help="make every attempt at least N times")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "xdist_group(name): keep tests in one worker")
    repeat = config.getoption("--repeat")
    if repeat < 1:
        raise pytest.UsageError(f"--repeat: expected a number from 1; got {repeat}")
    if is_worker(config):
        return
    # Names are looked up before anything is collected: an error of usage there would be one of a test file.
    if config.getoption("--adapter"):
        chosen_adapters(config)
    if config.getoption("--attempt"):
        chosen_attempts(config)
    target = config.getoption("--run-file")
    if target:
        try:
            recorder = Recorder(config, Path(target))
        except FileExistsError:
            raise pytest.UsageError(f"--run-file: {target} exists and is not written over; name another file") from None
        except OSError as error:
            raise pytest.UsageError(f"--run-file: {target} cannot be written: {error.strerror}") from None
        config.pluginmanager.register(recorder, "sandproof-recorder")


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def chosen_adapters(config: pytest.Config) -> list[Adapter]:
    """Raises pytest.UsageError for a name that is none, and for two adapters with one id."""
    names = config.getoption("--adapter") or ["none", "native"]
    try:
        adapters = [load_adapter(name) for name in names]
    except AdapterError as error:
        raise pytest.UsageError(str(error)) from None
    ids = [adapter.id for adapter in adapters]
    twice = {name for name in ids if ids.count(name) > 1}
    if twice:
        raise pytest.UsageError(f"--adapter: {sorted(twice)[0]!r} stands twice")
    return adapters


def chosen_attempts(config: pytest.Config) -> list[Attempt]:
    """Raises pytest.UsageError, with near matches, for an id that does not exist."""
    attempts = load_attempts()
    wanted = config.getoption("--attempt")
    if not wanted:
        return list(attempts)
    found: dict[str, Attempt] = {}
    for text in map(current, wanted):
        hits = [a for a in attempts if a.id == text or a.id.startswith(text.rstrip("/") + "/")]
        if not hits:
            near = difflib.get_close_matches(text, [a.id for a in attempts], n=3, cutoff=0.5)
            hint = f"; near: {', '.join(near)}" if near else "; `sandproof attempts --ids` lists them"
            raise pytest.UsageError(f"--attempt: no attempt {text!r}{hint}")
        found |= {a.id: a for a in hits}
    return [found[name] for name in sorted(found)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "cell" not in metafunc.fixturenames:
        return
    adapters = chosen_adapters(metafunc.config)
    cells = [Cell(adapter, attempt) for attempt in chosen_attempts(metafunc.config) for adapter in adapters]
    # All cells of an attempt stay in one worker, so that its control is made once.
    parameters = [pytest.param(c, id=c.name, marks=pytest.mark.xdist_group(c.attempt.id)) for c in cells]
    metafunc.parametrize("cell", parameters)


@pytest.fixture(scope="session")
def cell_runner(pytestconfig: pytest.Config) -> CellRunner:
    runner = Runner(Options(repeat=pytestconfig.getoption("--repeat"), keep=pytestconfig.getoption("--keep-scene")))

    records: dict[str, AdapterRecord] = {}

    def run(cell: Cell, record_property: RecordProperty) -> list[str]:
        evidence = runner.cell(cell.attempt, cell.adapter)
        record_property(PROPERTY, evidence_line(evidence))
        while kept_scenes:
            record_property(KEPT, kept_scenes.pop(0))
        if cell.adapter.id not in records:
            records[cell.adapter.id] = cell.adapter.record(runner.host)
        answers = pytestconfig.hook.pytest_sandproof_evidence(evidence=evidence, record=records[cell.adapter.id])
        return [text for text in answers if text]

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where kept scenes lie."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, ())]
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == KEPT:
                terminalreporter.write_line(f"scene kept: {value}  ({report.nodeid.partition('[')[2].rstrip(']')})")


def _fault(report: pytest.TestReport) -> str:
    """What was raised, without the place: paths of this machine have no business in a run file."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message) if crash is not None else "the test ended without a message"


class Recorder:
    """Lives in the controlling process only: writes the run file from the reports of all workers."""

    def __init__(self, config: pytest.Config, target: Path) -> None:
        self._host = Host.detect()
        self._attempts = {a.id: a for a in chosen_attempts(config)}
        adapters = chosen_adapters(config)
        self._expected = len(self._attempts) * len(adapters)
        # The header names the whole suite: what was not chosen is a cell too, `not-run: deselected`.
        head = header(adapters, load_attempts(), self._host, config.getoption("--repeat"))
        self._writer = RunWriter(target, head)
        self._seen: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        lines = [value for name, value in report.user_properties if name == PROPERTY]
        name = report.nodeid.partition("[")[2].rpartition("]")[0].partition("@")[0]
        if report.when == "call" and lines:
            self._seen.add(name)
            self._writer.add(evidence_from(json.loads(str(lines[0]))))
        elif report.failed and name not in self._seen and "|" in name:
            self._seen.add(name)
            adapter, _, attempt = name.partition("|")
            work = self._attempts[attempt].work
            self._writer.add(faulty(attempt, work, adapter, self._host, _fault(report)))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._writer.close(complete=len(self._seen) == self._expected)
