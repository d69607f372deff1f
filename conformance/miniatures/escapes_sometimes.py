"""Escapes one time in five: really confined, but every fifth start is free. Seen only where an attempt is made more than once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, confined, free, ids
from sandbox.backends.plan import LaunchPlan
from sandbox.launch.process import Confined
from sandbox.policy.rules import Policy
from sandbox.sessions import Launcher, Surface

EVERY = 5


class Careless(PlanSession):
    """Asks for its plan anew before each start."""

    choose: Callable[[], LaunchPlan]

    def start(self, command: Sequence[str], launcher: Launcher) -> Confined:
        self.plan = self.choose()
        return PlanSession.start(self, command, launcher)


class EscapesSometimes(Miniature):
    needs_bwrap = True

    def __init__(self) -> None:
        super().__init__()
        self._starts = 0

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Careless:
        strict, loose = confined(policy, scene), free(scene)

        def choose() -> LaunchPlan:
            self._starts += 1
            return loose if self._starts % EVERY == 0 else strict

        session = Careless(plan=strict, paths=scene.symbols | {"$TMP": "/tmp"}, sent=ids(policy))
        session.choose = choose
        return session


ADAPTER = EscapesSometimes()
