"""Counts, always with what they are out of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.core.words import Observed, Reason
from matrices.build.model import Cell, Column
from matrices.claims.words import ATTENTION, Honesty

_LOOK_AT = (Honesty.OVERCLAIMS, Honesty.SILENT_ESCAPE, Honesty.UNPROVEN)
_BROKEN = (Reason.HARNESS_ERROR, Reason.RUN_TRUNCATED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """One column in numbers. `attacks` and `work` are how many cells of either sort there are, applicable or not. `worst` is the word
    that needs attention most; cells that belong to another kind of host have no part in it."""

    adapter: str
    host: str
    attacks: int
    work: int
    observed: Counter[Observed]
    honesty: Counter[Honesty]
    worst: Honesty

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
        worst=_worst(attacks),
    )


def _worst(cells: Sequence[Cell]) -> Honesty:
    found = {cell.honesty for cell in cells if cell.observed is not Observed.NOT_APPLICABLE}
    return next((word for word in ATTENTION if word in found), Honesty.NOT_JUDGED)


def needs_a_look(cell: Cell) -> bool:
    """Not plainly honest. Honest gaps and underclaims are counted apart: no one is told of more than was seen."""
    return cell.honesty in _LOOK_AT or cell.observed is Observed.FALSE_DENIAL or cell.reason in _BROKEN


def sort_key(cell: Cell) -> tuple[int, str, str, str]:
    """What needs attention most comes first."""
    return ATTENTION.index(cell.honesty), cell.adapter, cell.host, cell.attempt.id


def beside(cell: Cell) -> tuple[str, ...]:
    """What else was seen, beside the word: `collateral`, `residue`."""
    evidence = cell.evidence
    if evidence is None:
        return ()
    return tuple(name for name, there in (("collateral", evidence.collateral), ("residue", evidence.residue)) if there)


def shots(cell: Cell) -> str:
    """`k/n`: how often the witness saw it, of how many shots. "" where nothing was run."""
    if cell.evidence is None or cell.observed not in (Observed.ESCAPED, Observed.ENFORCED):
        return ""
    return f"{cell.evidence.facts.landed}/{cell.evidence.facts.shots}"
