"""Measuring ratios."""

from __future__ import annotations

import pytest

from ci.bench.measure import Ratio, compare


def test_alternates_and_takes_medians() -> None:
    now = [0.0]
    order: list[str] = []

    def work(name: str, seconds: list[float]) -> None:
        order.append(name)
        now[0] += seconds.pop(0)

    ours, theirs = [3.0, 3.0, 100.0], [2.0, 2.0, 2.0]
    ratio = compare(
        "x", lambda: work("a", ours), lambda: work("b", theirs), aim=1.5, rounds=3, warm_up=0, clock=lambda: now[0]
    )
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert ratio.value == 1.5
    assert ratio.met
    assert "1.50×" in str(ratio)
    assert "n = 3" in str(ratio)


def test_a_missed_aim_is_said() -> None:
    assert "missed" in str(Ratio(title="x", ours=2.0, theirs=1.0, rounds=1, aim=1.5))


def test_no_rounds_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        compare("x", lambda: None, lambda: None, aim=1.0, rounds=0)
