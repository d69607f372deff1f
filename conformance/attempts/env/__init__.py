"""Attempts on the launcher's environment."""
