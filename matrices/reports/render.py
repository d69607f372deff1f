"""Render the committed run files: `matrix.md`, `matrix.html`, and the section of the README between its two marks."""

from __future__ import annotations

import sys
from pathlib import Path

from matrices.build import markdown, webpage
from matrices.build.expected import read_expected
from matrices.build.load import load_runs
from matrices.build.merge import merge
from matrices.build.model import Matrix
from matrices.build.tables import honesty_table, missing_notes, seen_table
from matrices.commands.files import write
from matrices.errors import InputError
from matrices.text import code

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
BEGIN, END = "<!-- matrix -->", "<!-- /matrix -->"


def published() -> Matrix:
    """The matrix of all committed run files. Raises InputError where one is missing, damaged or of another suite."""
    runs = load_runs(sorted(HERE.glob("*.jsonl")))
    return merge(runs, read_expected(TREE / "ci" / "expected.toml"), newest_wins=False)


def pages(matrix: Matrix) -> dict[Path, str]:
    """Every rendered file and what must stand in it."""
    readme = (TREE / "README.md").read_text(encoding="utf-8")
    return {
        HERE / "matrix.md": markdown.render(matrix),
        HERE / "matrix.html": webpage.render(matrix),
        TREE / "README.md": with_section(readme, section(matrix)),
    }


def section(matrix: Matrix) -> str:
    """The two tables, what is not there, and where the rest is."""
    run = matrix.runs[0]
    facts = ", ".join(f"{name} {code(value)}" for name, value in sorted(run.facts.items()) if name in ("kernel", "bwrap"))
    return "\n\n".join(
        (
            f"A real run of {run.started[:10]} ({facts}), rendered from the run files in [matrices/reports](matrices/reports); "
            "the whole of it is in [matrix.md](matrices/reports/matrix.md) and, cell by cell, in `matrices/reports/matrix.html`.",
            markdown.table_text(seen_table(matrix)),
            markdown.table_text(honesty_table(matrix)),
            "\n".join(f"* {code(note)}" for note in missing_notes(matrix)),
        )
    )


def with_section(text: str, new: str) -> str:
    """`text` with what stands between the two marks replaced. Raises InputError where a mark is missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InputError(f"README.md: expected the marks {BEGIN} and {END}; put them back")
    return f"{before}{begin}\n{new}\n{end}{after}"


def main() -> int:
    try:
        for path, text in pages(published()).items():
            write(path, text)
            print(path.relative_to(TREE))
    except InputError as error:
        print(f"render: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
