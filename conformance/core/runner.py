"""Everything that a test run needs of the operating system, behind four plain calls: what takes part, one cell, a header, a file."""

from __future__ import annotations

import datetime
import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from conformance.adapters.none import NoneAdapter
from conformance.core.adapter import Adapter
from conformance.core.attempt import Attempt
from conformance.core.catalogue import suite_digest
from conformance.core.evidence import Evidence, Facts
from conformance.core.judge import judge
from conformance.core.observe import Options, observe
from conformance.core.runfile import Header, evidence_line, footer_line, header_line
from conformance.core.words import Grade, Reason
from sandbox.host import Host


@dataclass(slots=True)
class Runner:
    """Observes cells on this host. Controls are made once for each attempt and kept."""

    options: Options = field(default_factory=Options)
    host: Host = field(default_factory=Host.detect)
    _controls: dict[str, bool] = field(default_factory=dict)

    def cell(self, attempt: Attempt, adapter: Adapter) -> Evidence:
        if isinstance(adapter, NoneAdapter):
            evidence = observe(attempt, adapter, self.host, None, self.options)
            self._controls[attempt.id] = evidence.facts.landed > 0
            return evidence
        return observe(attempt, adapter, self.host, self._control, self.options)

    def _control(self, attempt: Attempt) -> bool:
        if attempt.id not in self._controls:
            self._controls[attempt.id] = observe(attempt, NoneAdapter(), self.host, None).facts.landed > 0
        return self._controls[attempt.id]


def faulty(attempt: str, work: bool, adapter: str, host: Host, note: str) -> Evidence:
    """The cell of an observation that ended in a fault of the harness: never green, never missing."""
    home = os.path.expanduser("~")
    note = note.replace(home, "~") if len(home) > 1 else note
    facts = Facts(work=work, not_run=Reason.HARNESS_ERROR, grade=Grade.DECLARED)
    return Evidence(attempt=attempt, adapter=adapter, host=host.label, verdict=judge(facts), facts=facts, note=note[:1000])


def header(adapters: Sequence[Adapter], attempts: Sequence[Attempt], host: Host, repeat: int) -> Header:
    return Header(
        suite=suite_digest(),
        host=host.label,
        started=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        facts=host_facts(),
        adapters=tuple(adapter.record(host) for adapter in adapters),
        attempts=tuple(attempt.record() for attempt in attempts),
        repeat=repeat,
    )


def host_facts() -> dict[str, str]:
    """Versions that matter for reading a run. Nothing that names the machine or its user."""
    return {
        "kernel": platform.release(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "git": _first_line("git", "--version"),
        "bwrap": _first_line("bwrap", "--version"),
    }


def _first_line(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return "missing"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return "unreadable"
    return (done.stdout.splitlines() or ["silent"])[0][:80]


class RunWriter:
    """Writes a run file as it comes. Raises FileExistsError rather than write over one."""

    def __init__(self, path: Path, head: Header) -> None:
        self._file: IO[str] = path.open("x", encoding="utf-8")
        self._count = 0
        self._digest = hashlib.sha256()
        self._line(header_line(head))

    def add(self, evidence: Evidence) -> None:
        self._line(evidence_line(evidence))
        self._count += 1

    def _line(self, text: str) -> None:
        self._digest.update(text.encode("ascii") + b"\n")
        self._file.write(text + "\n")
        self._file.flush()

    def close(self, *, complete: bool) -> None:
        """Without `complete` there is no footer, and every reader sees that the run was cut off."""
        if complete:
            self._line(footer_line(self._count, self._digest.hexdigest()))
        os.fsync(self._file.fileno())
        self._file.close()
