"""One plain sentence for every word, for legends and explanations."""

from __future__ import annotations

from conformance.core.words import Observed, Reason
from matrices.claims.words import ClaimSource, ClaimWord, Honesty

OBSERVED: dict[Observed, str] = {
    Observed.ESCAPED: "The witness outside the sandbox saw the attempt succeed, at least once.",
    Observed.INCONCLUSIVE: "Nothing was seen, but that proves nothing here.",
    Observed.NOT_RUN: "The attempt was not made.",
    Observed.REFUSED: "The adapter would not start under this policy.",
    Observed.NOT_APPLICABLE: "The attempt belongs to another kind of host.",
    Observed.ENFORCED: "The attempt was really made, succeeds without the sandbox, and did not succeed within it.",
    Observed.MODELLED_ALLOW: "Not run: an evaluated profile would allow it.",
    Observed.MODELLED_DENY: "Not run: an evaluated profile would deny it.",
    Observed.MODELLED_UNKNOWN: "Not run: an evaluated profile does not decide it.",
    Observed.WORKS: "Ordinary work succeeded.",
    Observed.FALSE_DENIAL: "Ordinary work was stopped.",
}

REASON: dict[Reason, str] = {
    Reason.LANDED: "the witness saw it every time",
    Reason.LANDED_SOMETIMES: "the witness saw it in some of the shots",
    Reason.CONTROL_DID_NOT_LAND: "it does not succeed on this host without a sandbox either",
    Reason.TWIN_DID_NOT_ACT: "the allowed twin was never tried, so the attempt may not have been either",
    Reason.TWIN_DID_NOT_LAND: "the allowed twin was stopped as well",
    Reason.NO_READY_IN_SOME: "in some shots the agent never reported that it was ready",
    Reason.NO_ACTED_BEACON: "the agent never reported that it had made the attempt",
    Reason.WENT_ELSEWHERE: "a connection was made and nobody here heard it: it ended where no witness watches",
    Reason.DEADLINE: "it hung until its deadline",
    Reason.PHASE_MISSING: "one of its phases did not take place",
    Reason.WEAK_GRADE: "it was not made on a real kernel, so it proves nothing",
    Reason.ADAPTER_UNAVAILABLE: "the adapter cannot be used on this host",
    Reason.HOST_MISSING: "no run from this host",
    Reason.NO_ISOLATED_NETWORK: "no network without a way out could be made here, so it was not safe to try",
    Reason.GUEST_LACKS_TOOL: "the guest lacks a tool that it needs",
    Reason.HOST_LACKS_TOOL: "the host lacks a tool that it needs",
    Reason.DESELECTED: "it was left out of this run",
    Reason.RUN_TRUNCATED: "the run ended before it",
    Reason.HARNESS_ERROR: "the harness itself failed",
    Reason.UNENFORCEABLE_RULE: "the backend names a required rule that it cannot hold here",
    Reason.ADAPTER_REFUSED: "the adapter said that it would not run this",
    Reason.NO_READY_BEACON: "the agent never reported that it was ready; a crash looks the same as a refusal",
    Reason.OTHER_HOST: "it is an attempt for another kind of host",
    Reason.NOTHING_LANDED: "the witness saw nothing",
    Reason.SWALLOWED: "it looked like success inside, and nothing arrived outside",
    Reason.KILLED_BY_POLICY: "the policy killed the agent in the act",
    Reason.PROFILE_ALLOWS: "the profile allows it",
    Reason.PROFILE_DENIES: "the profile denies it",
    Reason.PROFILE_UNDECIDED: "the profile does not say",
    Reason.WORK_LANDED: "it was done",
    Reason.WORK_DID_NOT_LAND: "it could not be done",
}

CLAIM: dict[ClaimWord, str] = {
    ClaimWord.ENFORCED: "It says that it stops this.",
    ClaimWord.NOT_ENFORCED: "It says that it does not stop this.",
    ClaimWord.REFUSES: "It says that it would rather not start.",
    ClaimWord.ADVISORY: "It says that it asks the agent not to, without stopping it.",
    ClaimWord.CANNOT_EXPRESS: "Its configuration has no term for this rule.",
    ClaimWord.UNSTATED: "It says nothing of this.",
}

SOURCE: dict[ClaimSource, str] = {
    ClaimSource.GENERATED: "generated from the backend's own coverage on that host",
    ClaimSource.STATED: "stated by the project",
    ClaimSource.DOCUMENTED: "documented by a product; shown and judged, never failing a gate",
}

HONESTY: dict[Honesty, str] = {
    Honesty.OVERCLAIMS: "It says that this is stopped, and it was seen to escape.",
    Honesty.SILENT_ESCAPE: "It says nothing of this, and it was seen to escape.",
    Honesty.UNPROVEN: "It says that this is stopped, and the attempt could not show it.",
    Honesty.HONEST_GAP: "It says that this is not stopped, and it was seen to escape.",
    Honesty.UNDERCLAIMS: "It held more than it says.",
    Honesty.NOT_JUDGED: "There is nothing to compare: not run, not applicable, or nothing said.",
    Honesty.HONEST: "It did what it says.",
}
