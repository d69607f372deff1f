"""A weak recipe whose escapes are known by heart: if the harness saw anything else, it would be the harness that is wrong."""

from __future__ import annotations

import pytest

from conformance.adapters.registry import load_adapter
from conformance.core.catalogue import load_attempts
from conformance.core.runner import Runner
from conformance.core.words import Observed, Reason

ESCAPED = (
    "fs/deny/hook-moves/rename-ancestor",
    "fs/deny/hook-moves/rename-higher",
    "fs/deny/hook-moves/exchange-ancestor",
    "fs/names/aliases/outside-file",
    "proc/descriptors/write-file",
    "env/secret/ancestors",
    "proc/shared-kernel/session-keyring",
    "fs/names/new-names/dotenv",
    "fs/deny/git-config/fsmonitor",
    "net/unix/stream",
)
ENFORCED = (
    "fs/deny/hook-direct",
    "fs/write/outside/proc-root",
    "net/unix/abstract",
    "proc/survival/background",
    "proc/shared-kernel/terminal-input",
)


@pytest.mark.parametrize("name", ESCAPED + ENFORCED)
def test_the_naive_recipe_shows_what_it_must(name: str) -> None:
    runner, adapter = Runner(), load_adapter("bwrap-naive")
    unavailable = adapter.availability(runner.host)
    if unavailable:
        pytest.skip(unavailable)
    attempt = next(a for a in load_attempts() if a.id == name)
    verdict = runner.cell(attempt, adapter).verdict
    if verdict.reason is Reason.CONTROL_DID_NOT_LAND and name.endswith("terminal-input"):
        pytest.skip("this kernel has TIOCSTI switched off (dev.tty.legacy_tiocsti)")
    assert verdict.observed is (Observed.ESCAPED if name in ESCAPED else Observed.ENFORCED)
