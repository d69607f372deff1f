"""What the commands need of `conformance`, asked for late so that reports work where the suite cannot be imported."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.core.runfile import AdapterRecord
from matrices.claims.model import ClaimTable
from matrices.claims.of_record import claims_of
from matrices.errors import InputError, near
from sandbox.host import Host


def attempt_ids() -> tuple[str, ...]:
    from conformance.core.catalogue import load_attempts

    return tuple(sorted(attempt.id for attempt in load_attempts()))


def check_attempts(wanted: Iterable[str]) -> None:
    """Raises InputError, with near matches, for an id that is not in the suite."""
    known = attempt_ids()
    for attempt in wanted:
        if attempt not in known:
            raise InputError(f"--attempt: expected an attempt id; got {attempt!r}{near(attempt, known)}; all: sandproof attempts")


def built_in() -> tuple[str, ...]:
    from conformance.adapters.registry import BUILT_IN

    return BUILT_IN


def check_adapter(text: str, host: Host) -> tuple[AdapterRecord, ClaimTable, str]:
    """Read an adapter (built-in name, TOML file, or module:object): its record, claims, and "" or why it cannot be used
    here.

    Raises InputError for one that cannot be read.
    """
    from conformance.adapters.registry import AdapterError, load_adapter

    try:
        adapter = load_adapter(text)
        record = adapter.record(host)
        return record, claims_of(record), adapter.availability(host)
    except AdapterError as error:
        raise InputError(str(error)) from error
