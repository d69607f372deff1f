"""Checks and then uses: an in-process guard that resolves a path, decides, gives way for a moment, and then opens it *by name*.
Every plain attempt on files is stopped; whoever exchanges a directory between check and use gets out. Races are calibrated on it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, free, free_paths, ids
from sandbox.launch.process import Confined
from sandbox.policy.rules import Policy, RuleKind
from sandbox.sessions import Launcher, Surface

GUARD = """
import errno, importlib.util, json, os, sys, time
roots, unwritable, unreadable = json.loads(sys.argv[1])
spec = importlib.util.spec_from_file_location("agent", sys.argv[-1])
agent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agent)
plain_write, plain_read = agent.write, agent.read
def below(path, places):
    return any(path == place or path.startswith(place + "/") for place in places)
def write(path, data, append, executable):
    parent = os.path.realpath(os.path.dirname(path))
    allowed = below(parent, roots) and not below(parent, unwritable)
    time.sleep(0.0001)
    if not allowed:
        raise OSError(errno.EACCES, "denied")
    plain_write(path, data, append, executable)
def read(path):
    if below(os.path.realpath(path), unreadable):
        raise OSError(errno.EACCES, "denied")
    return plain_read(path)
agent.write = agent.VERBS["write"] = write
agent.read = agent.VERBS["read"] = read
agent.main()
"""


class Guarded(PlanSession):
    rules: str

    def start(self, command: Sequence[str], launcher: Launcher) -> Confined:
        python, agent = command[0], command[-1]
        return PlanSession.start(self, (python, "-I", "-S", "-c", GUARD, self.rules, agent), launcher)


class ChecksThenUses(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Guarded:
        kinds = (RuleKind.FS_WRITE_ALLOW, RuleKind.FS_WRITE_DENY, RuleKind.FS_READ_DENY)
        session = Guarded(plan=free(scene), paths=free_paths(scene), sent=ids(policy))
        session.rules = json.dumps([[str(scene.host(rule.target).resolve()) for rule in policy.of(kind)] for kind in kinds])
        return session


ADAPTER = ChecksThenUses()
