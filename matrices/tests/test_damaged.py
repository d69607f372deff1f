"""Run files with anything in any place: either they are refused in one line, or every page can still be made of them."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.core.runfile import CoverageStatement, evidence_line, header_line, write_run
from matrices.build import columnar, explain, markdown, terminal, tsv, webpage
from matrices.build.expected import Expected
from matrices.build.gate import findings
from matrices.build.load import load_runs
from matrices.build.merge import merge
from matrices.cli import main
from matrices.errors import InputError
from matrices.tests.make import honest_run, with_text
from matrices.validate import check_types

HUGE = 10**400
NESTED: Any = []
for _ in range(200):
    NESTED = [NESTED]
VALUES: dict[str, Any] = {
    "null": None,
    "number": 5,
    "negative": -1,
    "huge-number": HUGE,
    "fraction": 0.5,
    "not-a-number": math.nan,
    "infinite": math.inf,
    "true": True,
    "text": "x",
    "empty": "",
    "digits": "9" * 5000,
    "long": "a\u202e|" * 10_000,
    "half-a-pair": "\ud800",
    "markup": "<script>|`\x1b[31m\n",
    "list": [1],
    "no-list": [],
    "table": {"a": 1},
    "no-table": {},
    "deep": NESTED,
}
EXPECTED = Expected(hosts=("linux/root", "macos/user"), enforced={"native": ("*",)})


def records() -> list[dict[str, Any]]:
    """The lines of a small run, with something in every field."""
    made = honest_run().run
    claims = {"*": {"claim": "enforced", "quote": "q", "why": "w", "except": ["fs.read-deny:$OUT/x"], "versions": ">=0.8"}}
    coverage = {"fs.confine": CoverageStatement(level="partial", why="w", left_out=("fs.confine:$OUT/y",))}
    none, native, naive = made.header.adapters
    adapters = (replace(naive, claims=claims), replace(native, coverage=coverage), none)
    cells = sorted(made.evidence, key=lambda item: item.adapter != "naive")
    cells[0] = replace(with_text(cells[0], "t"), rule="fs.write-deny:$OUT/x", policy=("fs.confine",), collateral=True)
    lines = [header_line(replace(made.header, adapters=adapters)), *map(evidence_line, cells)]
    return [json.loads(line) for line in lines]


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every leaf and branch, of lists the first item only."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))


RECORDS = records()
PLACES = [(line, *path) for line in (0, 1) for path in places(RECORDS[line])]


def changed(lines: list[dict[str, Any]], place: tuple[str | int, ...], value: Any) -> list[dict[str, Any]]:
    number = int(place[0])
    made = list(lines)
    made[number] = branch = copy.deepcopy(lines[number])
    for step in place[1:-1]:
        branch = branch[step]  # type: ignore[index]
    if value is changed:  # no value: the key or item goes
        del branch[place[-1]]  # type: ignore[arg-type]
    else:
        branch[place[-1]] = value  # type: ignore[index]
    return made


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    """Without a footer: this is a run that was cut off, and no digest speaks against the change."""
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def use(path: Path) -> str:
    """Everything that is made of a run file. "" or the one error; anything else that is raised goes through."""
    try:
        matrix = merge(load_runs([path]), EXPECTED)
    except InputError as error:
        return str(error)
    findings(matrix, EXPECTED)
    pages = [terminal.render(matrix, 100), terminal.render(matrix, 40), markdown.render(matrix), webpage.render(matrix)]
    pages += [*tsv.lines(matrix), *(line for cell in matrix.cells for line in explain.lines(cell))]
    assert all(page.encode() for page in pages if page)
    document, evidence = columnar.render(matrix, "e.jsonl")
    for text in (document, *evidence.splitlines()):
        json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    return ""


def test_the_undamaged_file_is_used(tmp_path: Path) -> None:
    assert use(write_lines(tmp_path / "run.jsonl", RECORDS)) == ""


@pytest.mark.parametrize("name", VALUES)
def test_any_value_in_any_place(tmp_path: Path, name: str) -> None:
    refused = 0
    for place in PLACES:
        told = use(write_lines(tmp_path / "run.jsonl", changed(RECORDS, place, VALUES[name])))
        assert not told or "run.jsonl" in told, place
        refused += bool(told)
    assert refused > len(PLACES) // 4


def test_any_key_removed_or_added(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    for place in PLACES:
        use(write_lines(path, changed(RECORDS, place, changed)))
        for value in ("x", [1]):
            use(write_lines(path, changed(RECORDS, (*place[:-1], "new") if isinstance(place[-1], str) else place, value)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(sorted(VALUES))), min_size=2, max_size=4))
def test_several_values_at_once(tmp_path: Path, changes: list[tuple[tuple[str | int, ...], str]]) -> None:
    lines = RECORDS
    for place, name in changes:
        try:
            lines = changed(lines, place, VALUES[name])
        except (KeyError, TypeError, IndexError):
            continue  # an earlier change took the branch away
    use(write_lines(tmp_path / "run.jsonl", lines))


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_any_footer(tmp_path: Path, value: Any) -> None:
    made = honest_run().run
    path = tmp_path / "run.jsonl"
    write_run(path, made.header, made.evidence)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for key in (*lines[-1], "new"):
        use(write_lines(path, changed(lines, (len(lines) - 1, key), value)))
    use(write_lines(path, [*lines[:-1], value]))


@pytest.mark.parametrize("command", ["matrix", "gate", "explain", "merge", "diff"])
def test_a_command_says_it_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    path = str(write_lines(tmp_path / "run.jsonl", changed(RECORDS, (1, "facts", "landed"), [])))
    rest = {
        "explain": ["naive", "linux/root", "fs.write.rename", "--run", path],
        "merge": [path, "-o", "m.json"],
        "diff": [path, path],
    }
    assert main([command, *rest.get(command, [path])]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"sandproof {command}: {path}:2: evidence: facts.landed: expected a whole number from 0; got list\n"


def test_half_a_pair_reaches_every_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file name that is no text comes from a run as half a surrogate pair."""
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "run.jsonl", changed(RECORDS, (1, "saw"), "\udcff"))
    assert main(["matrix", "run.jsonl", "--html", "m.html", "--markdown", "m.md", "--json", "m.json"]) == 0
    assert "\\udcff" in (tmp_path / "m.md").read_text(encoding="utf-8")


def test_every_field_of_a_record_has_a_check() -> None:
    made = honest_run().run
    check_types("x", made.header)
    check_types("x", made.evidence[0])


def test_a_type_without_a_check_is_a_fault_of_ours() -> None:
    with pytest.raises(TypeError, match="add one"):
        check_types("x", {1, 2})
