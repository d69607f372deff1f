"""Attempts on files: writing outside the roots, denied paths inside them, secrets, names, links."""
