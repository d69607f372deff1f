"""Claims of a reference backend, generated from its coverage, so that it cannot claim by hand."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.core.runfile import CoverageStatement
from matrices.claims.model import Claim, ClaimTable
from matrices.claims.words import ClaimSource, ClaimWord
from matrices.errors import InputError, near
from sandbox.policy.rules import RuleKind

# A partial statement claims everything that it does not name as left out.
_WORD = {
    "enforced": ClaimWord.ENFORCED,
    "partial": ClaimWord.ENFORCED,
    "cannot": ClaimWord.REFUSES,
    "none": ClaimWord.NOT_ENFORCED,
}


def generate(coverage: Mapping[str, CoverageStatement]) -> ClaimTable:
    """Raises InputError for an unknown rule kind or level."""
    return ClaimTable(claims={_kind(kind): _claim(kind, statement) for kind, statement in coverage.items()})


def _kind(kind: str) -> RuleKind:
    if kind not in tuple(RuleKind):
        raise InputError(f"coverage: expected a rule kind; got {kind!r}{near(kind, RuleKind)}")
    return RuleKind(kind)


def _claim(kind: str, statement: CoverageStatement) -> Claim:
    if statement.level not in _WORD:
        raise InputError(f"coverage of {kind}: expected level {', '.join(_WORD)}; got {statement.level!r}")
    return Claim(
        word=_WORD[statement.level],
        source=ClaimSource.GENERATED,
        left_out=statement.left_out,
        why=statement.why,
    )
