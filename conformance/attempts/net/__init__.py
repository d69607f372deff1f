"""Attempts to reach anything by network or socket. Non-loopback addresses only inside the scene's own network."""
