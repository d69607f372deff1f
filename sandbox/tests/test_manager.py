"""The seam of ACP agents and the harness's bash: which backend, which environment, and what refuses."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from sandbox.backends.base import Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.errors import BackendUnavailable, PolicyError, SandboxError, UnenforceableRule
from sandbox.host import Host
from sandbox.launch.manager import SandboxManager
from sandbox.launch.port import SandboxPort
from sandbox.launch.process import spawn
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.probe import Switch
from sandbox.spec import SandboxBackend, SandboxSpec
from sandbox.tests.support import LINUX, Place, mount, native, spec

HERE = Probe(available=True, note="bubblewrap")
GONE = Probe(available=False, note="bubblewrap is missing", requires_install=True, hint="install it")
ENVIRON = {"PATH": "/usr/bin:.", "HOME": "/h", "TOKEN": "secret", "LD_PRELOAD": "/x.so", "LANG": "C"}


def empty(_: SandboxSpec, __: Host) -> Policy:
    return Policy(rules=(Rule(RuleKind.NET_OFF),), roots=())


def manager(probe: Probe = HERE, switch: Switch = Switch.ON) -> SandboxManager:
    return SandboxManager(probe=probe, switch=switch, host=LINUX, resolve=empty, native=Bubblewrap("/nowhere/bwrap"))


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("sandbox.")]


def test_the_default_steps_down_to_native_with_one_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sandbox")
    found = manager().wrap(spec(), ["agent", "--acp"], ENVIRON)
    assert found.backend is SandboxBackend.NATIVE is found.plan.backend
    assert found.command == ("agent", "--acp")
    assert found.plan.argv[0] == "/nowhere/bwrap"
    assert found.plan.argv[-1] == "--"
    assert lines(caplog) == ["sandbox: no microvm on this host; the default steps down to native"]


def test_native_by_name_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sandbox")
    assert manager().wrap(spec(), ["x"], ENVIRON, requested=SandboxBackend.NATIVE).backend is SandboxBackend.NATIVE
    assert lines(caplog) == []


def test_without_a_backend_the_environment_is_clean_and_none_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sandbox")
    found = manager(GONE).wrap(spec(mount("/w")), ["x"], ENVIRON)
    assert found.backend is SandboxBackend.NONE is found.plan.backend
    assert found.plan.argv == ()
    assert found.plan.env == {"PATH": "/usr/bin", "HOME": "/h", "LANG": "C", "TMPDIR": "/tmp"}
    assert found.plan.cwd == "/w"
    assert len(lines(caplog)) == 1
    assert "none" in lines(caplog)[0]


@pytest.mark.parametrize("probe", [HERE, GONE])
@pytest.mark.parametrize("requested", [None, SandboxBackend.NATIVE, SandboxBackend.NONE])
def test_switched_off(probe: Probe, requested: SandboxBackend | None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "sandbox")
    found = manager(probe, Switch.OFF).wrap(spec(), ["x"], ENVIRON, requested=requested)
    assert found.backend is SandboxBackend.NONE
    assert "TOKEN" not in found.plan.env
    assert lines(caplog) == []


@pytest.mark.parametrize("probe", [HERE, GONE])
@pytest.mark.parametrize("switch", list(Switch))
def test_microvm_by_name_is_never_replaced(probe: Probe, switch: Switch) -> None:
    with pytest.raises(BackendUnavailable, match="microvm"):
        manager(probe, switch).wrap(spec(), ["x"], ENVIRON, requested=SandboxBackend.MICROVM)


def test_native_by_name_where_there_is_none() -> None:
    with pytest.raises(BackendUnavailable, match=r"bubblewrap is missing.*install it"):
        manager(GONE).wrap(spec(), ["x"], ENVIRON, requested=SandboxBackend.NATIVE)


@pytest.mark.parametrize("probe", [HERE, GONE])
@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyError("x"), OSError(5, "io"), PolicyError("no")])
def test_an_error_while_resolving_refuses(probe: Probe, error: Exception) -> None:
    def broken(_: SandboxSpec, __: Host) -> Policy:
        raise error

    with pytest.raises(PolicyError) as caught:
        replace(manager(probe), resolve=broken).wrap(spec(), ["x"], ENVIRON)
    assert caught.value is error or "nothing is started" in str(caught.value)
    port = SandboxPort(probe=probe, switch=Switch.ON, host=LINUX, environ=ENVIRON, resolve=broken)
    with pytest.raises(PolicyError):
        port.launch(spec())
    with pytest.raises(SandboxError):
        port.exec(port.launch(spec()), ["/bin/true"])


def test_a_spec_that_cannot_be_understood_is_refused_without_a_backend_too() -> None:
    with pytest.raises(PolicyError):
        replace(manager(GONE), resolve=None).wrap(spec(mount("relative")), ["x"], ENVIRON)


def test_the_default_policy_is_refused_by_name(tmp_path: Place) -> None:
    seam = replace(manager(), resolve=None)
    with pytest.raises(UnenforceableRule, match=r"fs\.alias-deny"):
        seam.wrap(spec(), ["x"], ENVIRON)


def test_both_seams_hold_the_same_probe() -> None:
    port = SandboxPort(probe=HERE, switch=Switch.ON, host=LINUX)
    assert port.probe is HERE is manager().probe


def test_a_wrapped_command_really_runs_confined(place: Place) -> None:
    def resolved(wanted: SandboxSpec, _: Host) -> Policy:
        return place.policy(wanted=wanted)

    seam = SandboxManager(probe=native(), switch=Switch.ON, host=Host.detect(), resolve=resolved)
    place.make("work/sub/")
    wanted = replace(spec(mount(place.work)), guest_workdir=str(place.work / "sub"))
    found = seam.wrap(wanted, ["/bin/sh", "-c", "pwd >here; echo x >../.git/hooks/h"], ENVIRON)
    running = spawn(found.plan, found.command)
    running.process.wait(10)
    running.end()
    assert (place.work / "sub/here").read_text().strip() == str(place.work / "sub")
    assert list((place.work / ".git/hooks").iterdir()) == []
