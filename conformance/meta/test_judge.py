"""The judge is total and monotone: nothing that is lost makes a word better, and no landing does."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from conformance.core.evidence import Facts, Verdict
from conformance.core.judge import judge
from conformance.core.words import WORD_OF, Grade, Observed, Reason
from conformance.meta.strategies import GOOD, facts

PROVEN = (Observed.ENFORCED, Observed.WORKS)


def rank(verdict: Verdict) -> int:
    """2: something good is proven; 0: something bad is proven; 1: nothing is proven."""
    if verdict.observed in PROVEN:
        return 2
    return 0 if verdict.observed is Observed.ESCAPED else 1


LOSSES = (
    *(((name, False),) for name in "any_beacon ready twin_acted twin_landed phases_done".split()),
    (("acted", False), ("killed", False)),
    (("control_landed", False),),
    (("control_landed", None),),
    (("deadline", True),),
)


def lose(seen: Facts, loss: tuple[tuple[str, bool | None], ...]) -> Facts:
    return replace(seen, **dict(loss))  # type: ignore[arg-type]


def test_every_reason_belongs_to_one_word() -> None:
    assert set(WORD_OF) == set(Reason)
    assert set(WORD_OF.values()) == set(Observed)
    assert len({reason.value for reason in Reason}) == len(Reason)


@given(facts())
def test_every_combination_of_facts_has_a_word(seen: Facts) -> None:
    verdict = judge(seen)
    assert verdict.observed is WORD_OF[verdict.reason]


@given(facts(), st.sampled_from(LOSSES))
def test_losing_evidence_never_improves_a_word(seen: Facts, loss: tuple[tuple[str, bool | None], ...]) -> None:
    assert rank(judge(lose(seen, loss))) <= rank(judge(seen))


@given(facts(), st.sampled_from([grade for grade in Grade if not grade.proves]))
def test_a_lost_grade_proves_nothing(seen: Facts, grade: Grade) -> None:
    assert rank(judge(replace(seen, grade=grade))) <= max(1, rank(judge(seen)))
    assert judge(replace(seen, grade=grade)).observed not in (*PROVEN, Observed.ESCAPED)


@given(facts())
def test_another_landing_never_improves_a_word(seen: Facts) -> None:
    seen = replace(seen, work=False, shots=seen.shots + 1)
    more = judge(replace(seen, landed=seen.landed + 1))
    assert rank(more) <= rank(judge(seen))
    assert more.observed not in PROVEN


@given(facts(), st.sampled_from([grade for grade in Grade if grade.proves]))
def test_a_landing_is_an_escape_whatever_else_is_missing(seen: Facts, grade: Grade) -> None:
    landed = replace(seen, work=False, applicable=True, grade=grade, landed=max(1, seen.landed))
    assert judge(landed).observed is Observed.ESCAPED


@given(facts())
def test_words_of_one_kind_of_attempt_are_not_given_to_the_other(seen: Facts) -> None:
    other = (Observed.ESCAPED, Observed.ENFORCED) if seen.work else (Observed.WORKS, Observed.FALSE_DENIAL)
    assert judge(seen).observed not in other


def test_each_single_loss_costs_the_good_word() -> None:
    """So that none of the properties above holds for want of a good cell to lose."""
    for word, seen in ((Observed.ENFORCED, GOOD), (Observed.WORKS, replace(GOOD, work=True, landed=1))):
        assert judge(seen).observed is word
        for loss in LOSSES:
            assert judge(lose(seen, loss)).observed is not word, loss
        for grade in Grade:
            assert (judge(replace(seen, grade=grade)).observed is word) == grade.proves


def test_k_of_n() -> None:
    assert judge(replace(GOOD, shots=10, landed=1)).reason is Reason.LANDED_SOMETIMES
    assert judge(replace(GOOD, shots=10, landed=10)).reason is Reason.LANDED
    assert judge(replace(GOOD, work=True, shots=10, landed=9)).observed is Observed.FALSE_DENIAL


def test_death_by_the_policys_own_signal_counts_as_acted() -> None:
    assert judge(replace(GOOD, acted=False, killed=True)).reason is Reason.KILLED_BY_POLICY
    assert judge(replace(GOOD, acted=False, killed=False)).reason is Reason.NO_ACTED_BEACON
