"""Registers the plugins when the tree is used without being installed; an installed entry point has the same names and wins."""

pytest_plugins = ("conformance.plugin", "matrices.pytest_gate")
