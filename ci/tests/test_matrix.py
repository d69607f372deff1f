"""Which columns a machine has, and what happens to run files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ci import matrix
from ci.matrix import columns, observe, run_command
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


def test_the_command_names_every_adapter() -> None:
    command = run_command(Path("python"), Path("run.jsonl"), 2)
    assert command.count("--adapter") == 3
    assert command[-5:] == ("--run-file", "run.jsonl", "--jobs", "2", "--quiet-next")


def fake_cli(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    script = f"import sys; open(sys.argv[1], 'x').write('run'); sys.exit({code})"
    monkeypatch.setattr(matrix, "run_command", lambda python, file, jobs: (sys.executable, "-c", script, str(file)))
    monkeypatch.setattr(matrix, "here", lambda: ("root",))


@pytest.mark.parametrize("code", [0, 1])
def test_a_whole_run_counts_also_where_an_adapter_was_dishonest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    fake_cli(monkeypatch, code)
    (run,) = observe(Path("python"), 1, tmp_path)
    assert run.read_text(encoding="utf-8") == "run"
    assert run.name.endswith("-root.jsonl")


def test_a_run_that_did_not_end_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cli(monkeypatch, 4)
    with pytest.raises(Stop, match="code 4"):
        observe(Path("python"), 1, tmp_path)


def test_a_run_that_another_one_keeps_from_starting_is_told_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_cli(monkeypatch, 3)
    with pytest.raises(Stop, match="which run is under way") as caught:
        observe(Path("python"), 1, tmp_path)
    assert "ci test" not in str(caught.value)
    assert "wait for that run" in caught.value.next_step


def test_a_user_that_cannot_be_made_is_said_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_cli(monkeypatch, 0)
    monkeypatch.setattr(matrix, "here", lambda: ("root", "user"))

    def refuse() -> None:
        raise PlainUserUnavailable("no namespaces", "do this")

    monkeypatch.setattr(matrix, "PlainUser", refuse)
    assert len(observe(Path("python"), 1, tmp_path)) == 1
    out = capsys.readouterr().out
    assert "no namespaces" in out
    assert "do this" in out
