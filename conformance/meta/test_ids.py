"""Published ids stay valid: each is in use, or an alias says what took its place."""

from __future__ import annotations

from conformance.core.catalogue import load_attempts
from conformance.core.ids import current, published_ids

IN_USE = {attempt.id for attempt in load_attempts()}


def test_every_attempt_in_use_is_published() -> None:
    missing = sorted(IN_USE - set(published_ids().published))
    assert not missing, f"add to conformance/ids.toml: {missing}"


def test_every_published_id_leads_to_an_attempt() -> None:
    lost = [name for name in published_ids().published if current(name) not in IN_USE]
    assert not lost, f"renamed or removed without an alias in conformance/ids.toml: {lost}"


def test_ids_stand_once_and_in_order() -> None:
    published = published_ids().published
    assert list(published) == sorted(set(published))


def test_aliases_are_not_in_use_and_do_not_chain() -> None:
    aliases = published_ids().aliases
    assert not IN_USE & set(aliases)
    assert not set(aliases.values()) & set(aliases)
