"""Writes that must not leave the writable roots."""
