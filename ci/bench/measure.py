"""Two ways of doing the same, timed alternately."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Ratio:
    """How much longer `ours` takes than `theirs`: medians in seconds of `rounds` rounds each, and the ratio that is aimed at."""

    title: str
    ours: float
    theirs: float
    rounds: int
    aim: float

    @property
    def value(self) -> float:
        return self.ours / self.theirs

    @property
    def met(self) -> bool:
        return self.value <= self.aim

    def __str__(self) -> str:
        return (
            f"{self.title}: {self.value:.2f}× (aim ≤ {self.aim:.2f}, {'met' if self.met else 'missed'}; "
            f"median {self.ours * 1000:.2f} ms against {self.theirs * 1000:.2f} ms, n = {self.rounds} each)"
        )


def compare(
    title: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    aim: float,
    rounds: int = 40,
    warm_up: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> Ratio:
    """Time both in turn, swapping who goes first, so that a slow moment of the machine hits both. Medians, because a busy
    machine makes a few rounds very slow. Raises ValueError for less than one round."""
    if rounds < 1:
        raise ValueError(f"rounds: expected at least 1; got {rounds}")
    for _ in range(warm_up):
        ours()
        theirs()
    times: dict[bool, list[float]] = {True: [], False: []}
    for number in range(rounds):
        for mine in (True, False) if number % 2 == 0 else (False, True):
            work = ours if mine else theirs
            started = clock()
            work()
            times[mine].append(clock() - started)
    return Ratio(
        title=title,
        ours=statistics.median(times[True]),
        theirs=statistics.median(times[False]),
        rounds=rounds,
        aim=aim,
    )
