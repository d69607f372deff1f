"""The thirteen effect classes. Every mutating tool declares its own; a tool that declares none is not registered."""

from __future__ import annotations

from enum import StrEnum


class EffectClass(StrEnum):
    FILE_DELETE = "file-delete"
    FILE_WRITE_OUTSIDE_WORKTREE = "file-write-outside-worktree"
    GIT_COMMIT = "git-commit"
    GIT_PUSH = "git-push"
    PR_CREATE = "pr-create"
    PR_PUBLISH = "pr-publish"
    VENDOR_SYNC_WRITE = "vendor-sync-write"
    NETWORK_EGRESS = "network-egress"
    SECRET_ACCESS = "secret-access"
    PACKAGE_INSTALL = "package-install"
    PROCESS_SPAWN = "process-spawn"
    WORKSPACE_MUTATION = "workspace-mutation"
    ENCLOSURE_CONTROL = "enclosure-control"


ASKED_BY_DEFAULT = frozenset(
    (
        EffectClass.FILE_DELETE,
        EffectClass.GIT_PUSH,
        EffectClass.PR_CREATE,
        EffectClass.PR_PUBLISH,
        EffectClass.VENDOR_SYNC_WRITE,
    )
)

DENIED_READ_ONLY = frozenset(EffectClass) - {EffectClass.NETWORK_EGRESS, EffectClass.SECRET_ACCESS}
"""What a read-only mode (review, plan, orchestrate) denies."""
