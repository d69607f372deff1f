"""The data of the default policy (SYSTEM §5): what is never read, never written, never created. Home-relative unless absolute."""

from __future__ import annotations

from sandbox.policy.rules import Rule, RuleKind

READ_DENY_HOME = (
    ".ssh .aws .gnupg .config/gh .kube .docker .netrc .git-credentials .pypirc .cargo/credentials .cargo/credentials.toml "
    ".config/gcloud Library/Keychains .azure .npmrc .config/op .password-store .local/share/keyrings .terraform.d .config/rclone "
    ".claude/.credentials.json .codex/auth.json .gemini .config/opencode .mozilla .config/google-chrome .config/chromium "
    ".bash_history .zsh_history .python_history .node_repl_history .psql_history .local/share/sandproof .local/state/sandproof"
).split()

WRITE_DENY_HOME = (
    *READ_DENY_HOME,
    *(
        "Library/LaunchAgents Library/Preferences .claude/settings.json .claude/settings.local.json .claude.json .claude/hooks "
        ".bashrc .bash_profile .zshrc .zprofile .profile .gitconfig .zshenv .zlogin .bash_login .config/fish .config/git "
        ".config/systemd .config/autostart .local/bin .config/environment.d"
    ).split(),
)

WRITE_DENY_IN_ROOTS = (
    ".git/hooks .git/config .git/config.worktree .gitmodules .gitconfig .ripgreprc .mcp.json .npmrc .bashrc .bash_profile .zshrc "
    ".zprofile .profile .vscode .idea .claude/commands .claude/agents .claude/settings.json .claude/settings.local.json .claude/hooks "
    ".claude/skills .cursor .codex .gemini .zed .devcontainer .husky .envrc mise.toml"
).split()

NAME_DENY = ("**/.env", "**/.env.*", "**/*.key", "**/*.pem", "**/*.p12", "**/*.pfx", "**/.git/commondir")
"""The last one names the directory from which git takes configuration and hooks instead (gitrepository-layout(5)). It cannot be a denied
path like `.git/config`: its mount point would be an empty file, and an empty commondir is fatal to git."""

DIRECTORIES = frozenset(
    (
        ".git hooks .vscode .idea .claude commands agents skills .cursor .codex .gemini .zed .devcontainer .husky .ssh .aws .gnupg "
        ".kube .docker .config gh"
    ).split()
)
"""Last components that, where they do not exist yet, would be directories."""

ALWAYS = tuple(
    Rule(kind)
    for kind in (
        RuleKind.FS_CONFINE,
        RuleKind.FS_READ_CONFINE,
        RuleKind.FS_SCRATCH_PRIVATE,
        RuleKind.PROC_ISOLATE,
        RuleKind.PROC_TEARDOWN,
        RuleKind.PROC_FD_CLOSE,
        RuleKind.PROC_KEYRING,
        RuleKind.PROC_IPC,
        RuleKind.PROC_UTS,
        RuleKind.PROC_TTY,
        RuleKind.PROC_CAPS,
        RuleKind.PROC_USERNS,
        RuleKind.ENV_CLEAN,
        RuleKind.NET_OFF,
        RuleKind.NET_UNIX,
    )
)
"""Rules without a target that every policy starts with."""
