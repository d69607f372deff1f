"""The answer to "may this run?". Rules by scope come in a later part; what holds without any rule is here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sandbox.guardrails.effects import ASKED_BY_DEFAULT, DENIED_READ_ONLY, EffectClass
from sandbox.spec import Mode


class Decision(StrEnum):
    """In order of strictness: allow < ask < deny."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"

    @property
    def strictness(self) -> int:
        return tuple(Decision).index(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """One answer, as it is recorded (allow too). `rule` names what decided, `why` is one sentence for a person."""

    decision: Decision
    rule: str
    why: str


class Decide(Protocol):
    """Decides before the call runs, never after. `values` are what the call touches (paths, refs, hosts, commands, counts), by the name
    of the constraint that they fall under. An error while deciding is a deny."""

    def __call__(self, effects: frozenset[EffectClass], mode: Mode, values: Mapping[str, tuple[str, ...]]) -> Verdict: ...


def strictest(decisions: Iterable[Decision]) -> Decision:
    """The strictest of some answers. Raises ValueError for none: nobody answered is not an allow."""
    return max(decisions, key=lambda decision: decision.strictness)


def default_decision(effect: EffectClass, mode: Mode) -> Verdict:
    """What holds where no rule matches: a read-only mode denies what changes anything, five classes ask, the rest is allowed."""
    if not mode.writable and effect in DENIED_READ_ONLY:
        return Verdict(decision=Decision.DENY, rule=f"mode:{mode}", why=f"{mode} is a read-only mode, and {effect} changes something")
    if effect in ASKED_BY_DEFAULT:
        return Verdict(decision=Decision.ASK, rule=f"default:{effect}", why=f"{effect} is asked for unless a rule says otherwise")
    return Verdict(decision=Decision.ALLOW, rule=f"default:{effect}", why=f"{effect} is allowed unless a rule says otherwise")


def settle(verdict: Verdict, *, approver_connected: bool) -> Verdict:
    """An `ask` that nobody is there to answer is a deny. Everything else stays as it is."""
    if verdict.decision is not Decision.ASK or approver_connected:
        return verdict
    return Verdict(decision=Decision.DENY, rule=verdict.rule, why=f"{verdict.why}; no approver is connected")
