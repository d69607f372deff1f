"""Asked once, when a server starts: what is there, and the one line that says so (SYSTEM §2)."""

from __future__ import annotations

import argparse
from enum import StrEnum

from sandbox.backends.base import Probe
from sandbox.backends.bubblewrap.backend import Bubblewrap
from sandbox.host import Host


class Switch(StrEnum):
    """`--sandbox` or `CC_SERVER_SANDBOX`. `on` wraps where the host offers a backend; it never requires one."""

    ON = "on"
    OFF = "off"

    @classmethod
    def read(cls, text: str | None) -> Switch:
        """The default is `on`. Raises argparse.ArgumentTypeError for anything but `on` and `off`."""
        if text is None or text == "":
            return cls.ON
        if text not in ("on", "off"):
            raise argparse.ArgumentTypeError(f"--sandbox: expected on or off; got {text!r}")
        return cls(text)


def probe_native(host: Host) -> Probe:
    """The native backend of this platform. Nothing but Linux and WSL2 has one here yet; macOS is probed by its own backend."""
    return Bubblewrap().probe(host)


def startup_line(switch: Switch, probe: Probe) -> str:
    """Exactly one line, true to what the probe saw."""
    if switch is Switch.OFF:
        return "agent sandbox DISABLED by --sandbox off"
    if probe.available:
        return f"agent sandbox ON — {probe.note}"
    line = f"no OS-native agent sandbox on this host ({probe.note})"
    return f"{line} — {probe.hint}" if probe.hint else line
