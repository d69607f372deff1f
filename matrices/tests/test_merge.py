"""Merging: what is refused, and that no cell is ever missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.evidence import Verdict
from conformance.core.runfile import evidence_line, header_line, write_run
from conformance.core.words import Grade, Observed, Reason
from matrices.build.expected import Expected
from matrices.build.load import LoadedRun, check, load_runs
from matrices.build.merge import check_no_holes, merge
from matrices.build.model import Matrix
from matrices.claims.words import Honesty
from matrices.errors import InputError
from matrices.tests import make
from matrices.tests.make import GOOD, OPEN, column, honest_run, naive_record, native_record, none_record, run


def reasons(matrix: Matrix, adapter: str, host: str) -> set[Reason]:
    return {cell.reason for cell in matrix.cells if (cell.adapter, cell.host) == (adapter, host)}


def test_every_cell_exists() -> None:
    runs = [
        honest_run(),
        run(none_record(), evidence=column("none", OPEN, host="linux/user"), host="linux/user", name="user.jsonl"),
    ]
    matrix = merge(runs, Expected(hosts=("linux/root", "linux/user", "macos/user")))
    assert matrix.hosts == ("linux/root", "linux/user", "macos/user")
    assert len({cell.name for cell in matrix.cells}) == len(matrix.cells) == 3 * 3 * len(make.ATTEMPTS)
    assert reasons(matrix, "none", "linux/user") == {Reason.LANDED, Reason.WORK_LANDED}
    assert reasons(matrix, "native", "linux/user") == {Reason.DESELECTED}
    assert reasons(matrix, "native", "macos/user") == {Reason.HOST_MISSING}
    assert {cell.grade for cell in matrix.cells if cell.evidence is None} == {Grade.DECLARED}


def test_why_evidence_is_absent() -> None:
    left_out = (*GOOD[:-1], None)
    complete = merge([run(native_record(), evidence=column("native", left_out))])
    truncated = merge([run(native_record(), evidence=column("native", left_out), complete=False)])
    unavailable = merge([run(replace(native_record(), unavailable="no bwrap"), evidence=())])
    assert complete.cells[-1].reason is Reason.DESELECTED
    assert truncated.cells[-1].reason is Reason.RUN_TRUNCATED
    assert reasons(unavailable, "native", "linux/root") == {Reason.ADAPTER_UNAVAILABLE}


def test_the_order_of_files_does_not_matter() -> None:
    user = run(native_record(), evidence=column("native", GOOD, host="linux/user"), host="linux/user", name="user.jsonl")
    assert merge([honest_run(), user]) == merge([user, honest_run()])


def test_claims_are_judged_by_rule() -> None:
    record = replace(naive_record(), claims={"fs.*": {"claim": "enforced", "except": ["fs.write-deny:$OUT/x"]}})
    matrix = merge([run(record, evidence=column("naive", OPEN))])
    found = {cell.attempt.id: cell.honesty for cell in matrix.cells}
    assert found["fs.write.rename"] is Honesty.HONEST_GAP
    assert found["fs.write.direct"] is Honesty.OVERCLAIMS
    assert found["net.metadata"] is Honesty.SILENT_ESCAPE
    assert found["work.compile"] is Honesty.NOT_JUDGED


def test_different_suites_are_refused() -> None:
    other = run(none_record(), evidence=(), host="linux/user", suite="t" * 64, name="other.jsonl")
    with pytest.raises(InputError, match=r"other\.jsonl: expected suite s"):
        merge([honest_run(), other])


def test_duplicates_are_refused() -> None:
    with pytest.raises(InputError, match=r"b\.jsonl: native on linux/root is already in run\.jsonl"):
        merge([honest_run(), run(native_record(), evidence=column("native", GOOD), name="b.jsonl")])


def test_one_attempt_told_in_two_ways_is_refused() -> None:
    other = run(none_record(), evidence=(), host="linux/user", name="other.jsonl")
    attempts = (replace(make.ATTEMPTS[0], title="Another"), *make.ATTEMPTS[1:])
    changed = replace(other, run=replace(other.run, header=replace(other.run.header, attempts=attempts)))
    with pytest.raises(InputError, match="this header is foreign"):
        merge([honest_run(), changed])


def test_nothing_to_merge_is_refused() -> None:
    with pytest.raises(InputError, match="got none"):
        merge([])


def test_holes_are_refused() -> None:
    some = run(none_record(), evidence=(), host="linux/user", name="some.jsonl")
    fewer = replace(some, run=replace(some.run, header=replace(some.run.header, attempts=make.ATTEMPTS[1:])))
    with pytest.raises(InputError, match=r"some\.jsonl: expected the attempts of run\.jsonl"):
        check_no_holes([honest_run(), fewer])
    with pytest.raises(InputError, match="truncated"):
        check_no_holes([run(none_record(), evidence=(), complete=False)])


def test_the_newest_whole_run_wins() -> None:
    old = run(native_record(), evidence=column("native", OPEN), name="1", started="2026-01-01T00:00:00Z")
    whole = run(native_record(), evidence=column("native", GOOD), name="2", started="2026-01-02T00:00:00Z")
    few = run(native_record(), evidence=column("native", (*OPEN[:1], *[None] * 4)), name="3", started="2026-01-03T00:00:00Z")
    broken = run(native_record(), evidence=column("native", OPEN), name="4", started="2026-01-04T00:00:00Z", complete=False)
    matrix = merge([broken, few, whole, old], newest_wins=True)
    assert reasons(matrix, "native", "linux/root") == set(GOOD)
    assert [note.started for note in matrix.runs] == ["2026-01-02T00:00:00Z"]


def foreign(change: str) -> LoadedRun:
    good = honest_run()
    first = good.run.evidence[0]
    weak = replace(first, facts=replace(first.facts, grade=Grade.MODELLED))
    lines = {
        "attempt": replace(first, attempt="fs.other"),
        "adapter": replace(first, adapter="other"),
        "host": replace(first, host="macos/user"),
        "twice": good.run.evidence[1],
        "reason": replace(first, verdict=Verdict(observed=Observed.ENFORCED, reason=Reason.LANDED)),
        "grade": weak,
        "flipped": replace(first, verdict=Verdict(observed=Observed.ENFORCED, reason=Reason.NOTHING_LANDED)),
        "work": replace(first, facts=replace(first.facts, work=True)),
        "landings": replace(first, facts=replace(first.facts, landed=2)),
        "negative": replace(first, facts=replace(first.facts, landed=-1)),
        "rule": replace(first, rule="net.off"),
    }
    return replace(good, run=replace(good.run, evidence=(lines[change], *good.run.evidence[1:])))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("attempt", "foreign"),
        ("adapter", "foreign"),
        ("host", "a run file has one host"),
        ("twice", "stands twice"),
        ("reason", r"expected escaped \(landed\), which is what its facts mean; got enforced \(landed\)"),
        ("flipped", r"^run\.jsonl:2: evidence of none for fs\.write\.rename: expected escaped .* got enforced \(nothing-landed\)$"),
        ("grade", r"expected inconclusive \(weak-grade\)"),
        ("work", "expected facts.work False"),
        ("landings", "expected at most 1 landings"),
        ("negative", "facts.landed: expected a whole number from 0; got -1"),
        ("rule", "expected a rule of kind fs.write-deny"),
    ],
)
def test_runs_that_contradict_themselves_are_refused(change: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        check(foreign(change))


def test_headers_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(InputError, match="expected every adapter once"):
        check(run(none_record(), none_record(), evidence=()))
    with pytest.raises(InputError, match="host label"):
        check(run(none_record(), evidence=(), host="amiga"))


def test_files_come_back_as_they_were_written(tmp_path: Path) -> None:
    good = honest_run().run
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    write_run(whole, good.header, good.evidence)
    cut.write_text(f"{header_line(good.header)}\n{evidence_line(good.evidence[0])}\n", encoding="utf-8")
    loaded, truncated = load_runs([whole, cut])
    assert loaded.run == good
    assert not truncated.run.complete


@pytest.mark.parametrize("text", ["", "hello\n", "{}\n", '{"kind":"header","format":"other/1"}\n', "[1]\n", "\x00\xff"])
def test_foreign_files_are_one_clear_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError) as caught:
        load_runs([path])
    assert "expected" in str(caught.value)
    assert "\n" not in str(caught.value)
