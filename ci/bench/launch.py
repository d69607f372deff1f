"""Our launch against the bare program with the very same arguments, and one cell of the matrix against a bare launch of its agent."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

from ci.bench.measure import Ratio, compare
from conformance.adapters.native import NativeAdapter
from conformance.core.catalogue import load_attempts
from conformance.core.observe import observe
from conformance.core.scene import Scene
from conformance.core.shot import interpreter, mapped
from conformance.core.steps import write
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.host import Host
from sandbox.launch.process import spawn
from sandbox.policy.rules import Rule, RuleKind
from sandbox.sessions import Surface

TRUE = "/bin/true"
ATTEMPT = "fs/write/outside/elsewhere"


def launch() -> Ratio:
    """Resolve, compile, start, wait and tidy up, against `bwrap …same arguments… true`."""
    scene, host, backend = Scene(), Host.detect(), Bubblewrap()
    policy = scene.policy(Rule(RuleKind.FS_WRITE_DENY, "$WORK/.git/hooks"), Rule(RuleKind.FS_READ_DENY, "$HOME/.ssh"))
    plan = backend.compile(policy, host, {})

    def ours() -> None:
        running = spawn(backend.compile(policy, host, {}), [TRUE], stdin=subprocess.DEVNULL)
        running.process.wait()
        running.end()

    def theirs() -> None:
        subprocess.run([*plan.argv, TRUE], env=dict(plan.env), stdin=subprocess.DEVNULL, check=True)

    try:
        return compare("our launch against bare bwrap, same arguments", ours, theirs, aim=1.5)
    finally:
        scene.close()


def harness() -> Ratio:
    """A whole cell (scene, launch, agent, witnesses, teardown; its control is known) against launching the same agent by hand."""
    adapter, host = NativeAdapter(), Host.detect()
    attempt = next(a for a in load_attempts() if a.id == ATTEMPT)
    scene = Scene()
    session = adapter.open(Surface.EXEC, scene.policy(), scene)
    steps = [{"role": "twin", "verb": "write", "args": mapped(write(path, "x"), session)} for path in ("$WORK/a", "$OUT/b")]
    plan = json.dumps({"tag": "x", "deadline": 20, "steps": steps}).encode()

    def theirs() -> None:
        subprocess.run([*session.plan.argv, *interpreter(session)], env=dict(session.plan.env), input=plan, capture_output=True, check=True)

    def ours() -> None:
        observe(attempt, adapter, host, lambda _: True)

    try:
        return compare("one cell against a bare launch of the same agent", ours, theirs, aim=2.0)
    finally:
        session.close()
        scene.close()


BENCHES: tuple[Callable[[], Ratio], ...] = (launch, harness)
