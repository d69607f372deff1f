"""Claims of a third-party adapter, read from the `[claims]` table of its TOML.

    [claims]
    "fs.write-deny" = { claim = "enforced", quote = "…", except = ["fs.write-deny:$WORK/x"], versions = ">=0.8" }
    "fs.*" = "not-enforced"     # all kinds of a boundary
    "*"    = "cannot-express"   # all kinds

A key is a rule kind, `BOUNDARY.*` or `*`; the more specific key wins. A value is a claim word, a table, or an array of
tables for different versions. Table keys: `claim` (the word), `source` (`stated` unless it says `documented`), `quote`,
`why`, `except` (rule ids that the claim leaves out), `versions`. `[claims.fs]` with `write-deny = …` says the same as
`"fs.write-deny" = …`. A claim for versions says nothing of other versions, and nothing where the version is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from matrices.claims.model import Claim, ClaimTable
from matrices.claims.versions import check_range, in_range
from matrices.claims.words import ClaimSource, ClaimWord
from matrices.errors import InputError, near
from sandbox.policy.rules import RuleKind

_BOUNDARIES = tuple(dict.fromkeys(kind.boundary for kind in RuleKind))
_KEYS = (*RuleKind, *(f"{boundary}.*" for boundary in _BOUNDARIES), "*")
# The kinds whose rules each name something; `env.clean` is one rule and takes no target.
_TARGETED = frozenset(
    (
        RuleKind.FS_WRITE_ALLOW,
        RuleKind.FS_READ_ALLOW,
        RuleKind.FS_WRITE_DENY,
        RuleKind.FS_READ_DENY,
        RuleKind.FS_NAME_DENY,
    )
)
_FIELDS = ("claim", "source", "quote", "why", "except", "versions")


def load(table: Mapping[str, Any], version: str = "") -> ClaimTable:
    """Read a `[claims]` table for the version found (as printed, "" for unknown).

    Raises InputError for an unknown key, word or field, a wrong type, and for two claims of one key that disagree.
    """
    said: dict[str, list[Claim]] = {}
    for key, value in _flat(table):
        if key not in _KEYS:
            raise InputError(f"[claims]: expected a rule kind, BOUNDARY.* or *; got {key!r}{near(key, _KEYS)}")
        said.setdefault(key, []).extend(_claims(key, value))
    chosen = {key: _choose(key, claims, version) for key, claims in said.items()}
    claims: dict[str, Claim] = {}
    for kind in RuleKind:
        for key in (kind, f"{kind.boundary}.*", "*"):
            claim = chosen.get(key)
            if claim is not None:
                claims[kind] = replace(claim, left_out=tuple(r for r in claim.left_out if r.partition(":")[0] == kind))
                break
    return ClaimTable(claims=claims)


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The entries with whole keys. An unquoted `fs.write-deny = …` arrives from TOML as a nested table."""
    for key, value in table.items():
        if key in _BOUNDARIES and isinstance(value, Mapping):
            yield from ((f"{key}.{rest}", inner) for rest, inner in value.items())
        else:
            yield key, value


def _claims(key: str, value: Any) -> list[Claim]:
    if isinstance(value, list) and value:
        return [_claim(key, item) for item in value]
    return [_claim(key, value)]


def _claim(key: str, value: Any) -> Claim:
    fields = {"claim": value} if isinstance(value, str) else value
    if not isinstance(fields, Mapping):
        raise InputError(f"[claims] {key}: expected a claim word, a table or an array of tables; got {type(value).__name__}")
    for name in fields:
        if name not in _FIELDS:
            raise InputError(f"[claims] {key}: expected {', '.join(_FIELDS)}; got {name!r}{near(name, _FIELDS)}")
    versions = _text(key, fields, "versions", "")
    if versions:
        check_range(versions)
    return Claim(
        word=_word(key, _text(key, fields, "claim", "")),
        source=_source(key, _text(key, fields, "source", ClaimSource.STATED)),
        left_out=_left_out(key, fields.get("except", [])),
        quote=_text(key, fields, "quote", ""),
        why=_text(key, fields, "why", ""),
        versions=versions,
    )


def _text(key: str, fields: Mapping[str, Any], name: str, default: str) -> str:
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise InputError(f"[claims] {key}: expected text for {name}; got {type(value).__name__}")
    return value


def _word(key: str, word: str) -> ClaimWord:
    if word not in tuple(ClaimWord):
        raise InputError(f"[claims] {key}: expected claim {', '.join(ClaimWord)}; got {word!r}{near(word, ClaimWord)}")
    return ClaimWord(word)


def _source(key: str, source: str) -> ClaimSource:
    # `generated` is kept for our own backends, whose claims nobody writes.
    if source not in (ClaimSource.STATED, ClaimSource.DOCUMENTED):
        raise InputError(f"[claims] {key}: expected source stated or documented; got {source!r}")
    return ClaimSource(source)


def _left_out(key: str, rules: Any) -> tuple[str, ...]:
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise InputError(f"[claims] {key}: expected an array of rule ids for except; got {rules!r}")
    for rule in rules:
        kind = rule.partition(":")[0]
        if kind not in tuple(RuleKind) or not (key in ("*", kind) or key == f"{RuleKind(kind).boundary}.*"):
            raise InputError(f"[claims] {key}: expected rule ids of {key} in except; got {rule!r}{near(kind, RuleKind)}")
        if bool(rule.partition(":")[2]) is not (RuleKind(kind) in _TARGETED):
            wanted = f"{kind}:TARGET" if RuleKind(kind) in _TARGETED else f"{kind} without a target; the kind is one rule"
            raise InputError(f"[claims] {key}: expected {wanted} in except; got {rule!r}")
    return tuple(rules)


def _choose(key: str, claims: list[Claim], version: str) -> Claim | None:
    """The one claim that holds for this version, an unranged one only where no range fits; None where none does."""
    ranges = list(dict.fromkeys(claim.versions for claim in claims))
    for text in ranges:
        _agree(key, [claim for claim in claims if claim.versions == text])
    fitting = [claim for claim in claims if claim.versions and in_range(version, claim.versions)]
    _agree(key, fitting)
    return next(iter(fitting or [claim for claim in claims if not claim.versions]), None)


def _agree(key: str, claims: list[Claim]) -> None:
    for other in claims[1:]:
        if (other.word, other.source, other.left_out) != (claims[0].word, claims[0].source, claims[0].left_out):
            raise InputError(
                f"[claims] {key}: expected one claim; got {claims[0].word} ({claims[0].source}) and {other.word}"
                f" ({other.source}) that differ in word, source or except; drop one, or give them versions apart"
            )
