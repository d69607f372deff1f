"""Tests of the commands of a fresh machine."""
