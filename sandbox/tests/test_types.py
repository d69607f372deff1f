"""Names, variants, hosts: what is written down is read back."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.backends.plan import LaunchPlan, Stub, StubKind
from sandbox.host import PLATFORMS, Host
from sandbox.spec import Mode, SandboxBackend
from sandbox.tests.support import quick
from sandbox.variant import Variant

names = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,6}[a-z0-9])?", fullmatch=True)


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        (None, "none"),
        ("", "none"),
        ("NATIVE", "none"),
        ("nonesuch", "none"),
        ("docker", "native"),
        ("DOCKER", "none"),
        ("native", "native"),
        ("microvm", "microvm"),
        ("none", "none"),
    ],
)
def test_backend_names(name: str | None, backend: str) -> None:
    assert SandboxBackend.from_name(name) == backend


@quick
@given(st.text())
def test_no_unknown_name_gets_a_stronger_label(name: str) -> None:
    known = {"microvm", "native", "docker"}
    assert name in known or SandboxBackend.from_name(name) is SandboxBackend.NONE


@quick
@given(names, st.none() | names, st.sampled_from(Mode), names, st.none() | names)
def test_variants_round_trip(backend: str, transport: str | None, mode: Mode, policy: str, code_host: str | None) -> None:
    variant = Variant(backend=backend, transport=transport, mode=mode, policy=policy, code_host=code_host)
    assert Variant.parse(str(variant)) == variant


@pytest.mark.parametrize("text", ["", "Native", "a b", "native/", "+native", "native@", "native/nonesuch", "native\n", "a+b+c", "-a"])
def test_no_variant(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Variant.parse(text)


@quick
@given(st.sampled_from(PLATFORMS), st.booleans(), st.booleans(), st.booleans())
def test_hosts_round_trip(platform: str, root: bool, container: bool, userns: bool) -> None:
    host = Host(platform=platform, root=root, container=container, userns=userns)
    assert Host.parse(host.label) == host


@quick
@given(st.one_of(st.text(), st.lists(st.sampled_from(["linux", "root", "user", "container", "no-userns", ""]), max_size=5).map("/".join)))
def test_a_host_label_is_read_exactly_or_not_at_all(text: str) -> None:
    try:
        host = Host.parse(text)
    except ValueError:
        return
    assert host.label == text


def test_this_host_has_a_label() -> None:
    assert Host.parse(Host.detect().label) == Host.detect()


def test_a_launch_plan_is_data() -> None:
    def plan() -> LaunchPlan:
        stub = Stub(root="/w", path="/w/x", kind=StubKind.FILE)
        return LaunchPlan(backend=SandboxBackend.NATIVE, argv=("a", "--"), env={"A": "b"}, stubs=(stub,), chdir_option="--chdir")

    assert plan() == plan()
    assert dataclasses.replace(plan(), argv=()) != plan()
    assert plan().at("/d").argv == ("a", "--chdir", "/d", "--")
    assert plan().at("/c").at("/d") == plan().at("/d")
    assert dataclasses.replace(plan(), chdir_option="").at("/d").cwd == "/d"
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan().argv = ()  # type: ignore[misc]
