"""Glob matching against an independent matcher: slow, recursive, without regular expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.policy.globs import is_glob, matches
from sandbox.tests.support import quick


def slow(glob: str, path: str, start: bool = True) -> bool:
    if not glob:
        return not path
    if start and glob.startswith("**/"):
        if slow(glob[3:], path, True):
            return True
        head, slash, rest = path.partition("/")
        return bool(head and slash) and slow(glob, rest, True)
    if glob[0] == "*":
        return slow(glob[1:], path, False) or bool(path and path[0] != "/" and slow(glob, path[1:], False))
    if not path:
        return False
    if glob[0] == "?":
        return path[0] != "/" and slow(glob[1:], path[1:], False)
    return glob[0] == path[0] and slow(glob[1:], path[1:], glob[0] == "/")


names = st.text(alphabet="ab.\n[", min_size=1, max_size=3)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
globs = st.lists(st.one_of(st.just("**"), st.text(alphabet="ab.*?[", min_size=1, max_size=3)), min_size=1, max_size=4).map("/".join)


@quick
@given(globs, paths)
def test_as_the_slow_matcher(glob: str, path: str) -> None:
    assert matches(glob, path) is slow(glob, path)


@quick
@given(paths)
def test_a_text_without_wildcards_matches_itself_only(path: str) -> None:
    assert matches(path, path)
    assert not matches(path, path + "x")
    assert not is_glob(path)


@pytest.mark.parametrize(
    ("glob", "path", "found"),
    [
        ("**/.env", ".env", True),
        ("**/.env", "a/b/.env", True),
        ("**/.env", "a/x.env", False),
        ("**/.env.*", "a/.env.local", True),
        ("**/*.pem", "k\n.pem", True),
        ("*.pem", "a/b.pem", False),
        ("a?c", "a/c", False),
        ("[ab]", "a", False),
    ],
)
def test_examples(glob: str, path: str, found: bool) -> None:
    assert matches(glob, path) is found
