"""Denied paths inside a writable root, and what the host does with them afterwards."""
