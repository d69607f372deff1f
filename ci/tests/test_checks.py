"""The check command runs every step and tells what failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci import matrix
from ci.checks import Checks, Closing
from ci.plainuser import Account
from ci.say import Stop


@pytest.mark.parametrize(
    "line",
    [
        "===== 3 passed, 1 skipped in 0.12s =====",
        "1 failed, 3 passed in 0.12s",
        "3 passed in 61.00s (0:01:01)",
        "\x1b[32m3 passed\x1b[0m in 0.12s",
    ],
)
def test_the_closing_line_is_remembered(line: str) -> None:
    closing = Closing()
    closing.take("something 3 in")
    closing.take(line)
    assert "3 passed" in closing.line


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ci.checks.ROOT", tmp_path)


def run_all(monkeypatch: pytest.MonkeyPatch, codes: dict[str, int]) -> int:
    monkeypatch.setattr(matrix, "here", lambda: ("user",))
    monkeypatch.setattr(Checks, "_module", lambda self, name, *rest: codes.get(name, 0))

    def fake_shown(argv: tuple[str, ...], take: object = None) -> int:
        closing = getattr(take, "__self__", None)
        if isinstance(closing, Closing):
            closing.take("2 passed in 0.01s")
        return codes.get("pytest", 0)

    def fake_observe(*args: object) -> tuple[Path, ...]:
        if "run" in codes:
            raise Stop("no run", "look")
        return ()

    monkeypatch.setattr("ci.checks.run.shown", fake_shown)
    monkeypatch.setattr(matrix, "observe", fake_observe)
    monkeypatch.setattr(matrix, "gate", lambda python, runs: codes.get("gate", 0))
    return Checks(python=Path("python"), jobs=1).all()


def test_all_green(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(monkeypatch, {}) == 0
    assert capsys.readouterr().out.rstrip().endswith("2 passed in 0.01s")


def test_every_failure_is_listed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_all(monkeypatch, {"ruff": 1, "pytest": 1, "gate": 12}) == 1
    assert "failed: ruff, pytest, matrix and gate" in capsys.readouterr().out


def test_a_run_that_stops_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_all(monkeypatch, {"run": 1}) == 1


def test_pytest_of_a_plain_user_leaves_nothing_in_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its user is gone afterwards, and nobody would ever remove what it left."""
    told: list[dict[str, str]] = []

    class FakeUser:
        account = Account(name="somebody", uid=1)
        home = Path("/home/somebody")

        def __enter__(self) -> FakeUser:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        def run(self, argv: tuple[str | Path, ...], take: object, extra: dict[str, str]) -> int:
            told.append(extra)
            (tmp_path / "pytest-of-somebody" / "pytest-0").mkdir(parents=True)
            return 0

    monkeypatch.setattr("ci.checks.PlainUser", FakeUser)
    monkeypatch.setattr("ci.checks._SCRATCH", tmp_path)
    assert Checks(python=Path("python"), jobs=1)._as_user(Closing()) == 0
    assert told == [{"PYTEST_DEBUG_TEMPROOT": "/home/somebody"}]
    assert list(tmp_path.iterdir()) == []
