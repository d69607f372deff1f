"""What is published is what its run files say, rendered by the code of this tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from matrices.errors import InputError
from matrices.reports.render import BEGIN, END, HERE, pages, published, with_section


@pytest.fixture(scope="module")
def rendered() -> dict[Path, str]:
    return pages(published())


def test_there_is_a_run_of_every_linux_user() -> None:
    assert {run.host for run in published().runs} == {"linux/root", "linux/user"}


def test_published_runs_are_whole() -> None:
    assert all(run.complete for run in published().runs)


@pytest.mark.parametrize("name", ["matrix.md", "matrix.html", "README.md"])
def test_a_page_renders_again_to_the_same(name: str, rendered: dict[Path, str]) -> None:
    path, text = next((path, text) for path, text in rendered.items() if path.name == name)
    assert path.read_text(encoding="utf-8") == text, "run: python -m matrices.reports.render"


def test_the_published_reference_backend_is_clean() -> None:
    cells = [cell for cell in published().cells if cell.adapter == "native" and cell.evidence is not None]
    assert cells
    assert not [cell.name for cell in cells if cell.observed == "escaped"]


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END}{BEGIN}"])
def test_a_readme_without_its_marks_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="marks"):
        with_section(text, "new")


def test_run_files_name_no_machine() -> None:
    for path in HERE.glob("*.jsonl"):
        assert not re.search(r"/(?:home|ro{2}t)/", path.read_text(encoding="utf-8"))
