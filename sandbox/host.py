"""What kind of machine this is, as one label that every report uses for its host column."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """A host as the matrix names it: `linux/user`, `linux/root`, `linux/container/no-userns/user`, `macos/user`, `wsl2/user`.

    `platform` is `linux`, `wsl2`, `macos`, `windows` or `other`; `container` and `userns` matter on Linux only
    (`userns`: unprivileged user namespaces can be created here).
    """

    platform: str
    root: bool = False
    container: bool = False
    userns: bool = True

    @property
    def label(self) -> str:
        parts = [self.platform]
        if self.container:
            parts.append("container")
        if not self.userns:
            parts.append("no-userns")
        parts.append("root" if self.root else "user")
        return "/".join(parts)

    @property
    def is_linux(self) -> bool:
        return self.platform in ("linux", "wsl2")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a label back. Raises ValueError for a text that `label` never produces."""
        parts = text.split("/")
        host = cls(
            platform=parts[0],
            root=parts[-1] == "root",
            container="container" in parts[1:-1],
            userns="no-userns" not in parts[1:-1],
        )
        if parts[0] not in PLATFORMS or host.label != text:
            raise ValueError(
                f"host label: expected PLATFORM[/container][/no-userns]/(root|user) with PLATFORM one of "
                f"{', '.join(PLATFORMS)}; got {text!r}"
            )
        return host

    @classmethod
    def detect(cls) -> Self:
        """Look at this machine. Reads /proc only; starts nothing."""
        platform = _platform()
        linux = platform in ("linux", "wsl2")
        return cls(
            platform=platform,
            root=hasattr(os, "geteuid") and os.geteuid() == 0 and (not linux or _first_user_namespace()),
            container=linux and _in_container(),
            userns=not linux or _userns_limit() > 0,
        )


PLATFORMS = ("linux", "wsl2", "macos", "windows", "other")


def _platform() -> str:
    if sys.platform == "darwin":
        return "macos"
    if sys.platform == "win32":
        return "windows"
    if not sys.platform.startswith("linux"):
        return "other"
    # WSL2 kernels carry "microsoft" in their release (Microsoft's WSL2 kernel sources set CONFIG_LOCALVERSION so).
    release = Path("/proc/sys/kernel/osrelease").read_text(encoding="ascii", errors="replace")
    return "wsl2" if "microsoft" in release.lower() else "linux"


def _first_user_namespace() -> bool:
    """Is every uid mapped to itself? Uid 0 of a user namespace of one's own is not root (user_namespaces(7))."""
    return Path("/proc/self/uid_map").read_text(encoding="ascii").split() == ["0", "0", "4294967295"]


def _in_container() -> bool:
    # A virtual machine booted from a container image keeps the image's marker; the first PID namespace of a kernel always has this
    # inode number (include/linux/proc_ns.h, PROC_PID_INIT_INO), so a process in it is not in a container.
    if not any(Path(marker).exists() for marker in ("/.dockerenv", "/run/.containerenv")):
        return False
    return os.stat("/proc/self/ns/pid").st_ino != 0xEFFFFFFC


def _userns_limit() -> int:
    try:
        return int(Path("/proc/sys/user/max_user_namespaces").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
