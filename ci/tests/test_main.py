"""The command line."""

from __future__ import annotations

import pytest

from ci import main as program
from ci.say import Stop


def test_usage_errors_end_with_2() -> None:
    for argv in (["nonsense"], ["matrix", "--jobs", "0"], ["matrix", "--jobs", "many"], []):
        with pytest.raises(SystemExit) as error:
            program.main(argv)
        assert error.value.code == 2


@pytest.fixture(autouse=True)
def _no_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ci.main.signal.signal", lambda number, handler: None)


def test_a_stop_ends_with_1_and_the_next_step(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*, asked: bool) -> None:
        raise Stop("expected a; got b", "do c")

    monkeypatch.setattr("ci.main.system.prepare", refuse)
    assert program.main(["matrix"]) == 1
    assert "next: do c" in capsys.readouterr().err


def test_an_interruption_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*, asked: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ci.main.system.prepare", interrupt)
    assert program.main(["matrix"]) == 130
