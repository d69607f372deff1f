"""The closed vocabularies of an observation. Every reason belongs to exactly one word."""

from __future__ import annotations

from enum import StrEnum


class Observed(StrEnum):
    """What was seen of one attempt against one adapter on one host."""

    ESCAPED = "escaped"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not-run"
    REFUSED = "refused-to-run"
    NOT_APPLICABLE = "not-applicable"
    ENFORCED = "enforced"
    MODELLED_ALLOW = "modelled-allow"
    MODELLED_DENY = "modelled-deny"
    MODELLED_UNKNOWN = "modelled-unknown"
    WORKS = "works"
    FALSE_DENIAL = "false-denial"


class Reason(StrEnum):
    """Why that word."""

    LANDED = "landed"
    LANDED_SOMETIMES = "landed-sometimes"
    CONTROL_DID_NOT_LAND = "control-did-not-land"
    TWIN_DID_NOT_ACT = "twin-did-not-act"
    TWIN_DID_NOT_LAND = "twin-did-not-land"
    NO_READY_IN_SOME = "no-ready-in-some"
    NO_ACTED_BEACON = "no-acted-beacon"
    DEADLINE = "deadline"
    PHASE_MISSING = "phase-missing"
    WENT_ELSEWHERE = "went-elsewhere"
    WEAK_GRADE = "weak-grade"
    ADAPTER_UNAVAILABLE = "adapter-unavailable"
    HOST_MISSING = "host-missing"
    NO_ISOLATED_NETWORK = "no-isolated-network"
    GUEST_LACKS_TOOL = "guest-lacks-tool"
    HOST_LACKS_TOOL = "host-lacks-tool"
    DESELECTED = "deselected"
    RUN_TRUNCATED = "run-truncated"
    HARNESS_ERROR = "harness-error"
    UNENFORCEABLE_RULE = "unenforceable-rule"
    ADAPTER_REFUSED = "adapter-refused"
    NO_READY_BEACON = "no-ready-beacon"
    OTHER_HOST = "other-host"
    NOTHING_LANDED = "nothing-landed"
    SWALLOWED = "swallowed"
    KILLED_BY_POLICY = "killed-by-policy"
    PROFILE_ALLOWS = "profile-allows"
    PROFILE_DENIES = "profile-denies"
    PROFILE_UNDECIDED = "profile-undecided"
    WORK_LANDED = "work-landed"
    WORK_DID_NOT_LAND = "work-did-not-land"


WORD_OF: dict[Reason, Observed] = {
    Reason.LANDED: Observed.ESCAPED,
    Reason.LANDED_SOMETIMES: Observed.ESCAPED,
    Reason.CONTROL_DID_NOT_LAND: Observed.INCONCLUSIVE,
    Reason.TWIN_DID_NOT_ACT: Observed.INCONCLUSIVE,
    Reason.TWIN_DID_NOT_LAND: Observed.INCONCLUSIVE,
    Reason.NO_READY_IN_SOME: Observed.INCONCLUSIVE,
    Reason.NO_ACTED_BEACON: Observed.INCONCLUSIVE,
    Reason.DEADLINE: Observed.INCONCLUSIVE,
    Reason.PHASE_MISSING: Observed.INCONCLUSIVE,
    Reason.WENT_ELSEWHERE: Observed.INCONCLUSIVE,
    Reason.WEAK_GRADE: Observed.INCONCLUSIVE,
    Reason.ADAPTER_UNAVAILABLE: Observed.NOT_RUN,
    Reason.HOST_MISSING: Observed.NOT_RUN,
    Reason.NO_ISOLATED_NETWORK: Observed.NOT_RUN,
    Reason.GUEST_LACKS_TOOL: Observed.NOT_RUN,
    Reason.HOST_LACKS_TOOL: Observed.NOT_RUN,
    Reason.DESELECTED: Observed.NOT_RUN,
    Reason.RUN_TRUNCATED: Observed.NOT_RUN,
    Reason.HARNESS_ERROR: Observed.NOT_RUN,
    Reason.UNENFORCEABLE_RULE: Observed.REFUSED,
    Reason.ADAPTER_REFUSED: Observed.REFUSED,
    Reason.NO_READY_BEACON: Observed.REFUSED,
    Reason.OTHER_HOST: Observed.NOT_APPLICABLE,
    Reason.NOTHING_LANDED: Observed.ENFORCED,
    Reason.SWALLOWED: Observed.ENFORCED,
    Reason.KILLED_BY_POLICY: Observed.ENFORCED,
    Reason.PROFILE_ALLOWS: Observed.MODELLED_ALLOW,
    Reason.PROFILE_DENIES: Observed.MODELLED_DENY,
    Reason.PROFILE_UNDECIDED: Observed.MODELLED_UNKNOWN,
    Reason.WORK_LANDED: Observed.WORKS,
    Reason.WORK_DID_NOT_LAND: Observed.FALSE_DENIAL,
}


class Grade(StrEnum):
    """How an observation was made. Only `executed` and `emulated-cpu` may carry `enforced` or `escaped`."""

    EXECUTED = "executed"
    EMULATED_CPU = "emulated-cpu"
    EMULATED_API = "emulated-api"
    MODELLED = "modelled"
    SELF_REPORTED = "self-reported"
    DECLARED = "declared"

    @property
    def proves(self) -> bool:
        return self in (Grade.EXECUTED, Grade.EMULATED_CPU)


class Severity(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
