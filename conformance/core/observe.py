"""Carry an attempt out against an adapter and write down what was seen. The harness owns processes, deadlines and clean-up."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass

from conformance.core.adapter import Adapter, AdapterRefused
from conformance.core.attempt import Attempt, Need
from conformance.core.evidence import Evidence, Facts
from conformance.core.judge import judge
from conformance.core.netns import NoIsolatedNetwork
from conformance.core.scene import Scene
from conformance.core.shot import Shot, shoot
from conformance.core.words import Grade, Reason
from sandbox.host import Host
from sandbox.sessions import Surface

Control = Callable[[Attempt], bool]
"""Whether the attempt lands without any sandbox; called at most once for each attempt."""


kept_scenes: list[str] = []
"""Where the scenes lie that this process kept; whoever runs cells tells the person and empties it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """`repeat`: at least so many shots. `keep`: leave the scenes in place and say where."""

    repeat: int = 1
    keep: bool = False


def observe(attempt: Attempt, adapter: Adapter, host: Host, control: Control | None, options: Options | None = None) -> Evidence:
    """One cell. `control` is None when the adapter *is* the control: then its own landing counts."""
    options = options or Options()
    started = time.monotonic()
    reason, note = why_not_run(attempt, adapter, host)
    if reason is Reason.OTHER_HOST:
        return _evidence(attempt, adapter, host, Facts(work=attempt.work, applicable=False, grade=Grade.DECLARED), (), note, started)
    if reason is not None:
        return _evidence(attempt, adapter, host, Facts(work=attempt.work, not_run=reason, grade=Grade.DECLARED), (), note, started)
    shots: list[Shot] = []
    for _ in range(max(options.repeat, attempt.shots)):
        shot = one_shot(attempt, adapter, keep=options.keep)
        shots.append(shot)
        if shot.not_run is not None or shot.refused is not None:
            break
    landed = any(shot.landed for shot in shots) if control is None else _control(control, attempt, shots)
    return _evidence(attempt, adapter, host, _facts(attempt, shots, landed), tuple(shots), "", started)


def _control(control: Control, attempt: Attempt, shots: list[Shot]) -> bool | None:
    return control(attempt) if shots[-1].not_run is None else None


def why_not_run(attempt: Attempt, adapter: Adapter, host: Host) -> tuple[Reason | None, str]:
    if not attempt.applies_to(host):
        return Reason.OTHER_HOST, f"meant for {', '.join(attempt.hosts)}"
    unavailable = adapter.availability(host)
    if unavailable:
        return Reason.ADAPTER_UNAVAILABLE, unavailable
    for need in (Need.GIT, Need.BASH):
        if need in attempt.needs and shutil.which(need) is None:
            return Reason.HOST_LACKS_TOOL, f"{need} is not on the host's PATH"
    return None, ""


def one_shot(attempt: Attempt, adapter: Adapter, *, keep: bool = False) -> Shot:
    """Arm a fresh scene, shoot, look, take the scene away."""
    scene = Scene()
    try:
        try:
            armed = attempt.arm(scene)
        except NoIsolatedNetwork as error:
            return Shot(not_run=Reason.NO_ISOLATED_NETWORK, note=str(error))
        try:
            session = adapter.open(Surface.EXEC, armed.policy, scene)
        except AdapterRefused as refused:
            return Shot(armed=armed, refused=refused.reason, note=refused.note)
        return shoot(armed, session, scene, lambda: adapter.open(Surface.EXEC, armed.policy, scene))
    finally:
        scene.close(keep=keep)
        if keep:
            kept_scenes.append(str(scene.base))


def _facts(attempt: Attempt, shots: list[Shot], control_landed: bool | None) -> Facts:
    last = shots[-1]
    return Facts(
        work=attempt.work,
        not_run=last.not_run,
        refused=last.refused,
        control_landed=control_landed,
        shots=len(shots),
        landed=sum(shot.landed for shot in shots),
        any_beacon=any(shot.beacons for shot in shots),
        ready=all(shot.ready for shot in shots),
        twin_acted=all(shot.twin_acted for shot in shots),
        twin_landed=all(shot.twin_landed for shot in shots),
        acted=all(shot.acted for shot in shots),
        # One killed shot does not speak for another that never acted.
        killed=any(shot.killed for shot in shots) and all(shot.acted or shot.killed for shot in shots),
        deadline=any(shot.deadline for shot in shots),
        phases_done=all(shot.phases_done for shot in shots),
        inside_success=any(shot.inside_success for shot in shots),
        elsewhere=any(shot.elsewhere and not shot.landed for shot in shots),
    )


def _evidence(
    attempt: Attempt, adapter: Adapter, host: Host, facts: Facts, shots: tuple[Shot, ...], note: str, started: float
) -> Evidence:
    told = next((shot for shot in shots if shot.landed), shots[-1] if shots else Shot())
    return Evidence(
        attempt=attempt.id,
        adapter=adapter.id,
        host=host.label,
        verdict=judge(facts),
        facts=facts,
        rule=told.armed.rule.id if told.armed and told.armed.rule else "",
        policy=told.sent,
        not_sent=told.not_sent,
        beacons=told.beacons,
        saw=told.saw,
        twin_saw=told.twin_saw,
        output=told.output,
        exit=told.exit,
        residue=told.residue,
        collateral=told.collateral,
        note=note or told.note,
        seconds=round(time.monotonic() - started, 3),
    )
