"""Values of the harness's own types, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.core.evidence import Beacon, BeaconName, Evidence, Facts
from conformance.core.judge import judge
from conformance.core.runfile import AdapterRecord, AttemptRecord, CoverageStatement, Header
from conformance.core.words import WORD_OF, Grade, Observed, Reason


def reasons(*words: Observed) -> st.SearchStrategy[Reason | None]:
    return st.none() | st.sampled_from([reason for reason, word in WORD_OF.items() if word in words])


MODELLED = (Observed.MODELLED_ALLOW, Observed.MODELLED_DENY, Observed.MODELLED_UNKNOWN)
TEXT = st.text(max_size=12)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    shots = draw(st.integers(1, 12))
    truth = {
        name: draw(st.booleans())
        for name in (
            "work applicable any_beacon ready twin_acted twin_landed acted killed deadline phases_done inside_success"
        ).split()
    }
    return Facts(
        grade=draw(st.sampled_from(Grade)),
        not_run=draw(reasons(Observed.NOT_RUN)),
        refused=draw(reasons(Observed.REFUSED)),
        profile=draw(reasons(*MODELLED)),
        control_landed=draw(st.sampled_from((None, False, True))),
        shots=shots,
        landed=draw(st.just(0) | st.integers(0, shots)),
        **truth,
    )


GOOD = Facts(
    control_landed=True, any_beacon=True, ready=True, twin_acted=True, twin_landed=True, acted=True, phases_done=True
)
"""What an `enforced` cell is made of."""


@st.composite
def evidence(draw: st.DrawFn) -> Evidence:
    seen = draw(facts())
    beacon = st.builds(Beacon, name=st.sampled_from(BeaconName), verb=TEXT, errno=st.none() | TEXT)
    rest: dict[str, Any] = {name: draw(TEXT) for name in "attempt adapter host rule saw twin_saw output exit note".split()}
    rest |= {name: draw(TEXTS) for name in "policy not_sent residue".split()}
    return Evidence(
        verdict=judge(seen),
        facts=seen,
        beacons=tuple(draw(st.lists(beacon, max_size=3))),
        collateral=draw(st.booleans()),
        seconds=draw(st.floats(0, 1e6)),
        **rest,
    )


def _claims() -> st.SearchStrategy[dict[str, Any]]:
    leaf = TEXT | st.booleans() | st.integers(-(2**40), 2**40)
    return st.dictionaries(TEXT, leaf | st.lists(leaf, max_size=2) | st.dictionaries(TEXT, leaf, max_size=2), max_size=2)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    statement = st.builds(CoverageStatement, level=TEXT, why=TEXT, left_out=TEXTS)
    adapter = st.builds(
        AdapterRecord,
        variant=TEXT,
        title=TEXT,
        reference=st.booleans(),
        version=TEXT,
        unavailable=TEXT,
        coverage=st.dictionaries(TEXT, statement, max_size=2),
        claims=_claims(),
    )
    names = "id title requirement violates boundary severity".split()
    attempt = st.builds(AttemptRecord, **{name: TEXT for name in names}, references=TEXTS, phases=TEXTS)
    return Header(
        suite=draw(TEXT),
        host=draw(TEXT),
        started=draw(TEXT),
        facts=draw(st.dictionaries(TEXT, TEXT, max_size=2)),
        adapters=tuple(draw(st.lists(adapter, max_size=2))),
        attempts=tuple(draw(st.lists(attempt, max_size=2))),
        repeat=draw(st.integers(1, 100)),
    )
