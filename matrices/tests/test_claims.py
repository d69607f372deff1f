"""Claims: generated from coverage, read from TOML, and refused where they make no sense."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from conformance.core.runfile import CoverageStatement
from matrices.claims.generate import generate
from matrices.claims.load import load
from matrices.claims.model import UNSTATED, ClaimTable
from matrices.claims.of_record import claims_of
from matrices.claims.versions import in_range
from matrices.claims.words import ClaimSource, ClaimWord
from matrices.errors import InputError
from matrices.tests.make import naive_record, native_record, none_record
from sandbox.policy.rules import RuleKind


def toml(text: str, version: str = "") -> ClaimTable:
    return load(tomllib.loads(f"[claims]\n{text}")["claims"], version)


def test_coverage_becomes_claims() -> None:
    table = generate(
        {
            "fs.confine": CoverageStatement(level="enforced"),
            "fs.write-deny": CoverageStatement(level="partial", why="no lock", left_out=("fs.write-deny:$WORK/x",)),
            "fs.name-deny": CoverageStatement(level="cannot", why="no filter"),
            "net.off": CoverageStatement(level="none"),
        }
    )
    assert table.of("fs.confine").word is ClaimWord.ENFORCED
    assert table.of("fs.write-deny", "fs.write-deny:$WORK/y").word is ClaimWord.ENFORCED
    left_out = table.of("fs.write-deny", "fs.write-deny:$WORK/x")
    assert (left_out.word, left_out.source) == (ClaimWord.NOT_ENFORCED, ClaimSource.GENERATED)
    assert "no lock" in left_out.why
    assert table.of("fs.name-deny").word is ClaimWord.REFUSES
    assert table.of("net.off").word is ClaimWord.NOT_ENFORCED
    assert table.of("proc.tty") == UNSTATED
    assert table.of("") == UNSTATED


def test_none_claims_nothing_for_every_kind() -> None:
    table = claims_of(none_record())
    assert {table.of(kind).word for kind in RuleKind} == {ClaimWord.NOT_ENFORCED}


def test_the_more_specific_key_wins() -> None:
    table = toml('"*" = "cannot-express"\n"fs.*" = "not-enforced"\n"fs.confine" = "enforced"')
    assert table.of("fs.confine").word is ClaimWord.ENFORCED
    assert table.of("fs.read-deny").word is ClaimWord.NOT_ENFORCED
    assert table.of("net.off").word is ClaimWord.CANNOT_EXPRESS


def test_unquoted_keys_mean_the_same() -> None:
    assert toml('fs.confine = "enforced"') == toml('"fs.confine" = "enforced"')


def test_a_table_carries_quote_source_and_exceptions() -> None:
    table = toml('"fs.*" = { claim = "enforced", quote = "we do", source = "documented", except = ["fs.read-deny:$OUT"] }')
    claim = table.of("fs.read-deny")
    assert (claim.quote, claim.source, claim.gates) == ("we do", ClaimSource.DOCUMENTED, False)
    assert table.of("fs.read-deny", "fs.read-deny:$OUT").word is ClaimWord.NOT_ENFORCED
    assert table.of("fs.confine").left_out == ()


def test_versions_choose() -> None:
    text = '"net.off" = [{ claim = "enforced", versions = ">=2" }, { claim = "not-enforced", versions = "<2" }]'
    assert toml(text, "tool 2.1").of("net.off").word is ClaimWord.ENFORCED
    assert toml(text, "tool 1.9.3").of("net.off").word is ClaimWord.NOT_ENFORCED
    assert toml(text).of("net.off") == UNSTATED


@pytest.mark.parametrize(
    ("found", "text", "fits"),
    [
        ("bubblewrap 0.8.0", ">=0.8", True),
        ("0.8", "==0.8.0", True),
        ("0.10", ">0.9, <1", True),
        ("0.10", "!=0.10", False),
        ("", ">=0", False),
        ("9" * 5000, ">=0", False),
    ],
)
def test_version_ranges(found: str, text: str, fits: bool) -> None:
    assert in_range(found, text) is fits


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('"fs.write-deni" = "enforced"', "near matches: fs.write-deny"),
        ('"gs.*" = "enforced"', "expected a rule kind"),
        ('"net.off" = "enforce"', "near matches: enforced"),
        ('"net.off" = 3', "expected a claim word"),
        ('"net.off" = []', "expected a claim word"),
        ('"net.off" = { claim = "enforced", qoute = "x" }', "near matches: quote"),
        ('"net.off" = { quote = "x" }', "expected claim"),
        ('"net.off" = { claim = "enforced", quote = 1 }', "expected text for quote"),
        ('"net.off" = { claim = "enforced", source = "generated" }', "expected source stated or documented"),
        ('"net.off" = { claim = "enforced", except = ["fs.confine"] }', "expected rule ids of net.off"),
        ('"net.off" = { claim = "enforced", except = "net.off" }', "expected an array"),
        ('"env.*" = { claim = "enforced", except = ["env.clean:bogus"] }', "expected env.clean without a target"),
        ('"fs.*" = { claim = "enforced", except = ["fs.write-deny"] }', "expected fs.write-deny:TARGET"),
        ('"net.off" = { claim = "enforced", versions = "new" }', "expected comparisons"),
        ('"net.off" = ["enforced", "refuses"]', "expected one claim"),
        ('"net.off" = "enforced"\nnet.off = "refuses"', "expected one claim"),
        (
            '"net.off" = [{ claim = "enforced", versions = ">=1" }, { claim = "refuses", versions = ">=0.5" }]',
            "expected one claim",
        ),
    ],
)
def test_bad_claims_are_one_clear_line(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        toml(text, "2.0")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_same_said_twice_is_no_quarrel() -> None:
    assert toml('"net.off" = ["enforced", "enforced"]').of("net.off").word is ClaimWord.ENFORCED


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"claims": {"*": "enforced"}}, "expected no [claims]"),
        ({"coverage": {"net.on": CoverageStatement(level="enforced")}}, "near matches: net.off"),
        ({"coverage": {"net.off": CoverageStatement(level="much")}}, "expected level"),
    ],
)
def test_a_reference_backend_cannot_claim_by_hand(change: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as caught:
        claims_of(replace(native_record(), **change))
    assert str(caught.value).startswith("adapter native: ")
    assert told in str(caught.value)


def test_third_party_claims_are_stated() -> None:
    claim = claims_of(naive_record()).of("net.off")
    assert (claim.word, claim.source, claim.gates) == (ClaimWord.NOT_ENFORCED, ClaimSource.STATED, True)
