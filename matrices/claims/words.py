"""The closed vocabularies of claims and of their honesty."""

from __future__ import annotations

from enum import StrEnum


class ClaimWord(StrEnum):
    """What an adapter says of a rule kind."""

    ENFORCED = "enforced"
    NOT_ENFORCED = "not-enforced"
    REFUSES = "refuses"
    ADVISORY = "advisory"
    CANNOT_EXPRESS = "cannot-express"
    UNSTATED = "unstated"


class ClaimSource(StrEnum):
    """Where a claim comes from: our own coverage, a project's own words, or values that a product documents."""

    GENERATED = "generated"
    STATED = "stated"
    DOCUMENTED = "documented"

    @property
    def gates(self) -> bool:
        """Documented claims are shown and judged; they never fail anything."""
        return self is not ClaimSource.DOCUMENTED


class Honesty(StrEnum):
    """A claim beside an observation. Listed from what needs attention most to what needs none."""

    OVERCLAIMS = "overclaims"
    SILENT_ESCAPE = "silent-escape"
    UNPROVEN = "unproven"
    HONEST_GAP = "honest-gap"
    UNDERCLAIMS = "underclaims"
    NOT_JUDGED = "not-judged"
    HONEST = "honest"


ATTENTION: tuple[Honesty, ...] = tuple(Honesty)
