"""Real launches: what can be written, and what cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.errors import BackendUnavailable
from sandbox.host import Host
from sandbox.policy.rules import Rule, RuleKind
from sandbox.spec import Mode
from sandbox.tests.support import Place, mount, spec

WRITE = RuleKind.FS_WRITE_ALLOW
DENY = RuleKind.FS_WRITE_DENY


def test_work_lands_and_denied_paths_do_not(place: Place) -> None:
    said = place.run("echo x >new; echo x >.git/index; echo x >.git/hooks/pre-commit; echo x >.git/config; mkdir .vscode/x; exit 0")
    assert (place.work / "new").read_text() == "x\n"
    assert (place.work / ".git/index").exists()
    assert list((place.work / ".git/hooks").iterdir()) == []
    assert (place.work / ".git/config").read_text() == "work/.git/config"
    assert not (place.work / ".vscode").exists()
    assert said.err.count("Read-only file system") == 3


@pytest.mark.parametrize(
    "attack",
    [
        "mv .git g",
        "rm -rf .git",
        "rmdir .git/hooks",
        "mv .git/hooks h",
        "mv .git/config c",
        "ln -sf /bin/sh .git/config",
        "mv -T . ../gone",
        "umount .git/hooks",
        "chmod 777 .git/hooks",
        "mount -o remount,rw .git/hooks",
    ],
)
def test_ways_around(attack: str, place: Place) -> None:
    assert place.run(attack).code != 0
    assert (place.work / ".git/hooks").is_dir()
    assert (place.work / ".git/config").read_text() == "work/.git/config"


def test_a_higher_ancestor_is_pinned_too(tmp_path: Path, place: Place) -> None:
    place.make("tree/a/b/repo/.git/hooks/")
    policy = place.small(Rule(WRITE, "$WORK"), Rule(DENY, "$WORK/a/b/repo/.git/hooks"), WORK=place.base / "tree")
    code = "for d in a a/b a/b/repo a/b/repo/.git a/b/repo/.git/hooks; do mv -T $d gone; rm -rf $d; rmdir $d; done; echo x >a/b/fine"
    said = place.run(code, policy)
    assert said.err.count("Device or resource busy") > 10
    assert (place.base / "tree/a/b/repo/.git/hooks").is_dir()
    assert (place.base / "tree/a/b/fine").exists()


def test_outside_the_roots_nothing_can_be_written(place: Place) -> None:
    place.make("outside/")
    where = f"{place.base} {place.base}/outside {place.home} / /etc /usr /home"
    place.run(f"for d in {where}; do echo x >$d/landed; done; exit 0")
    assert not list(place.base.rglob("landed"))
    assert not any(Path(top, "landed").exists() for top in ("/", "/etc", "/usr", "/home"))


@pytest.mark.parametrize("mode", [Mode.REVIEW, Mode.PLAN, Mode.ORCHESTRATE])
def test_read_only_modes(mode: Mode, place: Place) -> None:
    place.make("state/")
    policy = place.policy(wanted=spec(mount(place.work), mode=mode, state=[place.base / "state"]))
    state = place.base / "state"
    place.run(f"echo x >new; echo x >>file; cd {state}; echo x >kept; echo x >.mcp.json; mkdir -p .git/hooks; echo x >.git/hooks/h", policy)
    assert not (place.work / "new").exists()
    assert (place.work / "file").read_text() == "work/file"
    assert sorted(os.listdir(state)) == ["kept"]


def test_a_protected_checkout_inside_a_writable_root(place: Place) -> None:
    place.make("work/checkout/file", "work/checkout/.git/hooks/")
    policy = place.policy(wanted=spec(mount(place.work), protected=[place.work / "checkout"]))
    said = place.run("echo x >checkout/new; echo x >>checkout/file; mv checkout gone; echo x >beside; exit 0", policy)
    assert (place.work / "checkout/file").read_text() == "work/checkout/file"
    assert not (place.work / "checkout/new").exists()
    assert not (place.work / "gone").exists()
    assert (place.work / "beside").exists(), said.err


@pytest.mark.parametrize("protected", ["work", "."])
def test_a_protected_path_at_or_above_a_root_beats_it(protected: str, place: Place) -> None:
    policy = place.policy(wanted=spec(mount(place.work), protected=[os.path.normpath(place.base / protected)]))
    said = place.run("cat file; echo x >new", policy)
    assert said.out == "work/file"
    assert not (place.work / "new").exists()


def test_a_read_only_bind_inside_a_writable_one(place: Place) -> None:
    place.make("work/vendor/lib")
    policy = place.policy(wanted=spec(mount(place.work), mount(place.work / "vendor", read_only=True)))
    place.run("echo x >vendor/new; mv vendor v; echo x >beside", policy)
    assert sorted(os.listdir(place.work / "vendor")) == ["lib"]
    assert (place.work / "beside").exists()


def test_nested_writable_roots(place: Place) -> None:
    place.make("work/sub/.git/hooks/", "work/sub/.git/config")
    policy = place.policy(wanted=spec(mount(place.work), mount(place.work / "sub")))
    place.run("echo x >sub/new; echo x >sub/.git/hooks/h; echo x >.git/hooks/h; mv sub gone; mv sub/.git gone", policy)
    assert (place.work / "sub/new").exists()
    assert not list(place.work.rglob("h"))
    assert (place.work / "sub/.git/hooks").is_dir()
    assert (place.work / "sub/.git/config").read_text() == "work/sub/.git/config"


def test_a_git_file_is_held_itself(place: Place) -> None:
    """A linked worktree: its `.git` is a file, so nothing can be below it while it stays one."""
    place.make("tree/.git", "tree/code")
    policy = place.policy(wanted=spec(mount(place.base / "tree")))
    said = place.run("rm .git; mv .git g; echo x >.git; mkdir -p .git/hooks; cat .git; echo x >new", policy)
    assert said.out == "tree/.git"
    assert (place.base / "tree/.git").read_text() == "tree/.git"
    assert (place.base / "tree/new").exists()


@pytest.mark.parametrize("by", ["link", "real"])
def test_a_linked_root_is_seen_and_held_under_both_spellings(by: str, place: Place) -> None:
    (place.base / "link").symlink_to(place.work)
    wanted = spec(mount(place.base / "link" if by == "link" else place.work))
    policy = place.policy(wanted=wanted)
    spellings = [place.work, place.base / "link"] if by == "link" else [place.work]
    for number, spelling in enumerate(spellings):
        said = place.run(f"cd {spelling} && echo x >new{number}; echo x >.git/hooks/h; mv .git g", policy)
        assert (place.work / f"new{number}").exists(), said.err
        assert list((place.work / ".git/hooks").iterdir()) == []


def test_a_link_inside_home_leads_to_the_denied_path(place: Place) -> None:
    (place.home / "project").symlink_to(place.work)
    place.run("echo x >~/project/.git/hooks/h; echo x >~/project/fine")
    assert list((place.work / ".git/hooks").iterdir()) == []
    assert (place.work / "fine").exists()


@pytest.mark.parametrize("name", ["with space", "new\nline", "quote'\"$x", "bytes\udcff\udcfe", "-dash", "é", "*"])
def test_names_of_roots(name: str, place: Place) -> None:
    root = place.base / name
    try:
        os.makedirs(root / ".git/hooks")
    except OSError as error:
        pytest.skip(f"this file system refuses the name: {error}")
    said = place.run("echo x >new; echo x >.git/hooks/h; exit 0", place.policy(wanted=spec(mount(root))))
    assert os.path.exists(root / "new"), said.err
    assert os.listdir(root / ".git/hooks") == []
    assert sorted(os.listdir(root)) == [".git", "new"]


def test_an_absent_path_with_an_odd_name_is_held(place: Place) -> None:
    rule = Rule(DENY, "$WORK/a b\n/c\udcff")
    policy = place.small(Rule(WRITE, "$WORK"), rule, WORK=place.work)
    said = place.run("ls -A; rm -rf a*; mv a* z; exit 0", policy)
    assert "a b" in said.out
    assert sorted(os.listdir(place.work)) == [".git", "file"]


def test_a_root_below_a_system_directory(place: Place) -> None:
    policy = place.small(Rule(RuleKind.FS_READ_ALLOW, "$WORK"), WORK="/usr/share")
    assert place.run("ls >/dev/null && ! touch /usr/share/landed", policy).code == 0


@pytest.mark.xfail(strict=True, reason="known limit: a host rename onto a denied file detaches its mount (needs the write broker)")
def test_a_denied_file_that_the_host_replaces(place: Place) -> None:
    running = place.start("echo ready; read go; echo agent >.git/config")
    assert running.process.stdout is not None
    assert running.process.stdout.readline() == b"ready\n"
    (place.base / "new").write_text("host")
    (place.base / "new").rename(place.work / ".git/config")
    running.process.communicate(b"go\n", timeout=10)
    assert (place.work / ".git/config").read_text() == "host"


def test_a_program_named_bwrap_in_a_writable_root_is_not_started(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.work / "bwrap").write_text("#!/bin/sh\ntouch $0.ran\n")
    (place.work / "bwrap").chmod(0o755)
    (place.base / "tools").symlink_to(place.work)
    monkeypatch.setenv("PATH", f"{place.work}:{place.base}/tools:.:{os.environ['PATH']}")
    monkeypatch.chdir(place.work)
    assert place.run("echo confined").out == "confined\n"
    assert not (place.work / "bwrap.ran").exists()
    with pytest.raises(BackendUnavailable):
        Bubblewrap(str(place.base / "tools/bwrap")).compile(place.policy(), Host.detect(), {})
