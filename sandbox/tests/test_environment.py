"""What passes into a confined process's environment, and what never does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.launch.environment import DEFAULT_PATH, NEVER, PASSES, clean, sanitise
from sandbox.tests.support import quick

SYSTEM_MD = (
    "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PERL5OPT PYTHONPATH NODE_OPTIONS NODE_EXTRA_CA_CERTS "
    "PERL_MM_OPT RUBYOPT GIT_SSH GIT_SSH_COMMAND PYTHONSTARTUP PYTHONHOME PERL5LIB RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS "
    "GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_AUTH_SOCK SSH_ASKPASS "
    "PAGER EDITOR PROMPT_COMMAND SHELLOPTS BASHOPTS IFS CDPATH BASH_FUNC_ls%% npm_config_registry DOCKER_HOST ELECTRON_RUN_AS_NODE"
).split()


@quick
@given(st.dictionaries(st.text(min_size=1, max_size=12), st.text(max_size=12)))
def test_only_listed_names_pass(environ: dict[str, str]) -> None:
    assert all(name in PASSES for name in clean(environ))


@pytest.mark.parametrize("name", SYSTEM_MD)
@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_dangerous_names_pass_neither_way(name: str, case: type[str]) -> None:
    assert case(name) not in clean({case(name): "x"})
    assert case(name) not in clean({}, named={case(name): "x"})


def test_exported_functions_never_pass() -> None:
    assert "LANG" not in clean({"LANG": "() { :; }; x"})
    assert sanitise({"X": "() { :; }"}) == {}


def test_what_the_launch_names_passes_and_nothing_else_does() -> None:
    found = clean({"TOKEN": "outer", "LANG": "C"}, named={"MINE": "1", "LANG": "de"})
    assert found == {"LANG": "de", "MINE": "1", "PATH": DEFAULT_PATH, "TMPDIR": "/tmp"}


@pytest.mark.parametrize("name", sorted(PASSES - {"PATH", "TMPDIR"}))
def test_ordinary_names_pass(name: str) -> None:
    assert clean({name: "v"})[name] == "v"


@pytest.mark.parametrize("name", ["path", "home", "ld_preload", "Lang", "lc_all"])
def test_other_spellings_of_listed_names_do_not(name: str) -> None:
    assert name not in clean({name: "x"})


def test_home_is_the_one_of_the_policy() -> None:
    assert clean({"HOME": "/root"}, home="/h")["HOME"] == "/h"


@pytest.mark.parametrize("entry", ["", ".", "bin", "./bin", "../bin", "~/bin"])
def test_path_loses_relative_entries(entry: str) -> None:
    assert clean({"PATH": f"/usr/bin:{entry}:/bin"})["PATH"] == "/usr/bin:/bin"


@pytest.mark.parametrize("entry", ["/w", "/w/bin", "/w/", "//w/bin", "/usr/../w/bin", "/w/./bin"])
def test_path_loses_writable_entries_however_written(entry: str) -> None:
    assert clean({"PATH": f"{entry}:/usr/bin"}, writable=["/w"])["PATH"] == "/usr/bin"


def test_path_loses_links_to_writable_entries(tmp_path: Path) -> None:
    (tmp_path / "work/bin").mkdir(parents=True)
    (tmp_path / "tools").symlink_to(tmp_path / "work/bin")
    assert clean({"PATH": f"{tmp_path}/tools:/usr/bin"}, writable=[str(tmp_path / "work")])["PATH"] == "/usr/bin"


def test_path_keeps_neighbours() -> None:
    assert clean({"PATH": "/w-tools:/usr/bin"}, writable=["/w"])["PATH"] == "/w-tools:/usr/bin"


def test_path_loses_scratch_but_not_what_is_shown_there() -> None:
    found = clean({"PATH": "/tmp/a:/tmp/b/bin:/usr/bin"}, scratch=["/tmp"], shown=["/tmp/b"])["PATH"]
    assert found == "/tmp/b/bin:/usr/bin"


def test_an_empty_path_is_never_left() -> None:
    assert clean({"PATH": ".:/w"}, writable=["/w"])["PATH"] == DEFAULT_PATH


def test_the_list_is_the_documented_one() -> None:
    assert {name for name in SYSTEM_MD if not name.startswith(("LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_", "npm_config_"))} == NEVER
