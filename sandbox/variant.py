"""One column of the matrix: which backend, driven how, in which mode, under which policy, against which code host."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from sandbox.spec import Mode

_NAME = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_TEXT = re.compile(
    rf"(?:(?P<transport>{_NAME})\+)?(?P<backend>{_NAME})(?:/(?P<mode>{_NAME}))?(?:~(?P<policy>{_NAME}))?(?:@(?P<code_host>{_NAME}))?"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """`backend` is a reference backend's name or a third-party adapter's id; every other field has a default that its text leaves out.

    Text form: `[TRANSPORT+]BACKEND[/MODE][~POLICY][@CODEHOST]`, as in `native`, `claude-cli+native/review`, `native~documented`.
    """

    backend: str
    transport: str | None = None
    mode: Mode = Mode.CHAT
    policy: str = "default"
    code_host: str | None = None

    def __str__(self) -> str:
        text = f"{self.transport}+{self.backend}" if self.transport else self.backend
        if self.mode is not Mode.CHAT:
            text += f"/{self.mode}"
        if self.policy != "default":
            text += f"~{self.policy}"
        if self.code_host:
            text += f"@{self.code_host}"
        return text

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text form back. Raises ValueError naming what was expected."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"variant: expected [TRANSPORT+]BACKEND[/MODE][~POLICY][@CODEHOST] in lower case; got {text!r}")
        return cls(
            backend=found["backend"],
            transport=found["transport"],
            mode=Mode(found["mode"]) if found["mode"] else Mode.CHAT,
            policy=found["policy"] or "default",
            code_host=found["code_host"],
        )
