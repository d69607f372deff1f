"""Counts, always with what they are out of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from conformance.core.words import Observed, Reason
from matrices.build.model import Cell, Column
from matrices.claims.words import ATTENTION, Honesty

_LOOK_AT = (Honesty.OVERCLAIMS, Honesty.SILENT_ESCAPE, Honesty.UNPROVEN)
_BROKEN = (Reason.HARNESS_ERROR, Reason.RUN_TRUNCATED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """One column in numbers. `attacks` and `work` are how many cells of either sort there are, applicable or not."""

    adapter: str
    host: str
    attacks: int
    work: int
    observed: Counter[Observed]
    honesty: Counter[Honesty]

    @property
    def worst(self) -> Honesty:
        """The word that needs attention most."""
        return next((word for word in ATTENTION if self.honesty[word]), Honesty.NOT_JUDGED)

    def seen(self, *words: Observed) -> str:
        """`k/n` of the attempts that must not succeed, or of ordinary work."""
        is_work = bool(set(words) & {Observed.WORKS, Observed.FALSE_DENIAL})
        return f"{sum(self.observed[word] for word in words)}/{self.work if is_work else self.attacks}"

    def judged(self, word: Honesty) -> str:
        return f"{self.honesty[word]}/{self.attacks}"


def summarise(column: Column) -> Summary:
    attacks = [cell for cell in column.cells if not cell.is_work]
    work = [cell for cell in column.cells if cell.is_work]
    observed = Counter(cell.observed for cell in attacks)
    # Of ordinary work only its own two words are counted; what was not run of it shows in the denominator.
    observed.update(cell.observed for cell in work if cell.observed in (Observed.WORKS, Observed.FALSE_DENIAL))
    return Summary(
        adapter=column.adapter,
        host=column.host,
        attacks=len(attacks),
        work=len(work),
        observed=observed,
        honesty=Counter(cell.honesty for cell in attacks),
    )


def worst(cells: tuple[Cell, ...]) -> Honesty:
    found = {cell.honesty for cell in cells}
    return next((word for word in ATTENTION if word in found), Honesty.NOT_JUDGED)


def needs_a_look(cell: Cell) -> bool:
    """Not plainly honest. Honest gaps and underclaims are counted apart: no one is told of more than was seen."""
    return cell.honesty in _LOOK_AT or cell.observed is Observed.FALSE_DENIAL or cell.reason in _BROKEN


def sort_key(cell: Cell) -> tuple[int, str, str, str]:
    """What needs attention most comes first."""
    return ATTENTION.index(cell.honesty), cell.adapter, cell.host, cell.attempt.id


def shots(cell: Cell) -> str:
    """`k/n`: how often the witness saw it, of how many shots. "" where nothing was run."""
    if cell.evidence is None or cell.observed not in (Observed.ESCAPED, Observed.ENFORCED):
        return ""
    return f"{cell.evidence.facts.landed}/{cell.evidence.facts.shots}"
