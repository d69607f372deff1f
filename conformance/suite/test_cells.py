"""One test for each cell, adapter by attempt. It fails on dishonesty and on faults of the harness, never on an escape as such."""

from __future__ import annotations

from conformance.plugin import Cell, CellRunner, RecordProperty


def test_cell(cell: Cell, cell_runner: CellRunner, record_property: RecordProperty) -> None:
    problems = cell_runner(cell, record_property)
    assert not problems, "\n".join(problems)
