"""The native backend on Linux. `compile` is the whole of it: a policy in, arguments out, nothing started."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

from sandbox.backends.base import Coverage, Level, Probe
from sandbox.backends.bubblewrap import coverage as held
from sandbox.backends.bubblewrap.files import Files
from sandbox.backends.bubblewrap.layout import lay_out
from sandbox.backends.bubblewrap.mounts import mount_arguments
from sandbox.backends.bubblewrap.world import survey
from sandbox.backends.plan import LaunchPlan
from sandbox.errors import BackendUnavailable, UnenforceableRule
from sandbox.host import Host
from sandbox.launch.environment import clean
from sandbox.policy.rules import Policy, Rule, RuleKind
from sandbox.spec import SandboxBackend

FLAGS = {
    RuleKind.PROC_ISOLATE: ("--unshare-pid",),
    RuleKind.PROC_TEARDOWN: ("--die-with-parent",),
    RuleKind.PROC_IPC: ("--unshare-ipc",),
    RuleKind.PROC_UTS: ("--unshare-uts", "--hostname", "sandbox"),
    RuleKind.PROC_TTY: ("--new-session",),
    RuleKind.PROC_CAPS: ("--cap-drop", "ALL"),
    RuleKind.PROC_USERNS: ("--disable-userns",),
    RuleKind.NET_OFF: ("--unshare-net",),
}
"""One rule, its flags; a rule that is not in the policy leaves no flag behind (bwrap(1))."""


class Bubblewrap:
    """Namespaces, no kernel boundary. `program`: an absolute path, or None to look on PATH each time."""

    name = SandboxBackend.NATIVE

    def __init__(self, program: str | None = None, files: Files | None = None) -> None:
        self._program = program
        self._files = files or Files()

    def find(self) -> str | None:
        return self._program or shutil.which("bwrap")

    def version(self) -> str:
        """What the program says of itself, "" if it says nothing within 5 s."""
        program = self.find()
        if program is None:
            return ""
        try:
            done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5, check=False)
        except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
            return ""
        return done.stdout.strip()[:80]

    def probe(self, host: Host) -> Probe:
        from sandbox.backends.bubblewrap.trial import probe  # the trial launches a plan, so it imports this module

        return probe(self, host)

    def coverage(self, rule: Rule, policy: Policy, host: Host) -> Coverage:
        return held.coverage(rule, policy, host, self._files)

    def compile(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        """Raises UnenforceableRule for a required rule that cannot be held, BackendUnavailable without the program."""
        for rule in policy.rules:
            found = self.coverage(rule, policy, host)
            if rule.required and found.level is not Level.ENFORCED:
                raise UnenforceableRule(rule.id, found.why)
        program = self.find()
        if program is None:
            raise BackendUnavailable("bwrap: expected the program on PATH; install the package bubblewrap")
        return self._plan(program, policy, host, environ)

    def _plan(self, program: str, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        world = survey(policy, self._files)
        unheld = {r.id for r in policy.rules if self.coverage(r, policy, host).level is Level.CANNOT}
        layout = lay_out((place for rule_id, place in world.denied if rule_id not in unheld), self._files)
        # --disable-userns needs --unshare-user spelled out (bwrap(1)); root keeps its uid but none of its powers.
        flags = ["--unshare-user", "--unshare-cgroup-try"]
        for kind, words in FLAGS.items():
            if policy.has(kind):
                flags += words
        home = dict(policy.roots).get("$HOME")
        return LaunchPlan(
            backend=self.name,
            argv=(program, *flags, *mount_arguments(policy, world, layout, self._files), "--chdir", self._workdir(policy), "--"),
            env=clean(environ, writable=world.writable, home=home) if policy.has(RuleKind.ENV_CLEAN) else dict(environ),
            close_fds=policy.has(RuleKind.PROC_FD_CLOSE),
            new_keyring=policy.has(RuleKind.PROC_KEYRING),
            guarded=world.writable if world.denied else (),
            stubs=layout.stubs,
            details={"program": program, "strategy": "bubblewrap"},
        )

    def _workdir(self, policy: Policy) -> str:
        roots = dict(policy.roots)
        return self._files.real(roots["$WORK"]) if "$WORK" in roots else "/"
