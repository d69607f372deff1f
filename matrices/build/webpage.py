"""The matrix as one HTML page that needs nothing else: no network, no other file, no script but its own.

Strangers' text reaches the page in two ways, and in neither as markup: through the template, which escapes everything,
and through a JSON block that the page's script puts into text nodes. Characters that cannot be seen are written out
before both.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from itertools import groupby
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from conformance.core.evidence import Evidence
from conformance.core.words import Observed, Severity
from matrices.build import meaning
from matrices.build.explain import LOOK, OUTPUT, beacon_text, demand, not_sent_text, output_lines, reproduce_line
from matrices.build.model import Cell, Matrix
from matrices.build.summary import Summary, beside, needs_a_look, shots, sort_key, summarise
from matrices.build.tables import missing_notes, size
from matrices.claims.model import Claim
from matrices.claims.words import Honesty
from matrices.text import visible

_MARK = {
    Honesty.OVERCLAIMS: "✖",
    Honesty.SILENT_ESCAPE: "‼",
    Honesty.UNPROVEN: "?",
    Honesty.HONEST_GAP: "○",
    Honesty.UNDERCLAIMS: "▲",
    Honesty.NOT_JUDGED: "·",
    Honesty.HONEST: "✓",
}
_BAR = (Observed.ESCAPED, Observed.INCONCLUSIVE, Observed.REFUSED, Observed.ENFORCED)
_BAR_WIDTH = 240


def render(matrix: Matrix) -> str:
    """The whole page."""
    style, script = _asset("page.css"), _asset("page.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["visible"] = visible
    present = {run.host for run in matrix.runs}
    return environment.from_string(_asset("page.html")).render(
        matrix=matrix,
        size=size(matrix),
        security_policy=_security_policy(script, style),
        style=Markup(style),
        script=Markup(script),
        data=_block(_data(matrix)),
        totals=_totals(matrix),
        summaries=[_summary(summarise(column)) for column in matrix.columns if column.record],
        look=sorted((cell for cell in matrix.cells if needs_a_look(cell)), key=sort_key),
        number={cell.name: index for index, cell in enumerate(matrix.cells)},
        groups=_groups(matrix),
        filters=_filters(matrix),
        missing=missing_notes(matrix),
        preset_hosts=present if len(present) < len(matrix.hosts) else (),
        mark=_MARK,
        meaning=meaning,
        shots=shots,
        beside=beside,
    )


def _security_policy(script: str, style: str) -> str:
    """Nothing is loaded from anywhere, and only this very script and style are used."""
    allowed = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _asset(name: str) -> str:
    return resources.files("matrices.build").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _block(data: Any) -> Markup:
    """JSON for a script element: ASCII only, and nothing in it that could end the element or begin a comment."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _counted(matrix: Matrix) -> list[bool]:
    """For each cell, whether it is counted above: attempts that must not succeed, where the adapter took part."""
    return [column.record is not None and not cell.is_work for column in matrix.columns for cell in column.cells]


def _totals(matrix: Matrix) -> list[tuple[Honesty, int, int]]:
    """Each word, how often, and out of how many cells that are counted."""
    cells = [cell for cell, counts in zip(matrix.cells, _counted(matrix), strict=True) if counts]
    return [(word, sum(cell.honesty is word for cell in cells), len(cells)) for word in Honesty]


def _summary(summary: Summary) -> dict[str, Any]:
    bar, start = [], 0.0
    for word in _BAR:
        width = _BAR_WIDTH * summary.observed[word] / max(summary.attacks, 1)
        bar.append({"word": word, "x": round(start, 2), "width": round(width, 2)})
        start += width
    return {"of": summary, "bar": bar}


def _groups(matrix: Matrix) -> list[dict[str, Any]]:
    """Rows of the grid by boundary; each row has its cells in the order of the columns."""
    length = len(matrix.attempts)
    indexed = sorted(enumerate(matrix.attempts), key=lambda pair: (pair[1].boundary, pair[1].id))
    groups = []
    for boundary, pairs in groupby(indexed, key=lambda pair: pair[1].boundary):
        rows = []
        for index, attempt in pairs:
            cells = [(n * length + index, column.cells[index]) for n, column in enumerate(matrix.columns)]
            rows.append({"attempt": attempt, "cells": cells})
        groups.append({"boundary": boundary, "rows": rows})
    return groups


def _filters(matrix: Matrix) -> list[tuple[str, str, list[str]]]:
    """Name, label and the words that occur."""
    seen, honest = {cell.observed for cell in matrix.cells}, {cell.honesty for cell in matrix.cells}
    severities = {attempt.severity for attempt in matrix.attempts}
    return [
        ("boundary", "Boundary", sorted({attempt.boundary for attempt in matrix.attempts})),
        ("severity", "Severity", [word for word in Severity if word in severities]),
        ("observed", "Observed", [word for word in Observed if word in seen]),
        ("honesty", "Honesty", [word for word in Honesty if word in honest]),
        ("host", "Host", list(matrix.hosts)),
    ]


def _data(matrix: Matrix) -> dict[str, Any]:
    """What an unfolded cell shows; every claim and attempt once."""
    claims = list(dict.fromkeys(cell.claim for cell in matrix.cells))
    claim_number = {claim: index for index, claim in enumerate(claims)}
    attempt_number = {attempt.id: index for index, attempt in enumerate(matrix.attempts)}
    return {
        "attempts": [
            _shown(
                {
                    "id": attempt.id,
                    "title": attempt.title,
                    "requirement": attempt.requirement,
                    "kind": attempt.violates,
                    "demand": demand(attempt.violates),
                    "severity": attempt.severity,
                    "references": ", ".join(attempt.references),
                }
            )
            for attempt in matrix.attempts
        ],
        "claims": [_claim(claim) for claim in claims],
        "texts": {"output": OUTPUT, "look": LOOK},
        "means": {"observed": meaning.OBSERVED, "reason": meaning.REASON, "honesty": meaning.HONESTY},
        "counted": _counted(matrix),
        "cells": [_cell(cell, attempt_number[cell.attempt.id], claim_number[cell.claim]) for cell in matrix.cells],
    }


def _claim(claim: Claim) -> dict[str, str]:
    return _shown(
        {
            "word": claim.word,
            "means": meaning.CLAIM[claim.word],
            "source": meaning.SOURCE[claim.source] if claim.source else "",
            "quote": claim.quote,
            "why": claim.why,
            "versions": claim.versions,
        }
    )


def _cell(cell: Cell, attempt: int, claim: int) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "claim": claim,
        "adapter": visible(cell.adapter),
        "host": visible(cell.host),
        "observed": cell.observed,
        "shots": shots(cell),
        "reason": cell.reason,
        "grade": cell.grade,
        "honesty": cell.honesty,
        "reproduce": reproduce_line(cell),
        "evidence": _evidence(cell.evidence) if cell.evidence else None,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    shown: dict[str, Any] = _shown(
        {
            "rule": evidence.rule,
            "saw": evidence.saw,
            "twin": evidence.twin_saw,
            "collateral": "the allowed twin was refused as well" if evidence.collateral else "",
            "exit": evidence.exit,
            "note": evidence.note,
            "unsent": not_sent_text(evidence),
            "seconds": f"{evidence.seconds:.2f}",
        }
    )
    shown["beacons"] = _each([beacon_text(beacon) for beacon in evidence.beacons])
    shown["residue"] = _each(evidence.residue)
    shown["output"] = "\n".join(output_lines(evidence.output))
    return shown


def _shown(texts: dict[str, str]) -> dict[str, str]:
    return {name: visible(text) for name, text in texts.items()}


def _each(texts: Sequence[str]) -> list[str]:
    return [visible(text) for text in texts]
