"""A pytest plugin: a test fails on dishonesty, not on escape. What is merely unproven fails no test; `sandproof gate`
reports it."""

from __future__ import annotations

import pytest

from conformance.core.evidence import Evidence
from conformance.core.runfile import AdapterRecord
from conformance.core.words import Observed
from matrices.claims.honesty import honesty
from matrices.claims.of_record import claims_of
from matrices.claims.words import ClaimWord, Honesty
from matrices.errors import InputError


# Optional, so that this plugin may be installed where the one that declares the hook is not loaded.
@pytest.hookimpl(optionalhook=True)
def pytest_sandproof_evidence(evidence: Evidence, record: AdapterRecord) -> str | None:
    """Why the test of this cell must fail, or None."""
    try:
        claim = claims_of(record).of(evidence.rule.partition(":")[0], evidence.rule)
    except InputError as error:
        return str(error)
    verdict = evidence.verdict
    if verdict.observed is not Observed.ESCAPED:
        return None
    if claim.gates and honesty(claim.word, verdict.observed, verdict.reason) is Honesty.OVERCLAIMS:
        claimed = f"it claims {claim.word} ({claim.source}) for {evidence.rule}"
        return f"{evidence.adapter} overclaims: {claimed}; {evidence.saw}"
    if record.reference and claim.word is not ClaimWord.NOT_ENFORCED:
        return f"{evidence.adapter} is a reference backend and let {evidence.rule or 'this'} escape: {evidence.saw}"
    return None
