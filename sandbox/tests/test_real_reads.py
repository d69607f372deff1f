"""Real launches: what can be seen, and what cannot, now or later."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.tests.support import Place, mount, spec

READ = RuleKind.FS_READ_ALLOW
WRITE = RuleKind.FS_WRITE_ALLOW
HIDE = RuleKind.FS_READ_DENY


def test_home_is_seen_but_for_its_secrets(place: Place) -> None:
    place.make("home/.config/gh/token", "home/.config/app/settings", "home/.local/share/keyrings/k", "home/.local/share/fine")
    said = place.run("cat ~/notes ~/.config/app/settings ~/.local/share/fine; find ~ | sort; touch ~/x")
    assert said.out.startswith("home/noteshome/.config/app/settingshome/.local/share/fine")
    assert not any(secret in said.out for secret in (".ssh", "gh", "keyrings"))
    assert not (place.home / "x").exists()


def test_a_secret_made_after_the_launch_is_not_seen(place: Place) -> None:
    place.make("home/.config/app/")
    running = place.start("echo ready; read go; cat ~/.aws/credentials ~/.config/gh/token ~/.netrc; echo done")
    out, stdin = running.process.stdout, running.process.stdin
    assert out is not None
    assert stdin is not None
    assert out.readline() == b"ready\n"
    place.make("home/.aws/credentials", "home/.config/gh/token", "home/.netrc")
    stdin.write(b"go\n")
    stdin.flush()
    assert out.readline() == b"done\n"


def test_masks_inside_a_writable_root(place: Place) -> None:
    place.make("work/secrets/key", "work/token")
    rules = (Rule(WRITE, "$WORK"), Rule(HIDE, "$WORK/secrets"), Rule(HIDE, "$WORK/token"), Rule(HIDE, "$WORK/later"))
    policy = place.small(*rules, WORK=place.work)
    said = place.run(
        "cat secrets/key token; ls -A secrets; chmod 777 secrets token; mv secrets s; mv token t; rm -rf later; echo x >later; "
        "ln token alias; cp token copy; echo fine >fine",
        policy,
    )
    assert said.out == ""
    assert (place.work / "fine").exists()
    assert not (place.work / "later").exists()
    assert (place.work / "secrets/key").read_text() == "work/secrets/key"
    assert not (place.work / "s").exists()
    assert not (place.work / "alias").exists()


def test_only_named_roots_are_seen(place: Place) -> None:
    place.make("other/secret")
    said = place.run(f"ls {place.base}; cat {place.base}/other/secret; ls /tmp /var/tmp; ls /; ls /root /home /var /run /sys /mnt /srv")
    assert "other" not in said.out.split()
    assert "secret" not in said.out


def test_a_denied_path_in_a_system_directory(place: Place) -> None:
    target = "/etc/hostname" if os.path.exists("/etc/hostname") else "/etc/passwd"
    policy = place.small(Rule(HIDE, target))
    assert place.run(f"cat {target}; ls /etc/group", policy).out == "/etc/group\n"


def test_a_denied_path_that_no_root_names_and_no_confinement_hides(place: Place) -> None:
    place.make("other/sub/secret", "other/sub/fine")
    rule = Rule(HIDE, "$OTHER/sub/secret")
    policy = place.small(rule, OTHER=place.base / "other").without(RuleKind.FS_READ_CONFINE, RuleKind.NET_UNIX, RuleKind.FS_SCRATCH_PRIVATE)
    said = place.run(f"cd {place.base}/other/sub; cat fine secret; ls -A", policy)
    assert said.out == "other/sub/finefine\n"


@pytest.mark.parametrize("by", ["link", "real"])
def test_a_secret_directory_that_is_a_link(by: str, place: Place) -> None:
    place.make("home/dotfiles/ssh/id", "home/dotfiles/vim")
    (place.home / ".ssh/id").unlink()
    (place.home / ".ssh").rmdir()
    (place.home / ".ssh").symlink_to("dotfiles/ssh" if by == "link" else place.home / "dotfiles/ssh")
    said = place.run("cat ~/.ssh/id ~/dotfiles/ssh/id; cat ~/dotfiles/vim")
    assert said.out == "home/dotfiles/vim"


def test_a_home_that_is_reached_through_a_link(place: Place) -> None:
    (place.base / "house").symlink_to(place.home)
    policy = place.small(Rule(READ, "$HOME"), Rule(HIDE, "$HOME/.ssh"), HOME=place.base / "house")
    said = place.run(f"cat {place.base}/house/notes {place.home}/notes {place.base}/house/.ssh/id {place.home}/.ssh/id", policy)
    assert said.out == "home/notes" * 2


def test_a_workspace_inside_home(place: Place) -> None:
    place.make("home/src/project/.git/hooks/", "home/src/other/file")
    policy = place.policy(wanted=spec(mount(place.home / "src/project")))
    said = place.run("cat ~/src/other/file; echo x >new; echo x >~/src/other/new; cat ~/.ssh/id", policy)
    assert said.out == "home/src/other/file"
    assert (place.home / "src/project/new").exists()
    assert not (place.home / "src/other/new").exists()


def test_a_workspace_around_home(place: Place) -> None:
    """The bind root contains the home directory: secrets stay hidden, those that are made later too, and the rest is writable."""
    place.make("all/.git/hooks/", "all/home/.ssh/id", "all/home/notes")
    found = place.policy(wanted=spec(mount(place.base / "all")))
    policy = Policy(rules=found.rules, roots=(("$HOME", f"{place.base}/all/home"), ("$WORK", f"{place.base}/all")))
    running = place.start("echo ready; read go; cat home/.ssh/id home/.kube/x; mv home h; echo x >home/new; echo done", policy)
    out, stdin = running.process.stdout, running.process.stdin
    assert out is not None
    assert stdin is not None
    assert out.readline() == b"ready\n"
    place.make("all/home/.kube/x")  # into the stub
    stdin.write(b"go\n")
    stdin.flush()
    assert out.readline() == b"done\n"
    assert (place.base / "all/home/new").exists()
    running.end()
    assert set(os.listdir(place.base / "all/home")) == {".ssh", ".kube", "notes", "new"}


def test_sockets_and_pipes_of_home_are_left_out(place: Place) -> None:
    import socket

    os.mkfifo(place.home / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(place.home)
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        assert set(place.run("ls -A ~").out.split()) == {"notes"}


def test_an_unreadable_entry_of_home(place: Place) -> None:
    place.make("home/private/x")
    (place.home / "private").chmod(0)
    try:
        said = place.run("cat ~/notes")
    finally:
        (place.home / "private").chmod(0o700)
    assert said.out == "home/notes"


def test_an_entry_of_home_that_goes_away_before_the_launch(place: Place) -> None:
    from sandbox.launch.process import spawn

    plan = place.plan()
    (place.home / "notes").unlink()
    running = spawn(plan, ["/bin/true"])
    assert running.process.wait(10) == 0
    running.end()


def test_scratch_is_private_and_gone_afterwards(place: Place) -> None:
    name = f"sandproof-{os.getpid()}"
    said = place.run(f"for d in /tmp /var/tmp /dev/shm; do echo x >$d/{name} && ls $d; done")
    assert said.out.count(name) == 3
    assert not any(Path(top, name).exists() for top in ("/tmp", "/var/tmp", "/dev/shm"))


def test_a_large_home_still_launches(place: Place) -> None:
    for number in range(150):
        (place.home / f"file{number}").touch()
    assert len(place.run("ls ~").out.split()) == 151
