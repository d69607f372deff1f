"""`sandproof gate`: pass or fail, with an exit code that says why.

Exit codes, the most severe first; when several apply the first wins, and all findings are printed: 12 escape on a
reference backend · 10 overclaim · 13 false denial on a reference backend that is not listed · 16 an expected-enforced
cell is not, a backend that is expected to enforce took part and was available on no host of these runs, not one cell
was executed on a host, or not one of an adapter that claims to enforce or to refuse, on any host · 11 unproven · 14
harness error · 15 truncated run · 2 usage or bad input, and edited run files · 0 clean. Notes (silent escapes, controls
that do not land on this host, expected hosts without a run, expected backends that took part in no run or were
unavailable on some hosts) fail nothing.

Without --expected, the tree's own ci/expected.toml is read only where an adapter that it names took part in these runs.
"""

from __future__ import annotations

import argparse

from matrices.build.gate import GateCode, exit_code, findings
from matrices.commands.select import add_runs, say_which, selected
from matrices.text import counted, visible


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "gate",
        help="pass or fail, with an exit code that says why",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_runs(parser)
    parser.set_defaults(main=main)


def main(options: argparse.Namespace) -> int:
    """One finding a line: exit code, cell or run, what is wrong; separated by tabs. The last line counts them."""
    matrix, expected, paths = selected(options, only_of_ours=True)
    found = findings(matrix, expected)
    for finding in found:
        word = "note" if finding.code is GateCode.NOTE else str(int(finding.code))
        print("\t".join((word, visible(finding.where), visible(finding.what))))
    failing = sum(finding.code is not GateCode.NOTE for finding in found)
    code = exit_code(found)
    verdict = f"fails with exit code {code}" if code else "is clean"
    counts = f"{counted(failing, 'finding')} and {counted(len(found) - failing, 'note')} in {counted(len(matrix.cells), 'cell')}"
    print(f"gate {verdict}: {counts}")
    say_which(options, paths)
    return code
