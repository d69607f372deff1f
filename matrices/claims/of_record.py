"""All claims of one adapter as it took part in a run."""

from __future__ import annotations

from conformance.core.runfile import AdapterRecord
from matrices.claims.generate import generate
from matrices.claims.load import load
from matrices.claims.model import ClaimTable
from matrices.errors import InputError


def claims_of(record: AdapterRecord) -> ClaimTable:
    """Raises InputError, naming the adapter, for claims that cannot be read and for a reference backend that claims by
    hand."""
    try:
        if record.claims and (record.reference or record.coverage):
            raise InputError("expected no [claims] where claims are generated from coverage; drop the table")
        return load(record.claims, record.version) if record.claims else generate(record.coverage)
    except InputError as error:
        raise InputError(f"adapter {record.variant}: {error}") from None
