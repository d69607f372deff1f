"""Roots and denied paths that are spelled through a symbolic link, as /tmp is on macOS."""
