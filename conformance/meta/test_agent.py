"""The in-guest agent and the table of steps are two ends of one contract."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.agent import agent
from conformance.core import steps
from conformance.core.steps import Step

SAMPLE: dict[str, Any] = {"str": "x", "int": 3, "bool": True, "Sequence[str]": ("x",)}


def builders() -> Iterator[tuple[str, Callable[..., Step]]]:
    for name, function in vars(steps).items():
        if inspect.isfunction(function) and not name.startswith("_") and function.__annotations__.get("return") == "Step":
            yield name, function


def sample(function: Callable[..., Step]) -> Step:
    """The step built from one value for each parameter."""
    parameters = inspect.signature(function).parameters
    return function(**{name: SAMPLE[str(p.annotation)] for name, p in parameters.items()})


def test_every_step_has_a_verb_and_every_verb_a_step() -> None:
    assert {sample(function).verb for _, function in builders()} == set(agent.VERBS)


@pytest.mark.parametrize(("name", "function"), list(builders()), ids=[name for name, _ in builders()])
def test_a_step_has_exactly_the_arguments_of_its_verb(name: str, function: Callable[..., Step]) -> None:
    step = sample(function)
    inspect.signature(agent.VERBS[step.verb]).bind(**step.args)
    assert set(step.paths) <= set(step.args)
    assert step.verb == name.replace("_", "-")


def test_verbs_that_report_an_effect_are_verbs() -> None:
    assert set(agent.VERBS) >= steps.REPORTS_EFFECT


def talk(*wanted: dict[str, Any], deadline: int = 10) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[bytes]]:
    """Run the agent as a guest would, isolated, and decode what it says."""
    plan = {"tag": "t4g", "deadline": deadline, "steps": [{"role": "attack", **step} for step in wanted]}
    done = subprocess.run(
        [sys.executable, "-I", "-S", agent.__file__],
        input=json.dumps(plan).encode(),
        capture_output=True,
        timeout=20,
        check=False,
        env={},
    )
    return [json.loads(line.removeprefix(b"t4g ")) for line in done.stdout.splitlines() if line.startswith(b"t4g ")], done


def read(path: Path) -> dict[str, Any]:
    return {"verb": "read", "args": {"path": str(path)}}


def test_beacons_frame_every_step_and_a_failing_step_does_not_end_the_agent(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("content", encoding="utf-8")
    said, done = talk(read(tmp_path / "nowhere"), read(tmp_path / "there"))
    assert [record["b"] for record in said] == ["ready", "acting", "acted", "acting", "acted", "done"]
    assert [(r["step"], r["errno"], r["out"]) for r in said if r["b"] == "acted"] == [
        (0, "ENOENT", "No such file or directory"),
        (1, None, "content"),
    ]
    assert done.returncode == 0


def test_output_is_capped(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"a" * 1_000_000)
    noisy = {"verb": "run", "args": {"argv": ["/bin/cat", str(big)], "cwd": str(tmp_path), "stdin": ""}}
    failing = {"verb": "run", "args": {"argv": ["/bin/sh", "-c", f"cat {big}; exit 3"], "cwd": str(tmp_path), "stdin": ""}}
    said, done = talk(read(big), noisy, failing)
    answers = [record for record in said if record["b"] == "acted"]
    assert [answer["errno"] for answer in answers] == [None, None, "exit:3"]
    assert all(len(answer["out"]) <= agent.OUTPUT_LIMIT for answer in answers)
    assert len(done.stdout) < 5 * agent.OUTPUT_LIMIT


def test_bytes_that_are_no_text_come_out_whole(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(bytes(range(256)))
    said, _ = talk(read(tmp_path / "raw"))
    assert "b64:AAECAwQF" in said[2]["out"]


@pytest.mark.parametrize("hostile", ["/dev/zero", "/dev/urandom"])
def test_an_endless_file_is_read_up_to_the_cap(hostile: str) -> None:
    said, _ = talk(read(Path(hostile)))
    assert said[-1]["b"] == "done"


def test_the_deadline_ends_it() -> None:
    sleeping = {"verb": "run", "args": {"argv": ["/bin/sleep", "5"], "cwd": "/", "stdin": ""}}
    said, done = talk(sleeping, deadline=1)
    assert [record["b"] for record in said] == ["ready", "acting"]
    assert done.returncode == -14


def test_an_unknown_verb_is_a_fault_that_ends_it_without_an_answer() -> None:
    said, done = talk({"verb": "fly", "args": {}})
    assert [record["b"] for record in said] == ["ready", "acting"]
    assert done.returncode == 1
