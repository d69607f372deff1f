"""Secrets that must not be read."""
