"""Listening to the in-guest agent: feed it its plan, read its beacons, keep the deadline."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.core.evidence import Beacon, BeaconName

OUTPUT_BYTES = 4 << 20
LINE_LIMIT = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """One `acted` beacon."""

    role: str
    verb: str
    errno: str | None


@dataclass(slots=True)
class Heard:
    """Everything that came out of one guest phase. `exit`: `exit:N`, `signal:N` or `deadline`.

    `output` is for the witnesses and is never kept. `transcript` may be: what the agent said of its steps, without anything that it
    read (files, environments and process lists of a real machine must not reach a report), and lines that are not the agent's.
    """

    output: bytes = b""
    transcript: list[str] = field(default_factory=list)
    beacons: list[Beacon] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    ready: bool = False
    acting: bool = False
    beating: bool = False
    done: bool = False
    deadline: bool = False
    overflow: bool = False
    exit: str = "not-started"

    def count(self, role: str) -> int:
        return sum(1 for act in self.acts if act.role == role)


def listen(
    process: subprocess.Popen[bytes],
    plan: bytes,
    tag: str,
    seconds: float,
    *,
    told: Sequence[str] = (),
    kill_launcher: bool = False,
) -> Heard:
    """Read until the agent is done and its output ends, or the deadline. The caller ends the process. `told`: each step of the plan in
    words, for the transcript."""
    heard = Heard()
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(plan)
        process.stdin.close()
    ends = time.monotonic() + seconds
    buffer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not (heard.done and not kill_launcher):
            if time.monotonic() >= ends:
                heard.deadline = True
                break
            if not selector.select(timeout=0.2):
                continue
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                break
            if len(heard.output) < OUTPUT_BYTES:
                heard.output += chunk
            else:
                heard.overflow = True  # a canary may lie in what is not kept
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                _hear(heard, line, tag, told)
            buffer = buffer[-OUTPUT_BYTES:]
            if kill_launcher and heard.beating:
                process.send_signal(signal.SIGKILL)
                break
    heard.exit = _end(process, heard)
    return heard


def _end(process: subprocess.Popen[bytes], heard: Heard) -> str:
    if heard.deadline:
        return "deadline"
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=2)
    code = process.poll()
    if code is None:
        return "still-running"
    return f"exit:{code}" if code >= 0 else f"signal:{-code}"


def _hear(heard: Heard, line: bytes, tag: str, told: Sequence[str]) -> None:
    head, _, rest = line.partition(b" ")
    if head.decode("ascii", "replace") != tag:
        heard.transcript.append(line.decode("utf-8", "backslashreplace")[:LINE_LIMIT])
        return
    try:
        record = json.loads(rest)
    except ValueError:
        return
    if isinstance(record, dict):
        _record(heard, record, told)


def _record(heard: Heard, record: dict[str, Any], told: Sequence[str]) -> None:
    kind, role, verb = record.get("b"), str(record.get("role", "")), str(record.get("verb", ""))
    if kind == "ready":
        heard.ready = True
        heard.beacons.append(Beacon(name=BeaconName.READY))
    elif kind == "acting" and role == "attack":
        heard.acting = True
        heard.beacons.append(Beacon(name=BeaconName.ACTING, verb=verb))
    elif kind == "acted":
        errno = record.get("errno")
        act = Act(role=role, verb=verb, errno=None if errno is None else str(errno)[:40])
        said = "" if errno is None else f" {errno}: {str(record.get('out') or '')[-LINE_LIMIT:]}"
        step = record.get("step")
        what = told[step] if isinstance(step, int) and 0 <= step < len(told) else verb
        heard.transcript.append(f"{role} step: {what} →{said or ' ok'}")
        heard.acts.append(act)
        if role in ("twin", "attack"):
            name = BeaconName.TWIN if role == "twin" else BeaconName.ACTED
            heard.beacons.append(Beacon(name=name, verb=verb, errno=act.errno))
    elif kind == "beating":
        heard.beating = True
        heard.acting = True
        heard.acts.append(Act(role="attack", verb="heartbeat", errno=None))
        heard.beacons.append(Beacon(name=BeaconName.ACTED, verb="heartbeat"))
    elif kind == "done":
        heard.done = True
        heard.beacons.append(Beacon(name=BeaconName.DONE))
