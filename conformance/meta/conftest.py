"""Property tests keep no database: the tree may belong to someone else than who runs them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("sandproof", database=None)
settings.load_profile("sandproof")
