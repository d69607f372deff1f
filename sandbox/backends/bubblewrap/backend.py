"""The native backend on Linux. `compile` is the whole of it: a policy in, arguments out, nothing started."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping

from sandbox.backends.base import Coverage, Level, Probe
from sandbox.backends.bubblewrap import coverage as held
from sandbox.backends.bubblewrap import seccomp
from sandbox.backends.bubblewrap.expected import expected_mounts
from sandbox.backends.bubblewrap.files import Files
from sandbox.backends.bubblewrap.layout import lay_out
from sandbox.backends.bubblewrap.mounts import mount_arguments
from sandbox.backends.bubblewrap.world import HOST_SCRATCH, ROOTS, Facts, World, survey
from sandbox.backends.plan import LaunchPlan
from sandbox.errors import BackendUnavailable, SandboxError, UnenforceableRule
from sandbox.host import Host
from sandbox.launch.environment import DEFAULT_PATH, clean
from sandbox.policy.paths import is_at_or_below
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

    def find(self, writable: Iterable[str] = ()) -> str | None:
        """The program that would be started. Never one in a directory that a sandbox may write, nor by a relative PATH entry: an agent
        could put a program of that name there, and it would be run outside."""
        if self._program is not None:
            return None if any(is_at_or_below(os.path.realpath(self._program), root) for root in writable) else self._program
        entries = os.environ.get("PATH", DEFAULT_PATH).split(":")
        having = [entry for entry in entries if os.access(f"{entry}/bwrap", os.X_OK)]  # few; what is cleaned is resolved, which takes time
        if not having and any(entry.startswith("/") for entry in entries):
            return None
        return shutil.which("bwrap", path=clean({"PATH": ":".join(having)}, writable=writable)["PATH"])

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
        try:
            return held.coverage(rule, host, Facts(policy, self._files))
        except OSError as error:
            return Coverage(Level.CANNOT, f"the tree changed while it was looked at: {error}")

    def compile(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        """Raises UnenforceableRule for a required rule that cannot be held, BackendUnavailable without the program, and SandboxError
        where the tree changes too fast to be looked at."""
        try:
            return self._compile(policy, host, environ)
        except OSError as error:
            raise SandboxError(f"the tree changed while it was looked at: {error}") from error

    def _compile(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        facts = Facts(policy, self._files)
        answers = {rule: held.coverage(rule, host, facts) for rule in policy.rules}
        for rule, answer in answers.items():
            if rule.required and answer.level is Level.CANNOT:
                raise UnenforceableRule(rule.id, answer.why)
        program = self.find(facts.writable)
        if program is None:
            raise BackendUnavailable("bwrap: expected the program on PATH, outside every writable root; install the package bubblewrap")
        unheld = {rule.id: answer.why for rule, answer in answers.items() if answer.level is Level.CANNOT}
        return self._plan(program, facts, unheld, host, environ)

    def _plan(
        self, program: str, facts: Facts, unheld: Mapping[str, str], host: Host, environ: Mapping[str, str]
    ) -> LaunchPlan:
        # A root that is not required and cannot be shown is left out; every other rule keeps what it adds.
        kept = tuple(r for r in facts.policy.rules if r.kind not in ROOTS or r.id not in unheld)
        if kept != facts.policy.rules:
            facts = Facts(Policy(rules=kept, roots=facts.policy.roots), facts.files)
        policy = facts.policy
        world = survey(facts)
        layout = lay_out((place for rule_id, place in world.denied if rule_id not in unheld), facts.files)
        # --disable-userns needs --unshare-user spelled out (bwrap(1)); root keeps its uid but none of its powers.
        flags = ["--unshare-user", "--unshare-cgroup-try"]
        for kind, words in FLAGS.items():
            if policy.has(kind):
                flags += words
        mounts = mount_arguments(policy, world, layout, facts.files, root=host.root)
        return LaunchPlan(
            backend=self.name,
            argv=(program, *flags, *mounts, "--chdir", self._workdir(policy, world), "--"),
            env=self._environment(policy, world, environ),
            close_fds=policy.has(RuleKind.PROC_FD_CLOSE),
            new_keyring=policy.has(RuleKind.PROC_KEYRING),
            guarded=world.writable if world.denied else (),
            stubs=layout.stubs,
            details={"program": program, "strategy": "bubblewrap"} | {f"not held: {rule_id}": why for rule_id, why in unheld.items()},
            info_option="--info-fd",
            chdir_option="--chdir",
            block_option="--block-fd",
            expected_mounts=expected_mounts(mounts, facts.files.real, HOST_SCRATCH),
            filter=seccomp.blocks(policy),
            filter_option="--seccomp",
            kill_first=policy.has(RuleKind.PROC_TEARDOWN),
        )

    def _environment(self, policy: Policy, world: World, environ: Mapping[str, str]) -> dict[str, str]:
        if not policy.has(RuleKind.ENV_CLEAN):
            return dict(environ)
        home = dict(policy.roots).get("$HOME")
        return clean(environ, writable=world.writable, scratch=HOST_SCRATCH, shown=world.readable, home=home)

    def _workdir(self, policy: Policy, world: World) -> str:
        work = dict(policy.roots).get("$WORK")
        place = self._files.real(work) if work is not None else "/"
        return place if any(is_at_or_below(place, root) for root in (*world.writable, *world.readable)) else "/"
