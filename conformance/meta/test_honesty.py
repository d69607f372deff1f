"""Ways in which careless sandboxes once looked green here. Each of these adapters confines nothing or not what it should."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from conformance.adapters.base import PlanSession
from conformance.adapters.none import NoneAdapter
from conformance.core.adapter import AdapterRefused
from conformance.core.catalogue import load_attempts
from conformance.core.evidence import Facts, Verdict
from conformance.core.judge import judge
from conformance.core.netns import NoIsolatedNetwork, isolated_network
from conformance.core.observe import observe
from conformance.core.runner import Runner
from conformance.core.scene import Scene
from conformance.core.words import Observed, Reason
from sandbox.host import Host
from sandbox.launch.process import Confined
from sandbox.policy.rules import Policy
from sandbox.sessions import Launcher, Surface


class Odd(NoneAdapter):
    """Like no sandbox, but for one oddity. It is not the control: its id differs."""

    id = "odd"

    def __init__(self, session: type[PlanSession] = PlanSession) -> None:
        self._session = session

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        plain = super().open(surface, policy, scene)
        return self._session(plan=plain.plan, paths=plain.paths, sent=(), not_sent=plain.not_sent)


def seen(name: str, session: type[PlanSession]) -> Verdict:
    """What the odd adapter gets; its control is made by the real `none`."""
    control = Runner()
    found = next(a for a in load_attempts() if a.id == name)
    return observe(found, Odd(session), Host.detect(), lambda a: control.cell(a, NoneAdapter()).facts.landed > 0).verdict


@dataclass(kw_only=True, slots=True)
class BreaksGit(PlanSession):
    """Confines nothing, and leaves the repository so that the host's next commit does not work."""

    def start(self, command: Sequence[str], launcher: Launcher) -> Confined:
        running = PlanSession.start(self, command, launcher)
        work = Path(self.paths["$WORK"])
        (work / ".git" / "index.lock").touch()
        (work / ".git" / "hooks").chmod(0o500)
        (work / ".git" / "hooks").rename(work / ".git" / "gone")
        return running


def test_a_host_trigger_that_does_not_work_proves_nothing() -> None:
    found = seen("fs/deny/hook-direct", BreaksGit)
    assert found == Verdict(observed=Observed.INCONCLUSIVE, reason=Reason.PHASE_MISSING)


@dataclass(kw_only=True, slots=True)
class CopiesOutLate(PlanSession):
    """Runs on a copy and brings the results back in the background, after it said that it was done."""

    def close(self) -> None:
        PlanSession.close(self)
        script = "import sys,time; time.sleep(0.1); open(sys.argv[1],'w').write(open(sys.argv[2]).read())"
        target, kept = Path(self.paths["$OUT"], "stray.txt"), Path(self.paths["$SCRATCH"], "kept")
        if target.exists():
            target.rename(kept)
            words = [sys.executable, "-I", "-S", "-c", script, str(target), str(kept)]
            subprocess.run(["/bin/sh", "-c", '"$@" & exit 0', "sh", *words], check=True)


def test_what_is_copied_out_in_the_background_is_seen() -> None:
    assert seen("fs/write/outside/elsewhere", CopiesOutLate).observed is Observed.ESCAPED


class Elsewhere(PlanSession):
    """Runs in a network of its own choice, as a daemon or a virtual machine does."""

    prefix: tuple[str, ...] = ()

    def start(self, command: Sequence[str], launcher: Launcher) -> Confined:
        return PlanSession.start(self, command, replace(launcher, prefix=self.prefix))


@pytest.fixture(params=["169.254.169.254", "198.51.100.77"])
def address_elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address that answers where the odd sandbox runs: a metadata service, or one that nothing should have a route to."""
    try:
        network = isolated_network()
    except NoIsolatedNetwork as error:
        pytest.skip(str(error))
    with network.listen(str(request.param), 80):
        monkeypatch.setattr(Elsewhere, "prefix", network.prefix)
        yield str(request.param)
    network.close()


def test_a_call_that_is_answered_elsewhere_is_not_enforced(address_elsewhere: str) -> None:
    found = seen("net/metadata/aws-v1", Elsewhere)
    routed = address_elsewhere != "169.254.169.254"
    assert found.reason is (Reason.NO_ISOLATED_NETWORK if routed else Reason.WENT_ELSEWHERE)


@pytest.mark.parametrize(
    "reason", [r for r in Reason if r not in (Reason.ADAPTER_REFUSED, Reason.UNENFORCEABLE_RULE, Reason.NO_READY_BEACON)]
)
def test_an_adapter_cannot_choose_its_own_word(reason: Reason) -> None:
    with pytest.raises(ValueError, match="refused-to-run"):
        AdapterRefused(reason, "")
    for facts in (Facts(refused=reason), Facts(not_run=reason)):
        assert judge(facts).observed in (Observed.NOT_RUN,)
