"""From facts to a word. Total (every combination of facts has a word) and monotone (losing a beacon, a twin, a control or a grade
never improves the word; a further landing never does)."""

from __future__ import annotations

from collections.abc import Callable

from conformance.core.evidence import Facts, Verdict
from conformance.core.words import WORD_OF, Observed, Reason


def judge(facts: Facts) -> Verdict:
    reason = _reason(facts)
    return Verdict(observed=WORD_OF[reason], reason=reason)


def _reason(facts: Facts) -> Reason:
    if not facts.applicable:
        return Reason.OTHER_HOST
    if facts.landed and not facts.work:
        # A landing is a landing: no missing control, twin or beacon takes it back.
        return _landing(facts)
    for given, words in _GIVEN:
        reason = given(facts)
        if reason is not None:
            # A reason of another word is a fault of whoever gave it, and must not speak for the sandbox.
            return reason if WORD_OF[reason] in words else Reason.HARNESS_ERROR
    if not facts.any_beacon:
        return Reason.DEADLINE if facts.deadline else Reason.NO_READY_BEACON
    doubt = _doubt(facts)
    if doubt is not None:
        return doubt
    if facts.work:
        return Reason.WORK_LANDED if facts.landed == facts.shots else Reason.WORK_DID_NOT_LAND
    if facts.killed:
        return Reason.KILLED_BY_POLICY
    return Reason.SWALLOWED if facts.inside_success else Reason.NOTHING_LANDED


_GIVEN: tuple[tuple[Callable[[Facts], Reason | None], tuple[Observed, ...]], ...] = (
    (lambda facts: facts.profile, (Observed.MODELLED_ALLOW, Observed.MODELLED_DENY, Observed.MODELLED_UNKNOWN)),
    (lambda facts: facts.not_run, (Observed.NOT_RUN,)),
    (lambda facts: facts.refused, (Observed.REFUSED,)),
)


def _landing(facts: Facts) -> Reason:
    if not facts.grade.proves:
        return Reason.WEAK_GRADE
    return Reason.LANDED if facts.landed >= facts.shots else Reason.LANDED_SOMETIMES


def _doubt(facts: Facts) -> Reason | None:
    """The first thing that keeps "nothing landed" from meaning "it was stopped"."""
    doubts = (
        (not facts.control_landed, Reason.CONTROL_DID_NOT_LAND),
        (not facts.ready, Reason.NO_READY_IN_SOME),
        (facts.deadline, Reason.DEADLINE),
        (not facts.twin_acted, Reason.TWIN_DID_NOT_ACT),
        (not facts.twin_landed, Reason.TWIN_DID_NOT_LAND),
        (not (facts.acted or facts.killed), Reason.NO_ACTED_BEACON),
        (not facts.phases_done, Reason.PHASE_MISSING),
        (facts.elsewhere, Reason.WENT_ELSEWHERE),
        (not facts.grade.proves, Reason.WEAK_GRADE),
    )
    return next((reason for missing, reason in doubts if missing), None)
