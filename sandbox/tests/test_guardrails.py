"""Effect classes, decisions, and what holds without any rule."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest

from sandbox.guardrails.decide import Decide, Decision, Verdict, default_decision, settle, strictest
from sandbox.guardrails.effects import ASKED_BY_DEFAULT, DENIED_READ_ONLY, EffectClass
from sandbox.spec import Mode

ASK = "file-delete git-push pr-create pr-publish vendor-sync-write".split()
READ_ONLY = (
    "file-delete file-write-outside-worktree git-commit git-push pr-create pr-publish vendor-sync-write package-install "
    "workspace-mutation process-spawn enclosure-control"
).split()


def test_thirteen_classes_in_kebab_case() -> None:
    assert len(EffectClass) == 13
    assert all(effect.value == effect.name.lower().replace("_", "-") for effect in EffectClass)
    assert sorted(ASKED_BY_DEFAULT) == sorted(ASK)
    assert sorted(DENIED_READ_ONLY) == sorted(READ_ONLY)


@pytest.mark.parametrize(("mode", "effect"), list(itertools.product(Mode, EffectClass)))
def test_defaults(mode: Mode, effect: EffectClass) -> None:
    verdict = default_decision(effect, mode)
    if mode is not Mode.CHAT and effect in READ_ONLY:
        expected, rule = Decision.DENY, f"mode:{mode}"
    else:
        expected, rule = (Decision.ASK if effect in ASK else Decision.ALLOW), f"default:{effect}"
    assert (verdict.decision, verdict.rule) == (expected, rule)
    assert effect.value in verdict.why


def test_the_strictest_wins_and_nobody_is_not_an_allow() -> None:
    for some in itertools.product(Decision, repeat=3):
        expected = next(d for d in (Decision.DENY, Decision.ASK, Decision.ALLOW) if d in some)
        assert strictest(some) is expected
    with pytest.raises(ValueError, match=r".+"):
        strictest([])


@pytest.mark.parametrize("decision", list(Decision))
@pytest.mark.parametrize("connected", [True, False])
def test_no_approver_is_a_deny(decision: Decision, connected: bool) -> None:
    verdict = Verdict(decision=decision, rule="r", why="w")
    settled = settle(verdict, approver_connected=connected)
    if decision is Decision.ASK and not connected:
        assert settled.decision is Decision.DENY
        assert settled.rule == "r"
        assert "no approver" in settled.why
    else:
        assert settled == verdict


def test_the_interface_can_be_filled_in() -> None:
    def by_default(effects: frozenset[EffectClass], mode: Mode, values: Mapping[str, tuple[str, ...]]) -> Verdict:
        return max((default_decision(effect, mode) for effect in effects), key=lambda verdict: verdict.decision.strictness)

    decide: Decide = by_default
    assert decide(frozenset((EffectClass.GIT_COMMIT, EffectClass.GIT_PUSH)), Mode.CHAT, {}).decision is Decision.ASK
