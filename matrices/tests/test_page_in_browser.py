"""The page in a real browser, where one is installed: its script works, and no script of a stranger runs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from matrices.build import webpage
from matrices.build.merge import merge
from matrices.tests.make import honest_run
from matrices.tests.test_renderers import EVIL, hostile

BROWSER = shutil.which("chromium")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()
QUIET += ["--host-resolver-rules=MAP * ~NOTFOUND"]  # no name is ever asked for
ATTACKS = (
    "</script><script>document.title='PWNED'</script>",
    "<img src=x onerror=\"document.title='PWNED'\">",
    "\"><svg onload=document.title='PWNED'>",
    "{{ 7 * 7 }}<!--<script>",
    EVIL,
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")


def dom(page: str, tmp_path: Path, fragment: str = "") -> str:
    """The page's markup after its script has run."""
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    argv = [str(BROWSER), *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", f"file://{path}{fragment}"]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout


def test_a_cell_unfolds(tmp_path: Path) -> None:
    shown = dom(webpage.render(merge([honest_run()])), tmp_path, "#c0")
    assert "5 of 5 attempts, 15 of 15 cells" in shown
    assert 'class="cell h-honest-gap o-escaped" aria-expanded="true"' in shown
    assert "sandproof reproduce 'none|linux/root|fs.write.direct'</div>" in shown


def test_a_tile_opens_what_it_counts(tmp_path: Path) -> None:
    page = webpage.render(merge([honest_run()])).replace("Content-Security-Policy", "x")
    click = "<script>document.querySelector('[data-only=\"{}\"]').click()</script></body>"
    shown = dom(page.replace("</body>", click.format("not-judged")), tmp_path)
    assert "1 of 5 attempts, 1 of 15 cells; without ordinary work" in shown  # the work of three adapters is not judged either
    shown = dom(page.replace("</body>", click.format("overclaims")), tmp_path)
    assert "5 of 5 attempts, 15 of 15 cells<" in shown


def test_no_script_of_a_stranger_runs(tmp_path: Path) -> None:
    shown = dom(webpage.render(hostile(" ".join(ATTACKS))), tmp_path, "#c11")
    assert 'class="panel"' in shown
    assert "<title>sandproof: claimed and observed</title>" in shown
    assert "<img" not in shown


def test_the_page_would_notice(tmp_path: Path) -> None:
    """The control: a raw script does run in this browser, and the page's own policy stops even that."""
    page = webpage.render(merge([honest_run()])).replace("<body>", f"<body>{ATTACKS[0]}")
    assert "<title>sandproof" in dom(page, tmp_path)
    assert "<title>PWNED</title>" in dom(page.replace("Content-Security-Policy", "x"), tmp_path)
