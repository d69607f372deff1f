"""The gate's exit codes, the expectation file, and the plugin that fails dishonest tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.runfile import AdapterRecord, CoverageStatement
from conformance.core.words import Reason
from matrices.build.expected import NOTHING_EXPECTED, Expected, read_expected
from matrices.build.gate import SEVERITY, Finding, GateCode, exit_code, findings
from matrices.build.merge import merge
from matrices.errors import InputError
from matrices.pytest_gate import pytest_sandproof_evidence
from matrices.tests.make import GOOD, OPEN, column, evidence, honest_run, naive_record, native_record, none_record, run

ONE_GONE = (Reason.NO_ACTED_BEACON, *GOOD[1:])


def gate(
    record: AdapterRecord, reasons: tuple[Reason | None, ...], expected: Expected = NOTHING_EXPECTED, complete: bool = True
) -> tuple[Finding, ...]:
    made = run(record, evidence=column(record.variant, reasons), complete=complete)
    return findings(merge([made]), expected)


def claiming(claim: object) -> AdapterRecord:
    return replace(naive_record(), claims={"*": claim})


def test_an_honest_run_is_clean() -> None:
    assert exit_code(findings(merge([honest_run()]), NOTHING_EXPECTED)) == 0


def test_none_is_green_because_it_claims_nothing() -> None:
    assert gate(none_record(), OPEN) == ()


@pytest.mark.parametrize(
    ("record", "reasons", "code"),
    [
        (native_record(), (Reason.LANDED, *GOOD[1:]), 12),
        (claiming("enforced"), (Reason.LANDED_SOMETIMES, *GOOD[1:]), 10),
        (claiming("refuses"), OPEN, 10),
        (claiming({"claim": "enforced", "source": "documented"}), OPEN, 0),
        (claiming("advisory"), OPEN, 0),
        (native_record(), (*GOOD[:-1], Reason.WORK_DID_NOT_LAND), 13),
        (naive_record(), (*GOOD[:-1], Reason.WORK_DID_NOT_LAND), 0),
        (native_record(), ONE_GONE, 11),
        (claiming("enforced"), ONE_GONE, 11),
        (claiming("refuses"), (Reason.NO_READY_BEACON, *[Reason.ADAPTER_REFUSED] * 3, Reason.WORK_LANDED), 11),
        (naive_record(), ONE_GONE, 0),
        (native_record(), (Reason.CONTROL_DID_NOT_LAND, *GOOD[1:]), 0),
        (native_record(), (Reason.HARNESS_ERROR, *GOOD[1:]), 14),
        (replace(naive_record(), claims={}), OPEN, 0),
    ],
)
def test_exit_codes(record: AdapterRecord, reasons: tuple[Reason, ...], code: int) -> None:
    assert exit_code(gate(record, reasons)) == code


def test_a_reference_backend_may_not_even_escape_what_it_refuses_or_does_not_state() -> None:
    for coverage in ({}, {"fs.write-deny": CoverageStatement(level="cannot")}):
        found = gate(replace(native_record(), coverage=coverage), (Reason.LANDED, *GOOD[1:]))
        assert exit_code(found) == 12


def test_a_truncated_run_fails() -> None:
    assert exit_code(gate(native_record(), (*GOOD[:-1], None), complete=False)) == 15


def test_the_most_severe_wins_and_all_are_told() -> None:
    found = gate(native_record(), (Reason.LANDED, Reason.HARNESS_ERROR, *ONE_GONE[:1], *GOOD[3:]), complete=False)
    assert exit_code(found) == 12
    assert {finding.code for finding in found} == {
        GateCode.REFERENCE_ESCAPE,
        GateCode.OVERCLAIM,
        GateCode.UNPROVEN,
        GateCode.HARNESS_ERROR,
        GateCode.TRUNCATED,
    }
    assert [SEVERITY.index(f.code) for f in found] == sorted(SEVERITY.index(f.code) for f in found)


def test_silent_escapes_are_told_and_fail_nothing() -> None:
    found = gate(replace(naive_record(), claims={}), OPEN)
    assert [finding.code for finding in found] == [GateCode.NOTE] * 4
    assert "silent-escape" in found[0].what


def test_expected_cells_must_be_enforced() -> None:
    expected = Expected(enforced={"native": ("fs.*", "work.*")})
    assert exit_code(gate(native_record(), GOOD, expected)) == 0
    assert exit_code(gate(native_record(), (Reason.UNENFORCEABLE_RULE, *GOOD[1:]), expected)) == 16
    assert exit_code(gate(native_record(), (*GOOD[:-1], None), expected)) == 16


UNAVAILABLE = replace(native_record(), unavailable="no bwrap")
WANTED = Expected(where="expected.toml", hosts=("linux/root", "macos/user"), enforced={"native": ("fs.*",)})


def told(found: tuple[Finding, ...]) -> list[tuple[int, str]]:
    return [(int(finding.code), finding.where) for finding in found]


def test_an_expected_backend_that_could_be_used_nowhere_fails() -> None:
    none = run(none_record(), UNAVAILABLE, evidence=column("none", OPEN))
    found = findings(merge([none], WANTED), WANTED)
    assert told(found) == [(16, "native on linux/root"), (0, "macos/user")]
    assert found[0].what.endswith("it could be used on no host of these runs; unavailable: no bwrap")
    user = run(native_record(), evidence=column("native", GOOD, host="linux/user"), host="linux/user", name="user.jsonl")
    found = findings(merge([none, user], WANTED), WANTED)
    assert told(found) == [(0, "macos/user"), (0, "native on linux/root")]


def test_an_expected_backend_that_took_no_part_is_a_note() -> None:
    found = findings(merge([run(none_record(), evidence=column("none", OPEN))], WANTED), WANTED)
    assert told(found) == [(0, "macos/user"), (0, "native")]
    assert "took part in none of these runs" in found[1].what


def test_an_expected_backend_under_another_flag_fails() -> None:
    found = gate(replace(native_record(), reference=False), GOOD, WANTED)
    assert told(found)[0] == (16, "native on linux/root")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (UNAVAILABLE, None),
        (native_record(), None),
        (native_record(), Reason.NO_ISOLATED_NETWORK),
        (native_record(), Reason.OTHER_HOST),
        (naive_record(), Reason.ADAPTER_REFUSED),
    ],
)
def test_where_nothing_was_executed_nothing_is_clean(record: AdapterRecord, reason: Reason | None) -> None:
    found = gate(record, (reason,) * 5)
    assert told(found) == [(16, "linux/root")]
    assert "not one cell was executed" in found[0].what


def test_a_run_of_no_adapter_is_not_clean() -> None:
    assert exit_code(findings(merge([run(evidence=())]), NOTHING_EXPECTED)) == 16


def test_each_host_must_have_executed_something() -> None:
    idle = run(UNAVAILABLE, evidence=(), host="linux/user", name="user.jsonl")
    assert told(findings(merge([honest_run(), idle]), NOTHING_EXPECTED)) == [(16, "linux/user")]


def test_refusing_everything_passes_nothing() -> None:
    refusing = replace(native_record(), coverage={kind: CoverageStatement(level="cannot") for kind in native_record().coverage})
    assert exit_code(gate(refusing, (Reason.UNENFORCEABLE_RULE,) * 5, Expected(enforced={"native": ("*",)}))) == 16


def test_exceptions_are_listed_with_reasons() -> None:
    expected = Expected(
        enforced={"native": ("*",)},
        not_enforced={"native": {"fs.write.*": "refused", "work.*": "see below"}},
        false_denials={"native": {"work.compile": "scratch is private"}},
    )
    reasons = (*[Reason.UNENFORCEABLE_RULE] * 2, *GOOD[2:4], Reason.WORK_DID_NOT_LAND)
    refusing = replace(native_record(), coverage={})
    assert exit_code(gate(refusing, reasons, expected)) == 0


def test_a_misspelt_expectation_fails() -> None:
    found = gate(native_record(), GOOD, Expected(enforced={"native": ("fs.write.renam",)}))
    assert exit_code(found) == 16
    assert "near matches: fs.write.rename" in found[0].what


def test_the_example_of_expectations_reads() -> None:
    expected = read_expected(Path(__file__).parent / "data" / "expected.toml")
    assert expected.hosts == ("linux/root", "linux/user", "macos/user", "windows/user")
    assert expected.must_be_enforced("native", "fs.write.direct")
    assert not expected.must_be_enforced("native", "fs.alias.hardlink")
    assert not expected.must_be_enforced("none", "fs.write.direct")
    assert expected.accepts_denial("native", "work.compile")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("hots = []", "near matches: hosts"),
        ('hosts = "linux/root"', "expected an array"),
        ('hosts = ["amiga"]', "host label"),
        ("enforced = 1", "expected a table"),
        ('enforced.native = "fs.*"', "expected an array"),
        ('false-denials.native = ["x"]', "with a reason each"),
        ('false-denials.native.x = ""', "with a reason each"),
        ("hosts = [", "expected a readable TOML file"),
    ],
)
def test_bad_expectations_are_one_clear_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "expected.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_expected(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("record", "reason", "told"),
    [
        (claiming("enforced"), Reason.LANDED, "overclaims"),
        (claiming("refuses"), Reason.LANDED_SOMETIMES, "overclaims"),
        (native_record(), Reason.LANDED, "overclaims"),
        (replace(native_record(), coverage={}), Reason.LANDED, "is a reference backend"),
        (claiming({"claim": "enforced", "source": "documented"}), Reason.LANDED, None),
        (none_record(), Reason.LANDED, None),
        (naive_record(), Reason.LANDED, None),
        (replace(naive_record(), claims={}), Reason.LANDED, None),
        (claiming("enforced"), Reason.NO_ACTED_BEACON, None),
        (claiming("enforced"), Reason.NOTHING_LANDED, None),
        (claiming("nonsense"), Reason.NOTHING_LANDED, "expected claim"),
    ],
)
def test_a_test_fails_on_dishonesty_not_on_escape(record: AdapterRecord, reason: Reason, told: str | None) -> None:
    seen = evidence(record.variant, "fs.write.rename", reason, rule="fs.write-deny:$WORK/x")
    failure = pytest_sandproof_evidence(evidence=seen, record=record)
    assert (failure is None) if told is None else (told in (failure or ""))


def test_an_adapter_that_never_started_is_not_clean_beside_one_that_did() -> None:
    missing = replace(claiming("enforced"), unavailable="m is not on PATH")
    both = run(none_record(), missing, evidence=column("none", OPEN))
    found = findings(merge([both]), NOTHING_EXPECTED)
    assert told(found) == [(16, "naive|linux/root")]
    assert found[0].what == "none of its cells was executed: unavailable: m is not on PATH"
    elsewhere = run(claiming("enforced"), evidence=column("naive", GOOD, host="linux/user"), host="linux/user", name="user.jsonl")
    found = findings(merge([both, elsewhere]), NOTHING_EXPECTED)
    assert told(found) == [(0, "naive|linux/root")]
    assert "on another host of these runs some were" in found[0].what


@pytest.mark.parametrize(
    ("claim", "reason", "code"),
    [
        ("enforced", Reason.ADAPTER_REFUSED, 16),
        ("refuses", Reason.ADAPTER_REFUSED, 0),
        ("not-enforced", Reason.ADAPTER_REFUSED, 0),
        ({"claim": "enforced", "source": "documented"}, Reason.ADAPTER_REFUSED, 0),
        ("enforced", Reason.NO_ISOLATED_NETWORK, 16),
    ],
)
def test_what_counts_as_never_started(claim: object, reason: Reason, code: int) -> None:
    cells = [*column("none", OPEN), *column("naive", (reason,) * 5)]
    assert exit_code(findings(merge([run(none_record(), claiming(claim), evidence=cells)]), NOTHING_EXPECTED)) == code


def test_a_truncated_run_is_one_finding() -> None:
    expected = Expected(enforced={"native": ("*",)})
    assert told(gate(native_record(), (GOOD[0], None, None, None, None), expected, complete=False)) == [(15, "linux/root")]
    assert told(gate(native_record(), (None,) * 5, expected, complete=False)) == [(15, "linux/root")]
