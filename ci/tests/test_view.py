"""What is covered and what is bound back, so that a fresh user can read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci.view import plan_view


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks open from the top: the test's own folders lie below a closed one, which is then the one covered."""
    return tmp_path_factory.mktemp("view")


def folder(path: Path, mode: int = 0o755) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    return path


def test_open_places_need_nothing() -> None:
    view = plan_view([Path("/usr")], Path("/home"))
    assert view.covers == (Path("/home"),)
    assert view.binds == ()


def test_below_a_closed_folder_the_path_is_bound_back(place: Path) -> None:
    wanted = folder(place / "closed" / "python")
    view = plan_view([wanted], Path("/home"))
    assert view.binds == (wanted,)
    assert any(cover in wanted.parents for cover in view.covers)


def test_of_a_closed_folder_the_entries_are_bound_back(place: Path) -> None:
    wanted = folder(place / "checkout")
    entries = (folder(wanted / "a"), folder(wanted / "b"))
    wanted.chmod(0o700)
    assert plan_view([wanted], Path("/home")).binds == entries


def test_closed_entries_of_a_closed_folder_are_copied(place: Path) -> None:
    wanted = folder(place / "checkout")
    folder(wanted / ".git")
    opened, closed = folder(wanted / "a"), folder(wanted / "b", 0o700)
    wanted.chmod(0o700)
    view = plan_view([wanted], Path("/home"))
    assert (view.binds, view.copies) == ((opened,), (closed,))


def test_what_lies_in_the_home_folder_is_bound_back(place: Path) -> None:
    homes = folder(place / "home")
    wanted = folder(homes / "alice" / "checkout")
    view = plan_view([wanted], homes)
    assert view.binds == (wanted,)


def test_no_cover_lies_below_another_and_no_bind_below_another(place: Path) -> None:
    outer = folder(place / "x")
    inner = folder(outer / "y" / "z")
    folder(outer / "y", 0o700)
    view = plan_view([outer, inner], place)
    for paths in (view.covers, view.binds):
        assert not any(a in b.parents for a in paths for b in paths)


def test_a_path_that_is_not_there_is_an_error(place: Path) -> None:
    with pytest.raises(FileNotFoundError):
        plan_view([place / "gone"], Path("/home"))
