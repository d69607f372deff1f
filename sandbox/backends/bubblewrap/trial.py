"""Is bubblewrap really here? The only honest answer is to start it once: an allowed write must land, a denied one must not.

A binary on PATH proves nothing: namespaces may be forbidden, a wrapper may exit 0 without doing anything, or simply run its command.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.backends.base import Probe, Trial
from sandbox.errors import SandboxError
from sandbox.host import Host
from sandbox.launch.process import spawn
from sandbox.policy import baseline
from sandbox.policy.rules import Policy, Rule, RuleKind

if TYPE_CHECKING:
    from sandbox.backends.bubblewrap.backend import Bubblewrap

TRIAL_SECONDS = 10.0
NOTE = "bubblewrap — namespace isolation, no kernel boundary"


def probe(backend: Bubblewrap, host: Host) -> Probe:
    """Never raises for a host that lacks the backend. Takes about as long as one launch."""
    if not host.is_linux:
        return Probe(available=False, note="native sandbox is not offered on this platform")
    if backend.find() is None:
        return Probe(
            available=False,
            note="bubblewrap is missing",
            requires_install=True,
            hint=f"install the missing package bubblewrap: {install_command('bubblewrap')}",
        )
    trial = _trial(backend, host)
    if trial.held:
        note = NOTE if host.platform == "linux" else f"WSL2: {NOTE}"
        return Probe(available=True, note=note, trial=trial)
    return Probe(available=False, note=f"bubblewrap does not confine here: {trial.saw}", hint=_hint(trial.saw), trial=trial)


def _hint(saw: str) -> str:
    if "namespace" in saw.lower() or "uid map" in saw.lower():
        return (
            "unprivileged user namespaces are restricted on this host; allow them for bubblewrap (on Ubuntu an AppArmor profile "
            "for /usr/bin/bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0), or use the microvm backend"
        )
    return "check that bwrap on PATH is the distribution's own program: bwrap --version"


INSTALLERS = {
    "apt-get": "apt-get install --no-install-recommends {}",
    "dnf": "dnf install {}",
    "pacman": "pacman -S {}",
    "zypper": "zypper install {}",
    "apk": "apk add {}",
}


def install_command(packages: str) -> str:
    found = next((text for tool, text in INSTALLERS.items() if shutil.which(tool)), "your package manager, package {}")
    return found.format(packages)


def _trial(backend: Bubblewrap, host: Host) -> Trial:
    with tempfile.TemporaryDirectory(prefix="sandproof-trial-") as base:
        allowed, denied = Path(base, "allowed"), Path(base, "denied")
        for directory in (allowed, denied):
            directory.mkdir()
        policy = Policy(
            rules=(*baseline.ALWAYS, Rule(RuleKind.FS_WRITE_ALLOW, "$WORK")), roots=(("$WORK", str(allowed)),)
        )
        nonce = secrets.token_hex(8)
        script = 'true; echo "$2" >"$1/allowed/x"; echo "$2" >"$1/denied/x"; exit 0'
        try:
            plan = backend.compile(policy, host, {})
            command = ["/bin/sh", "-c", script, "trial", base, nonce]
            running = spawn(plan, command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except SandboxError as error:
            return Trial(held=False, saw=str(error))
        try:
            _, stderr = running.process.communicate(timeout=TRIAL_SECONDS)
        except subprocess.TimeoutExpired:
            return Trial(held=False, saw=f"it did not end within {TRIAL_SECONDS:g} s")
        finally:
            running.end()
        return _read(allowed / "x", denied / "x", nonce, stderr.decode("utf-8", "replace").strip())


def _read(allowed: Path, denied: Path, nonce: str, said: str) -> Trial:
    if denied.exists():
        return Trial(held=False, saw="a write that the policy denies landed on the host")
    if not allowed.exists() or allowed.read_text(encoding="utf-8").strip() != nonce:
        first = said.splitlines()[0][:200] if said else "no error message"
        return Trial(held=False, saw=f"an allowed write did not land ({first})")
    return Trial(held=True, saw="an allowed write landed, a denied one did not")
