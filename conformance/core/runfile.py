"""The run file: JSON Lines, a header, evidence as it comes, a footer. Without its footer a run is truncated, never clean."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from conformance.core.evidence import Beacon, BeaconName, Evidence, Facts, Verdict
from conformance.core.words import Grade, Observed, Reason

FORMAT = "sandproof-run/1"


class RunFileError(Exception):
    """A run file that cannot be read: foreign, damaged, or of another format. Says the file, the line, what was expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CoverageStatement:
    """What a reference backend says of one rule kind here: `level` is `enforced`, `partial`, `cannot` or `none` (a backend that
    confines nothing); `left_out` names the rule ids that a partial statement does not hold."""

    level: str
    why: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AdapterRecord:
    """One adapter as it took part. `variant` is the column's text; `reference`: one of our own backends; `version` of the confining
    tool as found. `coverage` (kind → statement) is what a reference backend says of itself; `claims` is the raw `[claims]` table of a
    third-party adapter; both may be empty. `available` is "" or the reason why it could not be used."""

    variant: str
    title: str
    reference: bool
    version: str = ""
    unavailable: str = ""
    coverage: Mapping[str, CoverageStatement] = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptRecord:
    """What a report needs to know of an attempt. `violates` is a rule kind, "" for ordinary work."""

    id: str
    title: str
    requirement: str
    violates: str
    boundary: str
    severity: str
    references: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """`suite` is the digest of the suite's sources; `started` is a UTC date; `facts` are versions of kernel, interpreter, tools."""

    suite: str
    host: str
    started: str
    facts: Mapping[str, str]
    adapters: tuple[AdapterRecord, ...]
    attempts: tuple[AttemptRecord, ...]
    repeat: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A run as read back. `complete` is False where the footer is missing or its count disagrees."""

    header: Header
    evidence: tuple[Evidence, ...]
    complete: bool


def header_line(header: Header) -> str:
    return _dump({"kind": "header", "format": FORMAT, **asdict(header)})


def evidence_line(evidence: Evidence) -> str:
    return _dump({"kind": "evidence", **asdict(evidence)})


def footer_line(count: int, digest: str) -> str:
    """`count` is the number of evidence lines before it, `digest` the one of all lines before it. It tells accidents and careless
    edits; whoever edits on purpose can make a new one."""
    return _dump({"kind": "footer", "evidence": count, "sha256": digest})


def digest_of(lines: Iterable[str]) -> str:
    """SHA-256 over the lines, each with its line end, in hex."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("ascii", "replace") + b"\n")
    return digest.hexdigest()


def evidence_from(record: Mapping[str, Any]) -> Evidence:
    """The inverse of `evidence_line` for one decoded line. Raises KeyError, TypeError or ValueError for a foreign record."""
    facts = dict(record["facts"])
    facts["grade"] = Grade(facts["grade"])
    for name in ("not_run", "refused", "profile"):
        facts[name] = Reason(facts[name]) if facts[name] is not None else None
    rest = {k: v for k, v in record.items() if k not in ("kind", "facts", "verdict", "beacons")}
    for name in ("policy", "not_sent", "residue"):
        rest[name] = tuple(rest[name])
    return Evidence(
        facts=Facts(**facts),
        verdict=Verdict(observed=Observed(record["verdict"]["observed"]), reason=Reason(record["verdict"]["reason"])),
        beacons=tuple(Beacon(name=BeaconName(b["name"]), verb=b["verb"], errno=b["errno"]) for b in record["beacons"]),
        **rest,
    )


def read_run(path: Path) -> Run:
    """Read one run file. Raises RunFileError for what is not one and for lines that were changed after the run; a missing footer is
    not an error but `complete=False`."""
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RunFileError(f"{path}: expected a run file; {error}") from error
    if lines == [""]:
        raise RunFileError(f"{path}: expected a run file; it is empty")
    header = _header(path, lines[0])
    evidence: list[Evidence] = []
    footer: int | None = None
    for number, line in enumerate(lines[1:], start=2):
        if footer is not None:
            raise RunFileError(f"{path}:{number}: expected nothing after the footer")
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                break  # the last line of a run that was cut off
            raise RunFileError(f"{path}:{number}: expected one JSON object on this line") from None
        footer = _take(path, number, record, evidence)
        if footer is not None and record.get("sha256") != digest_of(lines[: number - 1]):
            raise RunFileError(f"{path}:{number}: expected the lines that the run wrote; they were changed afterwards")
    return Run(header=header, evidence=tuple(evidence), complete=footer == len(evidence))


def _take(path: Path, number: int, record: Any, evidence: list[Evidence]) -> int | None:
    kind = record.get("kind") if isinstance(record, dict) else None
    try:
        if kind == "footer":
            return int(record["evidence"])
        if kind == "evidence":
            evidence.append(evidence_from(record))
            return None
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise RunFileError(f"{path}:{number}: expected {kind} of {FORMAT}; {type(error).__name__}: {error}") from error
    raise RunFileError(f"{path}:{number}: expected kind evidence or footer; got {kind!r}")


def _header(path: Path, line: str) -> Header:
    try:
        record = json.loads(line)
        if record["format"] != FORMAT or record["kind"] != "header":
            raise ValueError(f"format is {record['format']!r}")
        adapters = tuple(_adapter(a) for a in record["adapters"])
        attempts = tuple(
            AttemptRecord(**{**a, "references": tuple(a["references"]), "phases": tuple(a["phases"])})
            for a in record["attempts"]
        )
        rest = {k: v for k, v in record.items() if k not in ("kind", "format", "adapters", "attempts")}
        return Header(adapters=adapters, attempts=attempts, **rest)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RunFileError(f"{path}:1: expected the header of a {FORMAT} file; {type(error).__name__}: {error}") from error


def _adapter(record: Mapping[str, Any]) -> AdapterRecord:
    coverage = {
        kind: CoverageStatement(level=c["level"], why=c["why"], left_out=tuple(c["left_out"]))
        for kind, c in record["coverage"].items()
    }
    return AdapterRecord(**{**record, "coverage": coverage})


def write_run(path: Path, header: Header, evidence: Iterable[Evidence]) -> None:
    """Write a whole run at once (tests and merges; a live run is appended line by line)."""
    items = list(evidence)
    lines = [header_line(header), *(evidence_line(e) for e in items)]
    lines.append(footer_line(len(items), digest_of(lines)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _dump(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
