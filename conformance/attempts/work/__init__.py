"""Ordinary work that must keep working."""
