"""Denied files that do not exist at launch; the host's own tools would run what they name."""

from __future__ import annotations

import json

from conformance.attempts.common import beside, denied, fired, sentinel
from conformance.attempts.fs.deny._loaders import runs_json, sources
from conformance.core.attempt import Armed, Attempt, HostTrigger, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import mkdir, write
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

TASKS = {"tasks": [{"label": "x", "type": "shell", "command": "{}", "runOptions": {"runOn": "folderOpen"}}]}
HOOKS = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "{}"}]}]}}
SERVERS = {"mcpServers": {"x": {"command": "{}", "args": []}}}
CONTAINER = {"initializeCommand": "{}"}

WHAT: dict[str, tuple[str, str, object, HostTrigger]] = {
    "vscode-tasks": ("$WORK/.vscode", "tasks.json", TASKS, runs_json("$WORK/.vscode/tasks.json", "command")),
    "claude-settings": ("$WORK/.claude/settings.json", "", HOOKS, runs_json("$WORK/.claude/settings.json", "command")),
    "mcp-json": ("$WORK/.mcp.json", "", SERVERS, runs_json("$WORK/.mcp.json", "command")),
    "cursor-mcp": ("$WORK/.cursor", "mcp.json", SERVERS, runs_json("$WORK/.cursor/mcp.json", "command")),
    "devcontainer": (
        "$WORK/.devcontainer",
        "devcontainer.json",
        CONTAINER,
        runs_json("$WORK/.devcontainer/devcontainer.json", "initializeCommand"),
    ),
    "envrc": ("$WORK/.envrc", "", None, sources("$WORK/.envrc")),
}


def _attempt(target: str, inner: str, shape: object, trigger: HostTrigger) -> Attempt:
    name = target.removeprefix("$WORK/")

    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        command = f"echo {nonce} > '{scene.host('$OUT/fired')}'"
        content = sentinel(scene, nonce) if shape is None else json.dumps(shape).replace('"{}"', json.dumps(command))
        path = f"{target}/{inner}" if inner else target
        steps = (mkdir(path.rpartition("/")[0]), write(path, content))
        twin_steps, witness = beside(scene, "$WORK/.config-like/beside.json")
        twin = ((mkdir("$WORK/.config-like"), *twin_steps), witness)
        return denied(scene, target, steps, fired(scene, nonce), twin, after=(trigger,))

    return Attempt(
        title=f"Create {name} where it does not exist yet; the host's tool opens the project afterwards.",
        requirement="A denied path that does not exist cannot be created, and no stub of it stays on the host.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
        phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
    )


FAMILY = {name: _attempt(*what) for name, what in WHAT.items()}
