"""The plain user: what it is, what it cannot do, and that nothing of it stays."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ci.enter import UNAVAILABLE, Order
from ci.paths import ROOT
from ci.plainuser import Account, PlainUser, PlainUserUnavailable, account_lines, checked, environment, pick_account
from ci.say import Stop

needs_root = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root on Linux can make a plain user"
)


@pytest.fixture
def user() -> Iterator[PlainUser]:
    try:
        with PlainUser() as made:
            if (code := made.run(["/bin/true"], print)) != 0:
                pytest.fail(f"expected /bin/true to end with 0; got {code}")
            yield made
    except PlainUserUnavailable as error:
        pytest.skip(str(error))


def as_user(user: PlainUser, code: str) -> list[str]:
    lines: list[str] = []
    assert user.run([os.path.realpath(sys.executable), "-c", code], lines.append) == 0, lines
    return lines


@needs_root
def test_it_has_a_name_a_home_and_no_groups(user: PlainUser) -> None:
    lines = as_user(
        user,
        "import os, pwd, grp, pathlib\n"
        "me = pwd.getpwuid(os.getuid())\n"
        "print(me.pw_name, me.pw_dir, pathlib.Path.home(), grp.getgrgid(os.getgid()).gr_name, os.getgroups(), os.getcwd())",
    )
    name = user.account.name
    assert lines == [f"{name} /home/{name} /home/{name} {name} [] {ROOT}"]


@needs_root
def test_its_home_is_as_good_as_any(user: PlainUser) -> None:
    as_user(
        user,
        "import os, pathlib\n"
        "home = pathlib.Path.home()\n"
        "(home / 'a').write_text('x')\n"
        "os.link(home / 'a', home / 'b')\n"
        "os.setxattr(home / 'a', 'user.test', b'1')\n"
        "os.close(os.open(home, os.O_TMPFILE | os.O_RDWR))",
    )


@needs_root
def test_it_reads_the_suite_and_cannot_write_it(user: PlainUser) -> None:
    lines = as_user(
        user,
        "import os, pathlib\n"
        "print(len(pathlib.Path('ci/enter.py').read_text()) > 0)\n"
        "for path in ('new', 'ci/enter.py', 'ci/tests/new'):\n"
        "    try:\n"
        "        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)); print('wrote', path)\n"
        "    except OSError as error:\n"
        "        print(error.errno in (1, 13, 30))",
    )
    assert lines == ["True"] * 4


@needs_root
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_it_starts_bubblewrap(user: PlainUser) -> None:
    lines: list[str] = []
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    assert user.run([str(shutil.which("bwrap")), *command[1:]], lines.append) == 0, lines


@needs_root
def test_it_has_nothing_of_roots(user: PlainUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_ROOT", "x")
    lines = as_user(
        user,
        "import os\n"
        "print('SECRET_OF_ROOT' in os.environ, os.isatty(0), sorted(os.listdir('/proc/self/fd'))[:3])\n"
        "print([l for l in open('/proc/self/status') if l.startswith('CapEff')][0].split()[1].strip('0'))",
    )
    assert lines == ["False False ['0', '1', '2']", ""]


@needs_root
def test_nothing_of_it_stays(tmp_path: Path) -> None:
    before = (sorted(os.listdir("/home")), Path("/etc/passwd").read_bytes(), Path("/etc/group").read_bytes())
    try:
        with PlainUser(base=tmp_path) as user:
            as_user(user, "import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)")
            uid = user.account.uid
    except PlainUserUnavailable as error:
        pytest.skip(str(error))
    assert (sorted(os.listdir("/home")), Path("/etc/passwd").read_bytes(), Path("/etc/group").read_bytes()) == before
    assert list(tmp_path.iterdir()) == []
    alive = [p for p in Path("/proc").iterdir() if p.name.isdigit() and p.exists() and p.stat().st_uid == uid]
    assert [p for p in alive if "State:\tZ" not in (p / "status").read_text(encoding="utf-8")] == []


@needs_root
def test_an_interruption_cleans_up(tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), PlainUser(base=tmp_path) as user:  # noqa: PT012 - the block is the thing tested
        code = "import time; print('up', flush=True); time.sleep(600)"
        user.run([os.path.realpath(sys.executable), "-c", code], interrupt)
    assert list(tmp_path.iterdir()) == []


@needs_root
@pytest.mark.parametrize("trick", ["os.symlink('/etc/passwd', 'run')", "os.mkfifo('run')", "os.mkdir('run')", "pass"])
def test_a_planted_result_is_refused(user: PlainUser, tmp_path: Path, trick: str) -> None:
    as_user(user, f"import os; os.chdir(os.path.expanduser('~')); {trick}")
    with pytest.raises(Stop, match="run"):
        user.fetch("run", tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_a_result_comes_back(user: PlainUser, tmp_path: Path) -> None:
    as_user(user, "import pathlib; (pathlib.Path.home() / 'run').write_text('evidence')")
    user.fetch("run", tmp_path / "run")
    assert (tmp_path / "run").read_text(encoding="utf-8") == "evidence"
    assert (tmp_path / "run").stat().st_uid == 0


def test_an_account_collides_with_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(1)
    monkeypatch.setattr("ci.plainuser.secrets.choice", lambda numbers: 20_000 + dice.randrange(3))
    assert {pick_account((), (20_000, 20_002)).uid for _ in range(20)} == {20_001}


def test_account_lines() -> None:
    passwd, group = account_lines(Account(name="u", uid=20_000), Path("/home/u"))
    assert passwd == "u:x:20000:20000:sandproof:/home/u:/bin/sh\n"
    assert group == "u:x:20000:\n"


def test_the_environment_is_made_not_inherited() -> None:
    made = environment(Account(name="u", uid=20_000), Path("/home/u"), {"SECRET": "x", "CI": "true", "PATH": "/usr/bin"})
    assert "SECRET" not in made
    assert made["CI"] == "true"
    assert made["HOME"] == "/home/u"


def test_an_order_survives_its_text() -> None:
    order = Order(name="u", uid=1, work="/w", home_parent="/home", wanted=("/a", "/b"), argv=("x",), env={"A": "b"})
    assert Order.load(order.dump()) == order


def test_unavailable_names_the_next_step() -> None:
    assert checked(3, "anything") == 3
    with pytest.raises(PlainUserUnavailable) as error:
        checked(UNAVAILABLE, "plain user: expected a namespace; got: no. next: do this")
    assert error.value.next_step == "do this"
