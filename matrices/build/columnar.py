"""The matrix as JSON: columns of small numbers into string tables, and the evidence in a file beside it.

Cells are dense and in one order — adapter, then host, then attempt — so cell number `(a * hosts + h) * attempts + t`
needs no names of its own. `evidence` is the byte offset of the cell's line in the evidence file, -1 where nothing was
run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from conformance.core.runfile import evidence_line
from conformance.core.words import Grade, Observed, Reason
from matrices.build.model import Column, Matrix
from matrices.claims.model import Claim
from matrices.claims.words import Honesty

FORMAT = "sandproof-matrix/1"


def render(matrix: Matrix, evidence_file: str) -> tuple[str, str]:
    """The JSON text, and the text of the evidence file that it names."""
    evidence, offsets = _evidence(matrix)
    cells = matrix.cells
    claims = list(dict.fromkeys(cell.claim for cell in cells))
    claim_number = {claim: number for number, claim in enumerate(claims)}
    strings = {"observed": Observed, "reason": Reason, "grade": Grade, "honesty": Honesty}
    document = {
        "format": FORMAT,
        "suite": matrix.suite,
        "runs": [asdict(run) for run in matrix.runs],
        "adapters": list(matrix.adapters),
        "hosts": list(matrix.hosts),
        "attempts": [asdict(attempt) for attempt in matrix.attempts],
        "columns": [_column(column) for column in matrix.columns],
        "claims": [_claim(claim) for claim in claims],
        "strings": {name: list(words) for name, words in strings.items()},
        "evidence_file": evidence_file,
        "cells": {
            "claim": [claim_number[cell.claim] for cell in cells],
            "observed": _numbers(tuple(Observed), [cell.observed for cell in cells]),
            "reason": _numbers(tuple(Reason), [cell.reason for cell in cells]),
            "grade": _numbers(tuple(Grade), [cell.grade for cell in cells]),
            "honesty": _numbers(tuple(Honesty), [cell.honesty for cell in cells]),
            "evidence": offsets,
        },
    }
    return json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":")) + "\n", evidence


def _evidence(matrix: Matrix) -> tuple[str, list[int]]:
    lines: list[str] = []
    offsets: list[int] = []
    size = 0
    for cell in matrix.cells:
        offsets.append(size if cell.evidence else -1)
        if cell.evidence:
            lines.append(evidence_line(cell.evidence) + "\n")
            size += len(lines[-1])  # lines are ASCII, so characters are bytes
    return "".join(lines), offsets


def _numbers(words: Sequence[str], column: Sequence[str]) -> list[int]:
    number = {word: index for index, word in enumerate(words)}
    return [number[word] for word in column]


def _claim(claim: Claim) -> dict[str, Any]:
    return {**asdict(claim), "source": claim.source or ""}


def _column(column: Column) -> dict[str, Any]:
    """`took_part` is false where the adapter was not in any run of that host."""
    record = column.record
    return {
        "adapter": column.adapter,
        "host": column.host,
        "took_part": record is not None,
        "reference": record.reference if record else False,
        "title": record.title if record else "",
        "version": record.version if record else "",
        "unavailable": record.unavailable if record else "",
    }
