"""What an attempt says of itself is what it does: its phases, its rule, its twin."""

from __future__ import annotations

import pytest

from conformance.adapters.none import NoneAdapter
from conformance.core.attempt import Armed, Attempt, Guest, HostTrigger, PhaseKind
from conformance.core.catalogue import load_attempts
from conformance.core.netns import NoIsolatedNetwork
from conformance.core.observe import why_not_run
from conformance.core.scene import Scene
from sandbox.host import Host

HERE = Host.detect()


def kinds(armed: Armed) -> tuple[PhaseKind, ...]:
    return tuple(
        PhaseKind.GUEST if isinstance(p, Guest) else PhaseKind.HOST_TRIGGER if isinstance(p, HostTrigger) else PhaseKind.CLOSE
        for p in armed.phases
    )


@pytest.mark.parametrize("attempt", load_attempts(), ids=lambda a: a.id)
def test_an_attempt_is_what_it_says(attempt: Attempt) -> None:
    reason, why = why_not_run(attempt, NoneAdapter(), HERE)
    if reason is not None:
        pytest.skip(why)
    scene = Scene()
    try:
        armed = attempt.arm(scene)
        assert kinds(armed) == attempt.phases
        assert (armed.rule.kind if armed.rule else None) == attempt.violates
        assert armed.rule is None or armed.rule.id in {rule.id for rule in armed.policy.rules}
        assert any(phase.twin for phase in armed.phases if isinstance(phase, Guest)), "it has no twin"
        assert all(phase.attack for phase in armed.phases if isinstance(phase, Guest)), "a guest phase attacks nothing"
        assert not armed.witness.look(b"").landed, "its witness sees a landing before anything was done"
        assert not armed.twin.look(b"").landed, "its twin's witness sees a landing before anything was done"
    except NoIsolatedNetwork as error:
        pytest.skip(str(error))
    finally:
        scene.close()


def test_every_boundary_is_covered_and_enough_fire_on_the_host_or_in_a_second_run() -> None:
    attempts = load_attempts()
    assert {a.boundary for a in attempts} == {"fs", "proc", "env", "net", "work"}
    assert len(attempts) >= 60
    assert sum(PhaseKind.HOST_TRIGGER in a.phases or a.phases.count(PhaseKind.GUEST) > 1 for a in attempts) >= 6
