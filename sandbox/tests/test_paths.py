"""Path spellings and comparisons by component."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.policy.paths import ancestors, is_at_or_below, is_below, is_plain, spellings
from sandbox.tests.support import quick

names = st.text(alphabet="ab-. é\n", min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
paths = st.lists(names, min_size=1, max_size=5).map(lambda parts: "/" + "/".join(parts))


@quick
@given(paths, paths)
def test_both_spellings_are_emitted_literal_first(path: str, resolved: str) -> None:
    found = spellings(path, lambda _: resolved)
    assert found[0] == path
    assert set(found) == {path, resolved}


@quick
@given(paths)
def test_what_does_not_resolve_stays_as_written(path: str) -> None:
    assert spellings(path, lambda _: None) == (path,)


@quick
@given(paths, st.sampled_from("*?"))
def test_a_host_path_is_never_a_glob(path: str, wild: str) -> None:
    assert spellings(path + wild, lambda _: "/elsewhere") == (path + wild, "/elsewhere")


@quick
@given(paths, st.lists(names, max_size=4))
def test_below_goes_by_component(root: str, more: list[str]) -> None:
    path = "/".join((root, *more))
    assert is_below(path, root) is bool(more)
    assert is_at_or_below(path, root)
    assert not is_at_or_below(root + "-evil", root)
    assert not is_below(root, path)


@quick
@given(paths, st.lists(names, min_size=1, max_size=5))
def test_ancestors_are_exactly_what_lies_between(root: str, more: list[str]) -> None:
    path = "/".join((root, *more))
    found = ancestors(path, root)
    assert len(found) == len(more) - 1
    assert all(is_below(step, root) and is_below(path, step) for step in found)
    assert list(found) == sorted(found, key=len)


@quick
@given(st.lists(names, min_size=1, max_size=4))
def test_everything_is_below_the_root_directory(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    assert is_below(path, "/")
    assert len(ancestors(path, "/")) == len(parts) - 1


def test_ancestors_of_a_stranger_are_an_error() -> None:
    with pytest.raises(ValueError, match="expected a path below"):
        ancestors("/a/b", "/a/c")


@pytest.mark.parametrize(
    ("path", "plain"), [("a/b", True), ("a//b", False), ("a/../b", False), ("./a", False), ("a\0", False), ("..a", True)]
)
def test_plain(path: str, plain: bool) -> None:
    assert is_plain(path) is plain
