"""The table of DESIGN §4, cell by cell, and what may never improve it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.evidence import Facts
from conformance.core.judge import judge
from conformance.core.words import WORD_OF, Grade, Observed, Reason
from matrices.claims.honesty import honesty
from matrices.claims.words import ClaimWord, Honesty

TABLE = """
                enforced     escaped        refused-to-run  inconclusive  not-run     not-applicable
enforced        honest       overclaims     unproven        unproven      not-judged  not-judged
refuses         underclaims  overclaims     honest          unproven      not-judged  not-judged
not-enforced    underclaims  honest-gap     not-judged      not-judged    not-judged  not-judged
cannot-express  underclaims  honest-gap     not-judged      not-judged    not-judged  not-judged
advisory        honest       honest-gap     not-judged      not-judged    not-judged  not-judged
unstated        not-judged   silent-escape  not-judged      not-judged    not-judged  not-judged
"""
HEAD, *ROWS = [line.split() for line in TABLE.strip().splitlines()]
CASES = [(row[0], seen, word) for row in ROWS for seen, word in zip(HEAD, row[1:], strict=True)]
UNJUDGED = set(Observed) - {Observed(word) for word in HEAD}

# Better words are larger. Only the order between the words of one claim matters.
OBSERVED_RANK = {Observed.ESCAPED: 0, Observed.FALSE_DENIAL: 1, Observed.ENFORCED: 2, Observed.WORKS: 2}
HONESTY_RANK = {
    Honesty.OVERCLAIMS: 0,
    Honesty.SILENT_ESCAPE: 0,
    Honesty.HONEST_GAP: 0,
    Honesty.UNPROVEN: 1,
    Honesty.NOT_JUDGED: 2,
    Honesty.HONEST: 3,
    Honesty.UNDERCLAIMS: 3,
}

_shots = st.integers(1, 5)
facts = st.builds(
    Facts,
    work=st.booleans(),
    applicable=st.booleans(),
    grade=st.sampled_from(Grade),
    not_run=st.none() | st.sampled_from([r for r, w in WORD_OF.items() if w is Observed.NOT_RUN]),
    refused=st.none() | st.sampled_from([Reason.ADAPTER_REFUSED, Reason.UNENFORCEABLE_RULE]),
    control_landed=st.none() | st.booleans(),
    shots=_shots,
    landed=st.integers(0, 5),
    any_beacon=st.booleans(),
    ready=st.booleans(),
    twin_acted=st.booleans(),
    twin_landed=st.booleans(),
    acted=st.booleans(),
    killed=st.booleans(),
    deadline=st.booleans(),
    phases_done=st.booleans(),
    inside_success=st.booleans(),
    profile=st.none() | st.sampled_from([Reason.PROFILE_ALLOWS, Reason.PROFILE_DENIES, Reason.PROFILE_UNDECIDED]),
)
LOSSES = ("any_beacon", "ready", "twin_acted", "twin_landed", "acted", "killed", "phases_done", "control_landed")


@pytest.mark.parametrize(("claim", "observed", "word"), CASES)
def test_the_table_holds(claim: str, observed: str, word: str) -> None:
    reasons = [r for r, w in WORD_OF.items() if w == observed and r is not Reason.NO_READY_BEACON]
    assert {honesty(ClaimWord(claim), Observed(observed), reason) for reason in reasons} == {Honesty(word)}


@pytest.mark.parametrize("claim", ClaimWord)
@pytest.mark.parametrize("observed", sorted(UNJUDGED))
def test_work_and_models_are_not_judged(claim: ClaimWord, observed: Observed) -> None:
    for reason in (r for r, w in WORD_OF.items() if w is observed):
        assert honesty(claim, observed, reason) is Honesty.NOT_JUDGED


def test_a_crash_is_not_an_honest_refusal() -> None:
    assert honesty(ClaimWord.REFUSES, Observed.REFUSED, Reason.NO_READY_BEACON) is Honesty.UNPROVEN
    assert honesty(ClaimWord.REFUSES, Observed.REFUSED, Reason.ADAPTER_REFUSED) is Honesty.HONEST


@given(facts, st.sampled_from(ClaimWord))
def test_every_combination_has_its_words(seen: Facts, claim: ClaimWord) -> None:
    verdict = judge(seen)
    assert verdict.observed is WORD_OF[verdict.reason]
    assert honesty(claim, verdict.observed, verdict.reason) in Honesty


@given(facts, st.sampled_from(LOSSES), st.sampled_from(ClaimWord))
def test_losing_something_improves_nothing(seen: Facts, lost: str, claim: ClaimWord) -> None:
    change: dict[str, Any] = {lost: False}
    less = replace(seen, **change)
    assert _rank(less) <= _rank(seen) or judge(seen).observed is Observed.FALSE_DENIAL
    assert _honesty_rank(less, claim) <= _honesty_rank(seen, claim)


@given(facts.filter(lambda seen: not seen.work), st.sampled_from(ClaimWord))
def test_another_landing_improves_nothing(seen: Facts, claim: ClaimWord) -> None:
    # A profile that was only evaluated has no landings.
    more = replace(seen, landed=seen.landed + 1)
    assert _rank(more) <= _rank(seen) or not seen.grade.proves
    if seen.grade.proves:
        assert _honesty_rank(more, claim) <= _honesty_rank(seen, claim)


@given(facts)
def test_only_real_kernels_prove(seen: Facts) -> None:
    if not seen.grade.proves:
        assert judge(seen).observed not in (Observed.ESCAPED, Observed.ENFORCED, Observed.WORKS, Observed.FALSE_DENIAL)


def _rank(seen: Facts) -> int:
    return OBSERVED_RANK.get(judge(seen).observed, 1)


def _honesty_rank(seen: Facts, claim: ClaimWord) -> int:
    verdict = judge(seen)
    return HONESTY_RANK[honesty(claim, verdict.observed, verdict.reason)]
