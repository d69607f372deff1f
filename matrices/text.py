"""Text of strangers — file names, guest output, run files — made fit for a terminal, a table and a page.

What cannot be seen, or changes how its neighbours are seen, is written out: `\\x1b`, `\\u202e`.
"""

from __future__ import annotations

import unicodedata

_RIGHT_TO_LEFT = ("R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "PDF", "PDI", "FSI", "BN")


def visible(text: str, *, keep: str = "") -> str:
    """Every character that is not plainly printable as an escape; those in `keep` (line ends of a listing) stay.

    Right-to-left letters are escaped as well: they reorder the digits and paths beside them.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or _plain(char) else _escape(char) for char in text)


def cell(text: str, limit: int = 200) -> str:
    """`visible` for a table cell: at most `limit` characters, the rest as `…`."""
    shown = visible(text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def code(text: str, limit: int = 200) -> str:
    """A Markdown code span that its content cannot leave, also within a table. An empty text is a dash."""
    shown = cell(text, limit).replace("`", "\\x60").replace("|", "\\x7c").strip()
    return f"`{shown}`" if shown else "–"


def _plain(char: str) -> bool:
    if char == " ":
        return True
    # C*: control, format, surrogate, unassigned; Z*: separators other than the space; Me/Mn can pile up over
    # other lines.
    if unicodedata.category(char)[0] in "CZ" or unicodedata.category(char) in ("Mn", "Me"):
        return False
    return unicodedata.bidirectional(char) not in _RIGHT_TO_LEFT


def _escape(char: str) -> str:
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
