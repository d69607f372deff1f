"""The seam of the Claude CLI transport: a session is launched, commands are executed in it, and it is destroyed.

created -> warm (launched) -> active (a command runs) -> warm ... ; active <-> suspended; any -> destroyed; a launch program that does
not start -> error. Events are those of one command, in order: Starting, Ready, Stdout | Stderr, then Exit | Killed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sandbox.backends.base import Backend, Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.backends.none import NoneBackend
from sandbox.backends.plan import LaunchPlan
from sandbox.errors import LaunchFailed, SandboxError, SessionClosed
from sandbox.events import EventStream, KillCause
from sandbox.host import Host
from sandbox.launch.choice import Resolve, choose, policy_of, workdir
from sandbox.launch.environment import sanitise
from sandbox.launch.execution import Execution
from sandbox.launch.manager import at_home
from sandbox.policy.rules import Policy
from sandbox.probe import Switch
from sandbox.spec import SandboxBackend, SandboxHandle, SandboxSpec, SandboxState

END_SECONDS = 15.0


class PortAdapter(Protocol):
    """What stands behind the port: makes the plan of a session, and says which variables a command may bring."""

    def plan(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan: ...

    def variables(self, env: Mapping[str, str]) -> dict[str, str]: ...


class NoSandboxAdapter:
    """No backend: the Claude CLI inherits the host's environment and descriptors as they are. Documented, and in the matrix an honest
    gap; ACP agents and the harness's bash get a sanitised environment on the same host (`SandboxManager`)."""

    def plan(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        return NoneBackend().bare(environ, sanitised=False)

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        return dict(env)


@dataclass(frozen=True, slots=True)
class NativeAdapter:
    """The platform's backend. The environment is clean, and what a command brings is sanitised too."""

    backend: Backend

    def plan(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        return self.backend.compile(policy, host, environ)

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        return sanitise(env)


@dataclass(slots=True)
class _Session:
    handle: SandboxHandle
    adapter: PortAdapter
    plan: LaunchPlan
    executions: list[Execution] = field(default_factory=list)


class SandboxPort:
    """Fed by the server's one probe and switch. `environ` is the server's environment; `resolve` makes the policy of a spec, None is
    the default policy. `timeout_seconds` bounds every command; the time for which a session is suspended does not count.

    Handles are snapshots; `status` gives the present one.
    """

    def __init__(
        self,
        *,
        probe: Probe,
        switch: Switch,
        host: Host,
        environ: Mapping[str, str] | None = None,
        resolve: Resolve | None = None,
        native: Backend | None = None,
        timeout_seconds: float | None = None,
    ) -> None:
        self.probe = probe
        self._switch = switch
        self._host = host
        self._environ = dict(os.environ if environ is None else environ)
        self._resolve = resolve or at_home(self._environ)
        self._native = NativeAdapter(native or Bubblewrap())
        self._timeout_seconds = timeout_seconds
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.RLock()

    def launch(self, spec: SandboxSpec, *, requested: SandboxBackend | None = None) -> SandboxHandle:
        """Make a session ready. Nothing runs in it yet.

        Raises PolicyError, UnenforceableRule or BackendUnavailable, each before anything has been started or written, and
        SandboxError for a session id that is in use.
        """
        backend = choose(requested, self.probe, self._switch)
        adapter: PortAdapter = NoSandboxAdapter() if backend is SandboxBackend.NONE else self._native
        plan = adapter.plan(policy_of(self._resolve, spec, self._host), self._host, self._environ)
        place = workdir(spec)
        handle = SandboxHandle(
            session_id=spec.session_id, backend=plan.backend, state=SandboxState.WARM, details=dict(plan.details)
        )
        with self._lock:
            known = self._sessions.get(spec.session_id)
            if known is not None and known.handle.state is not SandboxState.DESTROYED:
                raise SandboxError(f"session {spec.session_id!r} is in use; destroy it first")
            self._sessions[spec.session_id] = _Session(handle, adapter, plan.at(place) if place is not None else plan)
        return handle

    def exec(
        self, handle: SandboxHandle, command: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None
    ) -> Execution:
        """Start a command. `cwd` is an absolute path inside; it is entered from inside, so it opens nothing. `env` is added.

        Raises SessionClosed on a session that is destroyed, SandboxError on a suspended one, LaunchFailed.
        """
        if cwd is not None and not cwd.startswith("/"):
            raise SandboxError(f"exec: expected an absolute working directory; got {cwd!r}")
        with self._lock:
            session = self._open(handle)
            if session.handle.state is SandboxState.SUSPENDED:
                raise SandboxError(f"session {handle.session_id!r} is suspended; resume it first")
            plan = session.plan if cwd is None else session.plan.at(cwd)
            plan = replace(plan, env={**plan.env, **session.adapter.variables(env or {})})
            try:
                running = Execution(plan, command, self._timeout_seconds, lambda: self._settle(session))
            except LaunchFailed as error:
                session.handle = replace(session.handle, state=SandboxState.ERROR, error=str(error))
                raise
            session.executions = [known for known in session.executions if not known.finished] + [running]
            self._enter(session, SandboxState.ACTIVE)
            return running

    def events(self, handle: SandboxHandle) -> EventStream:
        """The stream of the session's last command. Raises SessionClosed, and SandboxError where none has been started."""
        with self._lock:
            session = self._open(handle)
            if not session.executions:
                raise SandboxError(f"session {handle.session_id!r}: nothing has been started yet")
            return session.executions[-1].events

    def status(self, handle: SandboxHandle) -> SandboxHandle:
        """The session as it is now. Raises SessionClosed for one that this port never had."""
        with self._lock:
            session = self._sessions.get(handle.session_id)
            if session is None:
                raise SessionClosed(f"session {handle.session_id!r} is not known here")
            return session.handle

    def suspend(self, handle: SandboxHandle) -> SandboxHandle:
        """Stop every process of the session. Raises SessionClosed."""
        with self._lock:
            session = self._open(handle)
            self._enter(session, SandboxState.SUSPENDED)
            for running in session.executions:
                running.suspend()
            return session.handle

    def resume(self, handle: SandboxHandle) -> SandboxHandle:
        """Let them go on. Raises SessionClosed, and SandboxError for a session that is not suspended."""
        with self._lock:
            session = self._open(handle)
            if session.handle.state is not SandboxState.SUSPENDED:
                raise SandboxError(f"session {handle.session_id!r} is {session.handle.state}, not suspended")
            for running in session.executions:
                running.resume()
            self._enter(session, SandboxState.ACTIVE if self._busy(session) else SandboxState.WARM)
            return session.handle

    def destroy(self, handle: SandboxHandle) -> SandboxHandle:
        """Kill everything and wait until it is gone; running commands end with Killed(stopped). Safe to call twice."""
        with self._lock:
            session = self._sessions.get(handle.session_id)
            if session is None:
                raise SessionClosed(f"session {handle.session_id!r} is not known here")
            self._enter(session, SandboxState.DESTROYED)
            executions = list(session.executions)
        for running in executions:
            running.kill(KillCause.STOPPED)
        for running in executions:
            if not running.join(END_SECONDS):
                raise SandboxError(f"session {handle.session_id!r}: a process did not end within {END_SECONDS:g} s after SIGKILL")
        return session.handle

    def _open(self, handle: SandboxHandle) -> _Session:
        session = self._sessions.get(handle.session_id)
        if session is None or session.handle.state is SandboxState.DESTROYED:
            raise SessionClosed(f"session {handle.session_id!r} is destroyed")
        return session

    def _busy(self, session: _Session) -> bool:
        return any(not running.finished for running in session.executions)

    def _enter(self, session: _Session, state: SandboxState) -> None:
        session.handle = replace(session.handle, state=state, error=None)

    def _settle(self, session: _Session) -> None:
        """A command has ended. Called on its own thread, which is the one still counted as running."""
        with self._lock:
            others = [running for running in session.executions if not running.finished and not running.is_current_thread]
            if session.handle.state is SandboxState.ACTIVE and not others:
                self._enter(session, SandboxState.WARM)
