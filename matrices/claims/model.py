"""A claim, and the table of all claims of one adapter on one host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from matrices.claims.words import ClaimSource, ClaimWord


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What is said of one rule kind. `left_out` are rule ids that an `enforced` claim does not hold for; `quote` is the
    project's own sentence, `why` ours; `versions` the range it was said for. `source` is None where nothing was
    said."""

    word: ClaimWord
    source: ClaimSource | None = None
    left_out: tuple[str, ...] = ()
    quote: str = ""
    why: str = ""
    versions: str = ""

    @property
    def gates(self) -> bool:
        return self.source is not None and self.source.gates


UNSTATED = Claim(word=ClaimWord.UNSTATED)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimTable:
    """Kind → claim. A kind that is absent is unstated."""

    claims: Mapping[str, Claim] = field(default_factory=dict)

    def of(self, kind: str, rule: str = "") -> Claim:
        """The claim for a kind ("" for ordinary work, of which nothing is claimed), as it holds for one rule id."""
        claim = self.claims.get(kind, UNSTATED)
        if rule not in claim.left_out:
            return claim
        return Claim(
            word=ClaimWord.NOT_ENFORCED,
            source=claim.source,
            quote=claim.quote,
            why=f"{rule} is left out of the claim {claim.word}" + (f": {claim.why}" if claim.why else ""),
            versions=claim.versions,
        )
