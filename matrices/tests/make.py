"""Small runs made by hand, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.core.evidence import Beacon, BeaconName, Evidence, Facts, Verdict
from conformance.core.judge import judge
from conformance.core.runfile import AdapterRecord, AttemptRecord, CoverageStatement, Header, Run
from conformance.core.words import WORD_OF, Grade, Observed, Reason
from matrices.build.load import LoadedRun
from sandbox.policy.rules import RuleKind

ATTACKS = ("fs.write.rename", "fs.write.direct", "proc.kill", "net.metadata")
KINDS = ("fs.write-deny", "fs.confine", "proc.isolate", "net.off")
WORK = "work.compile"


def attempt(name: str, violates: str, severity: str = "high") -> AttemptRecord:
    return AttemptRecord(
        id=name,
        title=f"Title of {name}",
        requirement="It must hold.",
        violates=violates,
        boundary=name.partition(".")[0],
        severity=severity,
        references=("CVE-0000-0001",),
        phases=("guest",),
    )


ATTEMPTS = (*(attempt(i, k) for i, k in zip(ATTACKS, KINDS, strict=True)), attempt(WORK, "", "low"))


def none_record() -> AdapterRecord:
    coverage = {kind.value: CoverageStatement(level="none") for kind in RuleKind}
    return AdapterRecord(variant="none", title="No sandbox", reference=True, coverage=coverage)


def native_record() -> AdapterRecord:
    coverage = {kind.value: CoverageStatement(level="enforced") for kind in RuleKind}
    return AdapterRecord(variant="native", title="Bubblewrap", reference=True, version="0.8.0", coverage=coverage)


def naive_record() -> AdapterRecord:
    return AdapterRecord(variant="naive", title="Naive", reference=False, version="0.8.0", claims={"*": "not-enforced"})


_HELD = Facts(
    grade=Grade.EXECUTED,
    control_landed=True,
    any_beacon=True,
    ready=True,
    twin_acted=True,
    twin_landed=True,
    acted=True,
    phases_done=True,
)


def facts(reason: Reason, *, work: bool = False) -> Facts:
    """Facts that the judge gives this reason."""
    held = replace(_HELD, work=work)
    changes: dict[Reason, Facts] = {
        Reason.LANDED: replace(held, landed=1),
        Reason.LANDED_SOMETIMES: replace(held, shots=2, landed=1),
        Reason.CONTROL_DID_NOT_LAND: replace(held, control_landed=False),
        Reason.TWIN_DID_NOT_ACT: replace(held, twin_acted=False),
        Reason.TWIN_DID_NOT_LAND: replace(held, twin_landed=False),
        Reason.NO_ACTED_BEACON: replace(held, acted=False),
        Reason.NO_READY_BEACON: replace(held, any_beacon=False),
        Reason.WEAK_GRADE: replace(held, grade=Grade.MODELLED),
        Reason.OTHER_HOST: replace(held, applicable=False),
        Reason.WORK_LANDED: replace(held, landed=1),
        Reason.NOTHING_LANDED: held,
        Reason.WORK_DID_NOT_LAND: held,
    }
    word = WORD_OF[reason]
    given = replace(held, not_run=reason) if word is Observed.NOT_RUN else replace(held, refused=reason)
    made = changes.get(reason, given)
    assert judge(made) == Verdict(observed=word, reason=reason), reason
    return made


def evidence(adapter: str, name: str, reason: Reason = Reason.NOTHING_LANDED, *, host: str = "linux/root", rule: str = "") -> Evidence:
    told = facts(reason, work=name == WORK)
    return Evidence(
        attempt=name,
        adapter=adapter,
        host=host,
        verdict=Verdict(observed=WORD_OF[reason], reason=reason),
        facts=told,
        rule=rule,
        beacons=(
            Beacon(name=BeaconName.READY),
            Beacon(name=BeaconName.TWIN, verb="write"),
            Beacon(name=BeaconName.ACTING, verb="write"),
            Beacon(name=BeaconName.ACTED, verb="write", errno=None if told.landed else "EROFS"),
        ),
        saw="the file at $OUT/x has the nonce" if told.landed else "the file at $OUT/x is as it was",
        twin_saw="the twin at $WORK/y has the nonce",
        output="hello\n",
        exit="exit:0",
        seconds=0.25,
    )


def column(adapter: str, reasons: Sequence[Reason | None], *, host: str = "linux/root") -> list[Evidence]:
    """Evidence for the attempts in order; None leaves a hole."""
    pairs = zip(ATTEMPTS, reasons, strict=True)
    return [
        evidence(adapter, record.id, reason, host=host, rule=f"{record.violates}:$OUT/x" if record.violates else "")
        for record, reason in pairs
        if reason is not None
    ]


GOOD = (*[Reason.NOTHING_LANDED] * 4, Reason.WORK_LANDED)
OPEN = (*[Reason.LANDED] * 4, Reason.WORK_LANDED)


def header(*adapters: AdapterRecord, host: str = "linux/root", suite: str = "s" * 64, started: str = "2026-01-01T00:00:00Z") -> Header:
    return Header(suite=suite, host=host, started=started, facts={"kernel": "6.1"}, adapters=adapters, attempts=ATTEMPTS)


def run(
    *adapters: AdapterRecord,
    evidence: Sequence[Evidence],
    host: str = "linux/root",
    complete: bool = True,
    name: str = "run.jsonl",
    suite: str = "s" * 64,
    started: str = "2026-01-01T00:00:00Z",
) -> LoadedRun:
    made = header(*adapters, host=host, suite=suite, started=started)
    return LoadedRun(name=name, run=Run(header=made, evidence=tuple(evidence), complete=complete))


def honest_run() -> LoadedRun:
    """`none` escapes, `native` enforces, `naive` has gaps."""
    naive = (
        Reason.LANDED,
        Reason.NOTHING_LANDED,
        Reason.CONTROL_DID_NOT_LAND,
        Reason.NOTHING_LANDED,
        Reason.WORK_LANDED,
    )
    cells = [*column("none", OPEN), *column("native", GOOD), *column("naive", naive)]
    return run(none_record(), native_record(), naive_record(), evidence=cells)


def with_text(item: Evidence, text: str) -> Evidence:
    """The same text wherever a stranger's text can stand."""
    return replace(item, saw=text, twin_saw=text, output=text, note=text, residue=(text,), not_sent=(text,), rule=text)
