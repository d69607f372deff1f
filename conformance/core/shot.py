"""One shot: the phases of an armed attempt carried out in one scene, and what came of it."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from conformance.core.adapter import AdapterRefused
from conformance.core.attempt import Armed, Close, Guest, HostTrigger, Landing
from conformance.core.evidence import Beacon
from conformance.core.guest import Heard, listen
from conformance.core.orphans import Orphans, adopted
from conformance.core.residue import listing, residue
from conformance.core.scene import Scene
from conformance.core.steps import CONNECTS, NO_ROUTE_WANTED, REPORTS_EFFECT, Argument, Step
from conformance.core.words import Reason
from sandbox.errors import LaunchFailed
from sandbox.sessions import ExecSession

GUEST_SECONDS = 20
TRIGGER_SECONDS = 15
SECOND_LOOK_SECONDS = 0.01
STRAGGLER_SECONDS = 0.5
NOT_CUT_OFF = "the guest has a route out of this machine, so no real address was spoken to"
OUTPUT_LIMIT = 4000
SIGSYS = getattr(signal, "SIGSYS", 31)  # Windows has no such signal
KILLED = (f"signal:{int(SIGSYS)}", f"exit:{128 + SIGSYS}")
"""A policy's own signal, as the kernel reports it and as a supervisor passes it on (bwrap(1), sh(1))."""



@dataclass(frozen=True, kw_only=True, slots=True)
class Shot:
    """What one shot gave. See Facts for the meaning of the booleans."""

    armed: Armed | None = None
    not_run: Reason | None = None
    refused: Reason | None = None
    note: str = ""
    landed: bool = False
    twin_landed: bool = False
    saw: str = ""
    twin_saw: str = ""
    beacons: tuple[Beacon, ...] = ()
    ready: bool = False
    twin_acted: bool = False
    acted: bool = False
    killed: bool = False
    deadline: bool = False
    phases_done: bool = False
    inside_success: bool = False
    elsewhere: bool = False
    collateral: bool = False
    exit: str = "not-started"
    output: str = ""
    residue: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    not_sent: tuple[str, ...] = ()


@dataclass(kw_only=True, slots=True)
class Course:
    """How the phases went: what was heard, how many were done, what the adapter left, and why it stopped early."""

    heard: list[Heard] = field(default_factory=list)
    done: int = 0
    note: str = ""
    residue: tuple[str, ...] = ()


def shoot(armed: Armed, session: ExecSession, scene: Scene, reopen: Callable[[], ExecSession]) -> Shot:
    """Carry out the phases, end the tree, look, look again."""
    with adopted() as orphans:
        course = _carry_out(armed, session, scene, reopen)
        raw = b"\n".join(h.output for h in course.heard)
        effect, twin = _look(armed, raw, orphans)
        return _told(armed, session, scene, course, effect, twin)


def _carry_out(armed: Armed, session: ExecSession, scene: Scene, reopen: Callable[[], ExecSession]) -> Course:
    course = Course()
    before, after = listing(scene), None
    at_close: frozenset[str] = frozenset()
    live: ExecSession | None = session
    try:
        for phase in armed.phases:
            if isinstance(phase, Close):
                at_close |= _close(live, scene)
                live = None
            elif isinstance(phase, HostTrigger):
                after = listing(scene) if after is None else after
                if not _trigger(phase, scene):
                    course.note = f"the host's own `{' '.join(phase.argv[:2])}` did not work afterwards"
                    continue
            else:
                live = live or reopen()
                course.heard.append(_guest(phase, live, scene))
            course.done += 1
    except (AdapterRefused, LaunchFailed) as error:
        course.note = scene.redact(str(error))
    finally:
        at_close |= _close(live, scene)
    course.residue = residue(armed, before, at_close | (listing(scene) if after is None else after))
    return course


def _close(session: ExecSession | None, scene: Scene) -> frozenset[str]:
    """End the session. What appears meanwhile is the adapter's own, also where a host trigger has left things of its own before."""
    if session is None:
        return frozenset()
    before = listing(scene)
    session.close()
    return listing(scene) - before


def _told(armed: Armed, session: ExecSession, scene: Scene, course: Course, effect: Landing, twin: Landing) -> Shot:
    heard = course.heard
    wanted = [p for p in armed.phases if isinstance(p, Guest)]
    pairs = list(zip(wanted, heard, strict=False))
    acts = [b for h in heard for b in h.acts]
    attacks = [b for b in acts if b.role == "attack"]
    twins = [b for b in acts if b.role == "twin"]
    twin_acted = len(heard) == len(wanted) and all(h.count("twin") == len(p.twin) for p, h in pairs)
    routed = any(b.errno == NO_ROUTE_WANTED for b in acts)
    return Shot(
        armed=armed,
        note=NOT_CUT_OFF if routed else course.note,
        not_run=Reason.NO_ISOLATED_NETWORK if routed else None,
        refused=_refused(heard, course.note, session),
        landed=effect.landed,
        twin_landed=twin.landed,
        saw=scene.redact(effect.saw),
        twin_saw=scene.redact(twin.saw),
        beacons=tuple(b for h in heard for b in h.beacons),
        ready=bool(heard) and all(h.ready for h in heard),
        twin_acted=twin_acted,
        acted=len(heard) == len(wanted) and all(h.count("attack") == len(p.attack) for p, h in pairs),
        killed=any(h.exit in KILLED and h.acting for h in heard),
        deadline=any(h.deadline for h in heard),
        phases_done=course.done == len(armed.phases) and not any(h.overflow for h in heard),
        inside_success=bool(attacks) and all(b.errno is None and b.verb in REPORTS_EFFECT for b in attacks),
        elsewhere=any(b.errno is None and b.verb in CONNECTS for b in attacks),
        collateral=twin_acted and any(b.errno is not None for b in twins),
        exit=heard[-1].exit if heard else "not-started",
        output=scene.redact("\n".join(line for h in heard for line in h.transcript))[:OUTPUT_LIMIT],
        residue=course.residue,
        sent=session.sent,
        not_sent=session.not_sent,
    )


def _refused(heard: list[Heard], note: str, session: ExecSession) -> Reason | None:
    """Nothing was said from inside, and the launch failed or ended with a code that means no."""
    if not heard:
        return Reason.ADAPTER_REFUSED if note else None
    said_no = heard[0].exit in {f"exit:{code}" for code in session.refusals}
    return Reason.ADAPTER_REFUSED if said_no and not heard[0].beacons else None


def _look(armed: Armed, output: bytes, orphans: Orphans) -> tuple[Landing, Landing]:
    """The tree has died. Look, and where nothing is seen look once more a moment later; later still where somebody is left."""
    effect, twin = armed.witness.look(output), armed.twin.look(output)
    if not (effect.landed and twin.landed):
        time.sleep(STRAGGLER_SECONDS if orphans.any() else SECOND_LOOK_SECONDS)
        effect = effect if effect.landed else armed.witness.look(output)
        twin = twin if twin.landed else armed.twin.look(output)
    return effect, twin


def _guest(phase: Guest, session: ExecSession, scene: Scene) -> Heard:
    tag = secrets.token_hex(6)
    roles = (("prepare", phase.prepare), ("twin", phase.twin), ("attack", phase.attack))
    steps = [
        {"role": role, "verb": step.verb, "args": mapped(step, session)}
        for role, group in roles
        for step in group
    ]
    told = [step.text() for _, group in roles for step in group]
    plan = json.dumps({"tag": tag, "deadline": GUEST_SECONDS, "steps": steps}).encode()
    running = session.start(interpreter(session), scene.launcher())
    try:
        return listen(running.process, plan, tag, GUEST_SECONDS + 1, told=told, kill_launcher=phase.kill_launcher)
    finally:
        running.end()


def interpreter(session: ExecSession) -> list[str]:
    """How the agent is started inside: the harness's own interpreter by its real path."""
    # A virtual environment's python is a link; the program itself finds its library without the environment.
    program = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    return [program, "-I", "-S", session.guest_path("$AGENT/agent.pyc")]


def mapped(step: Step, session: ExecSession) -> dict[str, Argument]:
    """A step's arguments with symbolic paths replaced by the guest's."""
    out: dict[str, Argument] = {}
    for name, value in step.args.items():
        if isinstance(value, str):
            out[name] = session.guest_path(value) if name in step.paths else value
        elif isinstance(value, int):
            out[name] = value
        else:
            program = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
            out[name] = [program if word == "{python}" else session.guest_path(word) for word in value]
    return out


def _trigger(phase: HostTrigger, scene: Scene) -> bool:
    """What the host does afterwards, and whether it could be done: a trigger that does not work fires nothing, which proves nothing."""
    words = [str(scene.host(word)) if word.startswith("$") else word for word in phase.argv]
    try:
        # A session of its own: an interactive shell would otherwise take the person's terminal and stop all of us (SIGTTIN, tcsetpgrp(3)).
        process = subprocess.Popen(
            words,
            cwd=scene.host(phase.cwd),
            env=scene.scrubbed() | {k: str(scene.host(v)) for k, v in phase.env.items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        return process.wait(timeout=TRIGGER_SECONDS) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False
