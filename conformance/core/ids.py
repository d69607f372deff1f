"""Every attempt id ever published, and where renamed ones went: somebody's gate or bookmark may still use them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import conformance

PATH = Path(conformance.__file__).parent / "ids.toml"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ids:
    """`published`: all ids, in order. `aliases`: an id that is gone → the one that took its place."""

    published: tuple[str, ...]
    aliases: dict[str, str]


@cache
def published_ids() -> Ids:
    data = tomllib.loads(PATH.read_text(encoding="utf-8"))
    return Ids(published=tuple(data["ids"]), aliases=dict(data["aliases"]))


def current(attempt_id: str) -> str:
    """The id in use today for an id of any day; unknown ones are returned as they are."""
    return published_ids().aliases.get(attempt_id, attempt_id)
