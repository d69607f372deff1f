"""Strangers' text never gets out as anything but text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrices.text import cell, code, visible


@given(st.text())
def test_nothing_invisible_remains(text: str) -> None:
    for char in visible(text):
        assert char == " " or unicodedata.category(char)[0] not in "CZ"
        assert unicodedata.bidirectional(char) not in ("R", "AL", "RLE", "RLO", "RLI", "LRI", "FSI", "PDF", "PDI")


@given(st.text())
def test_writing_out_twice_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text(), st.integers(5, 50))
def test_a_cell_is_capped(text: str, limit: int) -> None:
    assert len(cell(text, limit)) <= limit


@given(st.text())
def test_a_code_span_cannot_be_left(text: str) -> None:
    span = code(text)
    assert span == "–" or (span[0] == span[-1] == "`" and "`" not in span[1:-1] and "|" not in span and "\n" not in span)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\tb\nc", "a\\x09b\\x0ac"),
        ("x\u202egpj", "x\\u202egpj"),
        ("\U000e0001", "\\U000e0001"),
        ("grün – ok", "grün – ok"),
        ("שלום", "\\u05e9\\u05dc\\u05d5\\u05dd"),
        ("a\u0301\ud800", "a\\u0301\\ud800"),
    ],
)
def test_what_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
