"""Tests of the sandbox package. The `real_*` files launch bubblewrap and are skipped, with the reason, where it does not confine."""
