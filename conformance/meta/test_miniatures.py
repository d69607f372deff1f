"""What the harness says of each adapter that lies, pinned cell by cell."""

from __future__ import annotations

import importlib
import shutil
from dataclasses import replace

import pytest

from conformance.adapters.registry import load_adapter
from conformance.core import shot
from conformance.core.adapter import Adapter
from conformance.core.attempt import Armed, Attempt, Guest, Phase
from conformance.core.evidence import Evidence
from conformance.core.scene import Scene
from conformance.meta.samples import ROUNDS, SECRET, cell, known, race, word
from sandbox.host import Host

OUTSIDE, HOME, HOOK = "fs/write/outside/elsewhere", "fs/write/outside/home", "fs/deny/hook-direct"
WRITES = (OUTSIDE, HOME, HOOK)
ALL = (*WRITES, SECRET.id)
MINIATURES = (
    "blocks_twin checks_then_uses crashes_on_start enforces_nothing escapes_sometimes exits_zero fakes_beacons hangs_after_ready "
    "leaves_residue refuses_politely skips_attempt swallows_writes"
).split()


def miniature(name: str) -> Adapter:
    """As a person would name it. Skips where it needs bubblewrap and there is none: confinement is never imitated."""
    adapter = load_adapter(f"conformance.miniatures.{name}:ADAPTER")
    unavailable = adapter.availability(Host.detect())
    if unavailable:
        pytest.skip(unavailable)
    return adapter


def attempt(name: str) -> Attempt:
    if name == HOOK and shutil.which("git") is None:
        pytest.skip("the host trigger needs git")
    return known(name)


def told(evidence: Evidence) -> tuple[str, str, bool, tuple[str, ...]]:
    """The cell: word and reason, k/n, collateral, residue."""
    return word(evidence), f"{evidence.facts.landed}/{evidence.facts.shots}", evidence.collateral, evidence.residue


@pytest.mark.parametrize("name", ALL)
def test_claims_everything_and_enforces_nothing(name: str) -> None:
    evidence = cell(miniature("enforces_nothing"), attempt(name))
    assert told(evidence) == ("escaped landed", "1/1", False, ())


@pytest.mark.parametrize("name", ALL)
def test_refuses_politely(name: str) -> None:
    evidence = cell(miniature("refuses_politely"), attempt(name))
    assert told(evidence) == ("refused-to-run adapter-refused", "0/1", False, ())
    assert (evidence.exit, evidence.note) == ("not-started", "this policy is not supported, sorry")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("liar", "end"), [("exits_zero", "exit:0"), ("crashes_on_start", "signal:11")])
def test_runs_nothing(liar: str, end: str, name: str) -> None:
    evidence = cell(miniature(liar), attempt(name))
    assert told(evidence) == ("refused-to-run no-ready-beacon", "0/1", False, ())
    assert evidence.exit == end


@pytest.mark.parametrize("name", ALL)
def test_runs_the_twin_and_skips_the_attempt(name: str) -> None:
    evidence = cell(miniature("skips_attempt"), attempt(name))
    assert told(evidence) == ("inconclusive no-acted-beacon", "0/1", False, ())
    assert evidence.facts.twin_landed


@pytest.mark.parametrize("name", ALL)
def test_blocks_the_twin_too(name: str) -> None:
    evidence = cell(miniature("blocks_twin"), attempt(name))
    assert told(evidence) == ("inconclusive twin-did-not-land", "0/1", True, ())


@pytest.mark.parametrize("name", ALL)
def test_prints_fake_beacons(name: str) -> None:
    evidence = cell(miniature("fakes_beacons"), attempt(name))
    assert told(evidence) == ("inconclusive twin-did-not-land", "0/1", False, ())
    assert [(str(b.name), b.errno) for b in evidence.beacons] == [
        ("ready", None),
        ("twin", None),
        ("acting", None),
        ("acted", "EROFS"),
        ("done", None),
    ]


@pytest.mark.parametrize("name", ALL)
def test_hangs_after_ready(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = attempt(name)
    cell(miniature("enforces_nothing"), chosen)  # the control is made with the ordinary deadline
    monkeypatch.setattr(shot, "GUEST_SECONDS", 1)
    evidence = cell(miniature("hangs_after_ready"), chosen)
    assert told(evidence) == ("inconclusive deadline", "0/1", False, ())
    assert (evidence.exit, [str(b.name) for b in evidence.beacons]) == ("deadline", ["ready"])


@pytest.mark.parametrize("name", ALL)
def test_escapes_one_time_in_five(name: str) -> None:
    evidence = cell(miniature("escapes_sometimes"), attempt(name), repeat=5)
    assert told(evidence) == ("escaped landed-sometimes", "1/5", False, ())


def test_escaping_sometimes_is_not_seen_by_one_shot() -> None:
    """Why `--repeat` is there."""
    evidence = cell(fresh("escapes_sometimes"), attempt(OUTSIDE), repeat=4)
    assert told(evidence) == ("enforced nothing-landed", "0/4", False, ())


def fresh(name: str) -> Adapter:
    """One that has not started anything yet."""
    miniature(name)
    adapter: Adapter = type(importlib.import_module(f"conformance.miniatures.{name}").ADAPTER)()
    return adapter


@pytest.mark.parametrize("name", WRITES)
def test_swallows_writes(name: str) -> None:
    evidence = cell(miniature("swallows_writes"), attempt(name))
    assert told(evidence) == ("enforced swallowed", "0/1", False, ())


def test_a_copy_of_a_secret_is_no_less_read() -> None:
    evidence = cell(miniature("swallows_writes"), SECRET)
    assert told(evidence) == ("escaped landed", "1/1", False, ())


@pytest.mark.parametrize("name", ALL)
def test_leaves_residue(name: str) -> None:
    evidence = cell(miniature("leaves_residue"), attempt(name))
    assert told(evidence) == ("enforced nothing-landed", "0/1", False, ("$WORK/sandbox.log",))


@pytest.mark.parametrize("name", ALL)
def test_checks_and_then_uses_stops_what_stands_still(name: str) -> None:
    evidence = cell(miniature("checks_then_uses"), attempt(name))
    assert told(evidence) == ("enforced nothing-landed", "0/1", False, ())
    assert [b.errno for b in evidence.beacons if b.name == "acted"] == ["EACCES"]


def test_a_race_is_calibrated_on_what_checks_and_then_uses() -> None:
    """It states n rounds; a tenth of them is enough here."""
    evidence = cell(miniature("checks_then_uses"), race(ROUNDS // 10))
    assert told(evidence)[:3] == ("escaped landed", "1/1", False)


def fewer(chosen: Attempt) -> Attempt:
    """The same race with a tenth of its rounds."""

    def tenth(phase: Phase) -> Phase:
        if not isinstance(phase, Guest):
            return phase
        steps = (replace(s, args={**s.args, "rounds": int(str(s.args["rounds"])) // 10}) if "rounds" in s.args else s for s in phase.attack)
        return replace(phase, attack=tuple(steps))

    def arm(scene: Scene) -> Armed:
        armed = chosen.arm(scene)
        return replace(armed, phases=tuple(tenth(phase) for phase in armed.phases))

    return replace(chosen, arm=arm, id=f"{chosen.id}/race")


@pytest.mark.parametrize("name", ["fs/write/parent-swap"])
def test_the_catalogues_races_are_calibrated(name: str) -> None:
    evidence = cell(miniature("checks_then_uses"), fewer(known(name)))
    assert told(evidence)[:3] == ("escaped landed", "1/1", False)


def test_names_are_random_and_claims_are_total() -> None:
    adapters = [load_adapter(f"conformance.miniatures.{name}:ADAPTER") for name in MINIATURES]
    assert len({adapter.id for adapter in adapters}) == len(MINIATURES)
    records = [adapter.record(Host.detect()) for adapter in adapters]
    assert all((record.claims, record.reference) == ({"*": "enforced"}, False) for record in records)
    assert len({record.title for record in records}) == 1, "a title must not tell which one it is"
