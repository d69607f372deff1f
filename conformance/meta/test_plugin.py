"""The pytest plugin from outside: registered once however it comes, bad input is one message, and a run file is whole or says so."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.core.evidence import Evidence
from conformance.core.runfile import read_run
from conformance.meta.child import PLUGINS, ROOT, environment, suite
from conformance.suite import SUITE_PATH

ONE = ("--adapter", "none", "--attempt", "fs/write/outside/elsewhere")
FEW = (
    *("--adapter", "none", "--adapter", "conformance.miniatures.fakes_beacons:ADAPTER"),
    *("--attempt", "fs/write/outside/elsewhere", "--attempt", "fs/write/outside/home", "--attempt", "fs/write/outside/parent"),
)


def collected(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def with_path(place: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join((str(place), environment()["PYTHONPATH"]))}


# --- registered once -----------------------------------------------------------------------------------------------------------


def installed(place: Path) -> dict[str, str]:
    """What an installation adds: entry points of the same names."""
    info = place / "sandproof_meta-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sandproof-meta\nVersion: 0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[pytest11]\nconformance.plugin = conformance.plugin\nmatrices.pytest_gate = matrices.pytest_gate\n", encoding="utf-8"
    )
    return {"PYTHONPATH": os.pathsep.join((environment()["PYTHONPATH"], str(place)))}


@pytest.mark.parametrize(
    ("how", "where"),
    [
        ("conftest", "tree"),
        ("option", "tree"),
        ("option", "elsewhere"),
        ("installed", "tree"),
        ("installed", "elsewhere"),
        ("installed-and-option", "tree"),
    ],
)
def test_it_is_registered_once(how: str, where: str, tmp_path: Path) -> None:
    plugins = PLUGINS if how.endswith("option") else ()
    env = installed(tmp_path / "site") if how.startswith("installed") else {}
    done = suite(*ONE, "--collect-only", cwd=ROOT if where == "tree" else tmp_path, plugins=plugins, env=env)
    names = collected(done)
    assert len(names) == 1
    assert names[0].partition("[")[2].startswith("none|fs/write/outside/elsewhere")


# --- bad input -------------------------------------------------------------------------------------------------------------------


BAD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "misspelt attempt": (
        ("--attempt", "fs/write/outside/elsewere"),
        ("no attempt 'fs/write/outside/elsewere'", "near: ", "fs/write/outside/elsewhere"),
    ),
    "unlike any attempt": (("--attempt", "zzzzzz"), ("no attempt 'zzzzzz'", "sandproof attempts --ids")),
    "misspelt adapter": (("--adapter", "natve"), ("'natve'", "did you mean 'native'")),
    "adapter twice": (("--adapter", "none", "--adapter", "none"), ("'none' stands twice",)),
    "adapter file missing": (("--adapter", "nowhere.toml"), ("nowhere.toml", "expected an adapter file")),
    "no repeat": (("--repeat", "0"), ("--repeat", "from 1", "0")),
    "negative repeat": (("--repeat", "-3"), ("--repeat", "-3")),
    "repeat no number": (("--repeat", "many"), ("--repeat", "many")),
    "attempt, with run file": (("--attempt", "zzzzzz", "--run-file", "{new}"), ("no attempt 'zzzzzz'",)),
    "adapter, with run file": (("--adapter", "natve", "--run-file", "{new}"), ("'natve'",)),
    "run file exists": ((*ONE, "--run-file", "{old}"), ("{old} exists and is not written over",)),
    "run file is a directory": ((*ONE, "--run-file", "{dir}"), ("--run-file: {dir}",)),
    "run file nowhere": ((*ONE, "--run-file", "{dir}/no/run"), ("{dir}/no/run cannot be written: No such file",)),
}
SEVERAL = """
import contextlib, io, json, sys
import pytest
answers = {}
for name, words in json.load(sys.stdin).items():
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        code = int(pytest.main(words))
    answers[name] = [code, out.getvalue()]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[int, str]], Path]:
    """What pytest says to each, asked in one process, and where its files lie."""
    place = tmp_path_factory.mktemp("bad")
    (place / "old").write_text("mine", encoding="utf-8")
    common = ["-p", "no:cacheprovider", "-q", *PLUGINS, str(SUITE_PATH)]
    asked = {name: [*common, *(fill(word, place) for word in words)] for name, (words, _) in BAD.items()}
    command = [sys.executable, "-c", SEVERAL]
    done = subprocess.run(
        command, input=json.dumps(asked), env=environment(), cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout), place


def fill(word: str, place: Path) -> str:
    return word.replace("{new}", f"{place}/new").replace("{old}", f"{place}/old").replace("{dir}", str(place))


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_usage_error(name: str, bad: tuple[dict[str, tuple[int, str]], Path]) -> None:
    code, said = bad[0][name]
    assert code == pytest.ExitCode.USAGE_ERROR, said
    for part in BAD[name][1]:
        assert fill(part, bad[1]) in said
    assert "Traceback" not in said
    assert "INTERNALERROR" not in said


def test_bad_input_leaves_nothing_written_or_written_over(bad: tuple[dict[str, tuple[int, str]], Path]) -> None:
    assert [path.name for path in bad[1].iterdir()] == ["old"]
    assert (bad[1] / "old").read_text(encoding="utf-8") == "mine"


# --- run files ---------------------------------------------------------------------------------------------------------------------


def cells(path: Path) -> dict[tuple[str, str], str]:
    run = read_run(path)
    assert run.complete
    named = {record.variant for record in run.header.adapters}
    assert {e.adapter for e in run.evidence} == named

    def column(e: Evidence) -> str:
        return "none" if e.adapter == "none" else "miniature"  # its name is another one in each run

    return {(column(e), e.attempt): f"{e.verdict.observed} {e.verdict.reason}" for e in run.evidence}


def test_workers_see_the_same_cells_as_one_process(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    alone = suite(*FEW, "--run-file", str(tmp_path / "alone"))
    spread = suite(*FEW, "-n", "2", "--dist", "loadgroup", "--run-file", str(tmp_path / "spread"))
    assert (alone.returncode, spread.returncode) == (0, 0), alone.stdout + spread.stdout
    one, many = cells(tmp_path / "alone"), cells(tmp_path / "spread")
    assert one == many
    assert {value for (column, _), value in one.items() if column == "none"} == {"escaped landed"}
    assert {value for (column, _), value in one.items() if column == "miniature"} == {"inconclusive twin-did-not-land"}


def test_a_run_that_was_stopped_has_no_footer(tmp_path: Path) -> None:
    (tmp_path / "stopping.py").write_text(
        "import pytest\n"
        "@pytest.hookimpl(trylast=True)\n"
        "def pytest_runtest_logreport(report):\n"
        "    if report.when == 'call':\n"
        "        raise KeyboardInterrupt\n",
        encoding="utf-8",
    )
    target = tmp_path / "run.jsonl"
    done = suite(*FEW, "--run-file", str(target), "-p", "stopping", env=with_path(tmp_path))
    run = read_run(target)
    assert done.returncode != 0
    assert not run.complete
    assert len(run.evidence) >= 1


def test_a_fault_of_the_harness_is_a_cell_of_its_own(tmp_path: Path) -> None:
    """An adapter that raises: the test fails, the cell is `not-run harness-error`, and the run is whole."""
    (tmp_path / "faulty_adapter.py").write_text(
        "from conformance.miniatures.base import Miniature\n"
        "class Faulty(Miniature):\n"
        "    def open(self, surface, policy, scene):\n"
        "        raise RuntimeError('it broke')\n"
        "ADAPTER = Faulty()\n",
        encoding="utf-8",
    )
    target = tmp_path / "run.jsonl"
    words = ("--adapter", "faulty_adapter:ADAPTER", "--attempt", "fs/write/outside/elsewhere", "--run-file", str(target))
    done = suite(*words, env=with_path(tmp_path))
    assert done.returncode == 1
    run = read_run(target)
    assert run.complete
    assert [f"{e.verdict.observed} {e.verdict.reason}" for e in run.evidence] == ["not-run harness-error"]
    assert "it broke" in run.evidence[0].note


def test_repeat_is_recorded_and_made(tmp_path: Path) -> None:
    target = tmp_path / "run.jsonl"
    assert suite(*ONE, "--repeat", "3", "--run-file", str(target)).returncode == 0
    run = read_run(target)
    assert (run.header.repeat, run.evidence[0].facts.shots, run.evidence[0].facts.landed) == (3, 3, 3)


def test_an_overclaim_fails_its_test_and_an_honest_gap_does_not() -> None:
    words = ("--attempt", "fs/write/outside/elsewhere")
    liar = suite("--adapter", "conformance.miniatures.enforces_nothing:ADAPTER", *words)
    assert liar.returncode == 1
    assert "overclaims" in liar.stdout
    assert suite("--adapter", "none", *words).returncode == 0


# --- scenes ----------------------------------------------------------------------------------------------------------------------------


def test_scenes_are_gone_afterwards(tmp_path: Path) -> None:
    assert suite(*ONE, env={"SANDPROOF_CACHE": str(tmp_path)}).returncode == 0
    assert list((tmp_path / "scenes").iterdir()) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="the attempt's host trigger needs git")
def test_a_kept_scene_warns_and_has_lost_its_execute_bits(tmp_path: Path) -> None:
    words = ("--adapter", "none", "--attempt", "fs/deny/hook-direct", "--keep-scene")
    done = suite(*words, env={"SANDPROOF_CACHE": str(tmp_path)})
    assert done.returncode == 0, done.stdout
    (scene,) = (tmp_path / "scenes").iterdir()
    assert "do not open it as a project" in (scene / "DO-NOT-OPEN.txt").read_text(encoding="utf-8")
    files = [path for path in (tmp_path / "scenes").rglob("*") if path.is_file() and not path.is_symlink()]
    assert files
    assert not [path for path in files if path.stat().st_mode & 0o111]


def test_nothing_is_left_in_the_run_file_that_names_this_machine(tmp_path: Path) -> None:
    target = tmp_path / "run.jsonl"
    assert suite(*FEW, "--run-file", str(target)).returncode == 0
    text = target.read_text(encoding="utf-8")
    for line in text.splitlines():
        json.loads(line)
    assert not re.search(rf"\b{re.escape(os.uname().nodename)}\b", text)
    home = os.path.expanduser("~")
    assert len(home) < 2 or f"{home}/" not in text

