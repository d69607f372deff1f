"""Which columns a machine has, and what happens to run files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ci import matrix
from ci.matrix import Selection, columns, observe
from ci.plainuser import PlainUserUnavailable
from ci.say import Stop


@pytest.mark.parametrize(
    ("platform", "uid", "expected"),
    [
        ("linux", 0, ("root", "user")),
        ("linux", 1000, ("user",)),
        ("darwin", 0, ("root",)),
        ("darwin", 501, ("user",)),
        ("win32", None, ("user",)),
    ],
)
def test_columns(platform: str, uid: int | None, expected: tuple[str, ...]) -> None:
    assert columns(platform, uid) == expected


def test_the_command_names_every_adapter_and_attempt() -> None:
    command = Selection(attempts=("fs/*",), jobs=2).command(Path("python"), Path("run.jsonl"))
    assert command.count("--adapter") == 3
    assert command[-6:] == ("--attempt", "fs/*", "--run-file", "run.jsonl", "--jobs", "2")


def fake_cli(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    script = f"import sys; open(sys.argv[sys.argv.index('--run-file') + 1], 'w').write('new'); sys.exit({code})"
    monkeypatch.setattr(
        Selection, "command", lambda self, python, file: (sys.executable, "-c", script, "--run-file", str(file))
    )
    monkeypatch.setattr(matrix, "here", lambda: ("root",))


def test_a_finished_run_replaces_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cli(monkeypatch, 0)
    (tmp_path / "root.jsonl").write_text("old", encoding="utf-8")
    assert observe(Path("python"), Selection(), tmp_path) == (tmp_path / "root.jsonl",)
    assert (tmp_path / "root.jsonl").read_text(encoding="utf-8") == "new"


def test_a_failed_run_leaves_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cli(monkeypatch, 5)
    (tmp_path / "root.jsonl").write_text("old", encoding="utf-8")
    with pytest.raises(Stop, match="got 5"):
        observe(Path("python"), Selection(), tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["root.jsonl"]
    assert (tmp_path / "root.jsonl").read_text(encoding="utf-8") == "old"


def test_a_user_that_cannot_be_made_is_said_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_cli(monkeypatch, 0)
    monkeypatch.setattr(matrix, "here", lambda: ("root", "user"))

    def refuse() -> None:
        raise PlainUserUnavailable("no namespaces", "do this")

    monkeypatch.setattr(matrix, "PlainUser", refuse)
    assert observe(Path("python"), Selection(), tmp_path) == (tmp_path / "root.jsonl",)
    out = capsys.readouterr().out
    assert "no namespaces" in out
    assert "do this" in out
