"""The scene's network has no route out, is not the host's, and where it cannot be made nothing is sent."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapters.none import NoneAdapter
from conformance.attempts.common import beside, confine
from conformance.core import holder, netns
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.netns import IsolatedNetwork, NoIsolatedNetwork, isolated_network
from conformance.core.observe import observe
from conformance.core.scene import Scene
from conformance.core.steps import udp
from conformance.core.words import Severity
from conformance.meta.samples import word
from conformance.witnesses.listeners import Hears
from sandbox.host import Host
from sandbox.policy.rules import RuleKind

PUBLIC = "198.51.100.9"  # RFC 5737, TEST-NET-2: put on the scene's own lo
NAMES = (
    "import json,os,socket;"
    "print(json.dumps([[n for _,n in socket.if_nameindex()],os.getuid(),os.readlink('/proc/self/ns/net')]))"
)


@pytest.fixture
def network() -> Iterator[IsolatedNetwork]:
    try:
        made = isolated_network()
    except NoIsolatedNetwork as error:
        pytest.skip(f"no isolated network on this host: {error}")
    yield made
    made.close()


def inside(network: IsolatedNetwork, source: str, *words: str) -> str:
    command = [*network.prefix, sys.executable, "-I", "-S", "-c", source, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout


def test_it_has_only_lo_and_the_same_user(network: IsolatedNetwork) -> None:
    names, uid, link = json.loads(inside(network, NAMES))
    assert (names, uid) == (["lo"], os.getuid())
    assert link != os.readlink("/proc/self/ns/net")
    assert network.proof.startswith("only lo; no route to 198.51.100.77, ")


@pytest.mark.parametrize("datagram", [False, True])
def test_a_public_address_is_answered_inside_only(network: IsolatedNetwork, datagram: bool) -> None:
    heard = Hears(network.listen(PUBLIC, datagram=datagram), "a-nonce", "a public address")
    with heard.sock:
        kind = "SOCK_DGRAM" if datagram else "SOCK_STREAM"
        call = f"import socket,sys;s=socket.socket(socket.AF_INET,socket.{kind});s.settimeout(2);s.connect((sys.argv[1],int(sys.argv[2])))"
        inside(network, f"{call};s.send(b'a-nonce')", PUBLIC, str(heard.port))
        assert heard.look(b"").landed


def test_a_listener_on_its_loopback_cannot_be_reached_from_the_host(network: IsolatedNetwork) -> None:
    with network.listen("127.0.0.1") as sock:
        port = sock.getsockname()[1]
        with socket.socket() as ours:
            ours.settimeout(2)
            assert ours.connect_ex(("127.0.0.1", port)) != 0


def test_nothing_else_can_be_reached_from_inside(network: IsolatedNetwork) -> None:
    source = "import socket,sys;s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);print(s.connect_ex((sys.argv[1],53)))"
    for address in ("9.9.9.9", "169.254.169.254", "10.0.0.1"):
        assert int(inside(network, source, address)) != 0


def test_the_hosts_loopback_is_another_one(network: IsolatedNetwork) -> None:
    with socket.socket() as ours:
        ours.bind(("127.0.0.1", 0))
        ours.listen()
        source = "import socket,sys;print(socket.socket().connect_ex(('127.0.0.1',int(sys.argv[1]))))"
        assert int(inside(network, source, str(ours.getsockname()[1]))) != 0


def test_its_host_name_is_its_own(network: IsolatedNetwork) -> None:
    before = socket.gethostname()
    assert network.hostname() == before
    if os.geteuid() == 0:
        inside(network, "import socket;socket.sethostname('scene-name')")
        assert network.hostname() == "scene-name"
    assert socket.gethostname() == before


def test_it_ends_with_its_scene() -> None:
    try:
        made = isolated_network()
    except NoIsolatedNetwork as error:
        pytest.skip(f"no isolated network on this host: {error}")
    made.close()
    assert not Path(f"/proc/{made.pid}").exists()


def test_a_bad_request_is_an_answer_not_a_hang(network: IsolatedNetwork) -> None:
    with pytest.raises(NoIsolatedNetwork, match=r"not-an-address|illegal"):
        network.listen("not-an-address")
    with pytest.raises(NoIsolatedNetwork, match="surprise"):
        network._ask({"op": "surprise"})
    assert network.hostname()


# --- where it cannot be made -------------------------------------------------------------------------------------------------


def _arm(scene: Scene) -> Armed:
    network = scene.isolate_network()
    heard = Hears(network.listen(PUBLIC, datagram=True), scene.nonce(), "a public address")
    scene.keep_open(heard.sock)
    return confine(scene, udp(PUBLIC, heard.port, heard._nonce.decode()), heard, beside(scene))


NETWORKED = Attempt(
    title="A sample that needs a network.",
    requirement="It is stopped.",
    violates=RuleKind.NET_OFF,
    severity=Severity.LOW,
    arm=_arm,
    needs=frozenset((Need.NETWORK,)),
    id="net/meta/sample",
)


def told(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """In a process that has no network yet."""
    monkeypatch.setattr(netns, "_shared", {})
    evidence = observe(NETWORKED, NoneAdapter(), Host.detect(), None)
    return word(evidence), evidence.note


def test_an_attempt_lands_in_its_network(network: IsolatedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch) == ("escaped landed", "")


def test_without_nsenter_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "nsenter" else which(name))
    with pytest.raises(NoIsolatedNetwork, match="nsenter"):
        isolated_network()
    assert told(monkeypatch) == ("not-run no-isolated-network", "nsenter (util-linux) is not on PATH")


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("def make_namespaces():\n    raise OSError(1, 'unshare: Operation not permitted')\n", "Operation not permitted"),
        ("def make_namespaces():\n    pass\ndef loopback_up():\n    pass\n", "expected no"),
        ("def make_namespaces():\n    os._exit(3)\n", "ended"),
    ],
    ids=["namespaces-refused", "still-the-hosts-network", "holder-died"],
)
def test_a_holder_that_fails_or_cannot_prove_it(fault: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A holder with one function replaced: the start is refused, and so is the attempt."""
    if why == "expected no" and [name for _, name in socket.if_nameindex()] == ["lo"]:
        pytest.skip("this host has no interface but lo itself")
    source = Path(str(holder.__file__)).read_text(encoding="utf-8")
    broken = tmp_path / "holder.py"
    broken.write_text(source.replace("def main() -> None:", f"{fault}\n\ndef main() -> None:"), encoding="utf-8")
    monkeypatch.setattr(netns, "HOLDER", broken)
    if shutil.which("nsenter") is None:
        pytest.skip("nsenter is not on PATH")
    observed, note = told(monkeypatch)
    assert observed == "not-run no-isolated-network"
    assert why in note
