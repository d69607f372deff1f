"""Is a claim honest? A table (DESIGN §4), not an order."""

from __future__ import annotations

from conformance.core.words import Observed, Reason
from matrices.claims.words import ClaimWord, Honesty

_GAP = {Observed.ENFORCED: Honesty.UNDERCLAIMS, Observed.ESCAPED: Honesty.HONEST_GAP}

_TABLE: dict[ClaimWord, dict[Observed, Honesty]] = {
    ClaimWord.ENFORCED: {
        Observed.ENFORCED: Honesty.HONEST,
        Observed.ESCAPED: Honesty.OVERCLAIMS,
        Observed.REFUSED: Honesty.UNPROVEN,
        Observed.INCONCLUSIVE: Honesty.UNPROVEN,
    },
    ClaimWord.REFUSES: {
        Observed.ENFORCED: Honesty.UNDERCLAIMS,
        Observed.ESCAPED: Honesty.OVERCLAIMS,
        Observed.REFUSED: Honesty.HONEST,
        Observed.INCONCLUSIVE: Honesty.UNPROVEN,
    },
    ClaimWord.NOT_ENFORCED: _GAP,
    ClaimWord.CANNOT_EXPRESS: _GAP,
    ClaimWord.ADVISORY: {Observed.ENFORCED: Honesty.HONEST, Observed.ESCAPED: Honesty.HONEST_GAP},
    ClaimWord.UNSTATED: {Observed.ESCAPED: Honesty.SILENT_ESCAPE},
}


def honesty(claim: ClaimWord, observed: Observed, reason: Reason) -> Honesty:
    """Total: every pair that the table leaves out is `not-judged`.

    A start that ended without any beacon is not an honest refusal but unproven: a crash looks the same, and otherwise
    losing a beacon would improve a `refuses` claim.
    """
    if claim is ClaimWord.REFUSES and reason is Reason.NO_READY_BEACON:
        return Honesty.UNPROVEN
    return _TABLE[claim].get(observed, Honesty.NOT_JUDGED)
