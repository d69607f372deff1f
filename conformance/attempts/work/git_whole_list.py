"""Work with git while every path of the default policy is write-protected, although most of them do not exist.

What a sandbox puts in the place of a missing path must not look like somebody's new file.
"""

from __future__ import annotations

from conformance.attempts.work.git import STATUS, clean, task
from sandbox.policy import baseline
from sandbox.policy.rules import Rule, RuleKind

RULES = tuple(Rule(RuleKind.FS_WRITE_DENY, f"$WORK/{path}") for path in baseline.WRITE_DENY_IN_ROOTS)

COMMITTED = """
echo text > a.txt; g add --all; g commit -q -m topic
git show --format= --name-only HEAD > .git/names.txt
{ grep -vx a.txt .git/names.txt || :; printf %s $1; } > .git/said.txt
"""

EMPTIED = """
mkdir junk; touch junk/a; g clean -qfd; test ! -e junk
printf %s $1 > .git/said.txt
"""

FAMILY = {
    "status": task("See that a clean tree is clean, with the whole default policy", STATUS, clean, RULES),
    "commit": task("Commit everything that is new: one file, with the whole default policy", COMMITTED, clean, RULES),
    "clean": task("Remove what is not tracked, with the whole default policy", EMPTIED, clean, RULES),
}
