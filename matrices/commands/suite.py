"""What the commands need of `conformance`, asked for late so that reports work where the suite cannot be imported."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from conformance.core.runfile import AdapterRecord
from matrices.claims.model import ClaimTable
from matrices.claims.of_record import claims_of
from matrices.errors import InputError, near
from matrices.validate import check_types
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


def check_own(adapter: str) -> None:
    """Raises InputError for the name of an adapter that is not built in, where it is all that is known of it."""
    if adapter not in built_in():
        known = ", ".join(built_in())
        told = f"expected a built-in adapter ({known}); got {adapter!r}{near(adapter, built_in())}"
        raise InputError(f"adapter: {told}; add --adapter FILE.toml, the file that describes it, or --adapter module:object")


def check_adapter(text: str, host: Host) -> tuple[AdapterRecord, ClaimTable, str]:
    """Read an adapter (built-in name, TOML file, or module:object): its record, claims, and "" or why it cannot be used
    here.

    Raises InputError for one that cannot be read, and where its own code fails.
    """
    from conformance.adapters.registry import AdapterError, load_adapter

    doing = "loading it"
    try:
        adapter = load_adapter(text)
        doing = "record()"
        record = adapter.record(host)
        doing = "availability()"
        unavailable = adapter.availability(host)
    except AdapterError as error:
        beside = f"; near matches: {text}.toml" if Path(f"{text}.toml").is_file() else ""
        raise InputError(f"{error}{beside}") from error
    except (Exception, SystemExit) as error:  # a stranger's module may raise anything, and it is no fault of the command
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise InputError(f"adapter {text}: expected {doing} to end well; it raised {told}") from error
    if not isinstance(record, AdapterRecord) or not isinstance(unavailable, str):
        got = f"{type(record).__name__} and {type(unavailable).__name__}"
        raise InputError(f"adapter {text}: expected record() to give an AdapterRecord and availability() a text; got {got}")
    check_types(f"adapter {text}: record()", record)
    if record.variant in built_in() and text != record.variant:
        raise InputError(f"adapter {text}: expected an id of its own; got {record.variant!r}, which is built in; give it another id")
    return record, claims_of(record), unavailable
