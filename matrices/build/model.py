"""A matrix: every cell of every adapter, host and attempt, judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.core.evidence import Evidence
from conformance.core.runfile import AdapterRecord, AttemptRecord
from conformance.core.words import Grade, Observed, Reason
from matrices.claims.model import Claim
from matrices.claims.words import Honesty


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One adapter on one host against one attempt. `evidence` is None where nothing was run."""

    adapter: str
    host: str
    attempt: AttemptRecord
    claim: Claim
    observed: Observed
    reason: Reason
    grade: Grade
    honesty: Honesty
    evidence: Evidence | None = None

    @property
    def name(self) -> str:
        """What `sandproof explain` and `reproduce` take: `ADAPTER|HOST|ATTEMPT`."""
        return f"{self.adapter}|{self.host}|{self.attempt.id}"

    @property
    def is_work(self) -> bool:
        """Ordinary work that must succeed, as against an attempt that must not."""
        return not self.attempt.violates


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One adapter on one host, cells in the order of the attempts. `record` is None where it did not take part."""

    adapter: str
    host: str
    record: AdapterRecord | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunNote:
    """Where a part of the matrix comes from. `started` is a UTC date."""

    host: str
    started: str
    complete: bool
    repeat: int
    facts: Mapping[str, str]
    adapters: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Matrix:
    """Columns stand adapter by adapter, hosts within; hosts that took part come before those only expected."""

    suite: str
    runs: tuple[RunNote, ...]
    adapters: tuple[str, ...]
    hosts: tuple[str, ...]
    attempts: tuple[AttemptRecord, ...]
    columns: tuple[Column, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(cell for column in self.columns for cell in column.cells)
