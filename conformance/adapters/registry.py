"""Adapters by name: `none`, `native`, `bwrap-naive`, the path of a TOML file, or `module:object` for a Python one."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

from conformance.adapters.native import NativeAdapter
from conformance.adapters.none import NoneAdapter
from conformance.adapters.toml import AdapterError, TomlAdapter, load_description
from conformance.core.adapter import Adapter

__all__ = ["BUILT_IN", "AdapterError", "load_adapter"]

BUILT_IN = ("none", "native", "bwrap-naive")
HERE = Path(__file__).parent


def load_adapter(text: str) -> Adapter:
    """Raises AdapterError with one line that says what was expected."""
    if text == "none":
        return NoneAdapter()
    if text == "native":
        return NativeAdapter()
    if text in BUILT_IN:
        return TomlAdapter(load_description(HERE / f"{text.replace('-', '_')}.toml"))
    if text.endswith(".toml"):
        return TomlAdapter(load_description(Path(text)))
    if ":" in text:
        return _python(text)
    near = difflib.get_close_matches(text, BUILT_IN, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise AdapterError(f"adapter: expected one of {', '.join(BUILT_IN)}, a .toml file or module:object; got {text!r}{hint}")


def _python(text: str) -> Adapter:
    module, _, name = text.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise AdapterError(f"adapter {text!r}: {error}") from error
    adapter = found() if isinstance(found, type) else found
    missing = [n for n in ("id", "reference", "surfaces", "describe", "availability", "record", "open") if not hasattr(adapter, n)]
    if missing:
        raise AdapterError(f"adapter {text!r}: expected an object with {missing[0]!r} (see conformance/core/adapter.py)")
    result: Adapter = adapter
    return result
