"""Attempts on processes and kernel objects of the host."""
