"""What the commands tell a newcomer: which adapter, which run, which step, and what to type next."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.runfile import write_run
from conformance.core.words import Reason
from matrices.build import explain, terminal, webpage
from matrices.build.merge import merge
from matrices.cli import main
from matrices.commands import suite
from matrices.commands.files import program
from matrices.commands.lock import only_one
from matrices.commands.run import problems
from matrices.tests.make import GOOD, OPEN, column, evidence, honest_run, naive_record, native_record, none_record, run
from matrices.text import counted
from sandbox.host import Host

Capture = pytest.CaptureFixture[str]
STRICT = """
id = "strict"
title = "strict"
[availability]
command = ["env", "--version"]
[launch]
argv = ["env", "--"]
[claims]
"*" = "enforced"
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SANDPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strict.toml").write_text(STRICT, encoding="utf-8")
    (tmp_path / "cache" / "runs").mkdir(parents=True)
    return tmp_path / "cache"


def fails(capsys: Capture, *arguments: str, code: int = 2) -> str:
    assert main(arguments) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def text_of(adapter: str, attempt: str) -> str:
    (found,) = (cell for cell in merge([honest_run()]).cells if (cell.adapter, cell.attempt.id) == (adapter, attempt))
    return "\n".join(explain.lines(found))


def test_the_command_to_make_a_cell_again_can_be_used() -> None:
    assert "sandproof reproduce 'native|linux/root|fs.write.direct'\n" in text_of("native", "fs.write.direct")
    naive = text_of("naive", "fs.write.direct")
    assert "sandproof reproduce 'naive|linux/root|fs.write.direct' --adapter FILE.toml\n" in naive
    assert "--keep-scene" in naive
    assert "the file that describes the adapter" in naive


@pytest.mark.parametrize("reason", [None, Reason.OTHER_HOST])
def test_what_was_not_made_is_not_made_again(reason: Reason | None) -> None:
    matrix = merge([run(native_record(), evidence=column("native", (reason, *GOOD[1:])))])
    cell = next(cell for cell in matrix.cells if cell.attempt.id == "fs.write.rename")
    assert "reproduce" not in "\n".join(explain.lines(cell))
    assert explain.reproduce_line(cell) == ""


def test_reproduce_says_how_to_name_an_adapter(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "attempt_ids", lambda: ("a/b",))
    told = fails(capsys, "reproduce", f"strict|{Host.detect().label}|a/b")
    assert "add --adapter FILE.toml" in told
    assert "near matches: native" in fails(capsys, "reproduce", f"nativ|{Host.detect().label}|a/b")


def test_steps_name_role_verb_and_answer() -> None:
    lines = explain.output_lines("twin read ENOENT: no such file\nattack write ok\ntwin step: read $OUT → ok\nelse\x1b")
    assert list(lines) == ["twin step: read → ENOENT: no such file", "attack step: write → ok", "twin step: read $OUT → ok", "else\\x1b"]


@pytest.mark.parametrize(
    ("unsent", "told"),
    [
        ((), ""),
        (("net.off",), "this one"),
        (("net.off", "fs.confine"), "this one and 1 other"),
        (("fs.confine", "proc.tty"), "2 others, and not this one"),
    ],
)
def test_rules_without_words_are_counted(unsent: tuple[str, ...], told: str) -> None:
    shown = explain.not_sent_text(replace(evidence("naive", "net.metadata", rule="net.off"), not_sent=unsent))
    assert shown == (f"rules the adapter was given no words for: {told}" if told else "")


def test_a_problem_is_one_line() -> None:
    record = replace(naive_record(), claims={"*": "enforced"})
    cells = [*column("none", OPEN), *column("naive", (Reason.LANDED, Reason.HARNESS_ERROR, *GOOD[2:]))]
    cells[-4] = replace(cells[-4], note="it\nbroke")
    told = list(problems(run(none_record(), record, evidence=cells).run))
    assert [line.partition(": ")[0] for line in told] == ["naive|linux/root|fs.write.rename", "naive|linux/root|fs.write.direct"]
    assert "overclaims" in told[0]
    assert told[1].endswith("the harness failed: it\\x0abroke")


def stub_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_pytest(argv: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        made = run(native_record(), evidence=column("native", GOOD, host=Host.detect().label), host=Host.detect().label).run
        write_run(Path(argv[argv.index("--run-file") + 1]), made.header, made.evidence)
        return subprocess.CompletedProcess(argv, 0)

    monkeypatch.setattr(subprocess, "run", run_pytest)
    monkeypatch.setattr(suite, "check_adapter", lambda text, host: (replace(native_record(), variant=text), None, ""))


def test_a_run_ends_with_what_was_made_and_what_to_type(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stub_pytest(monkeypatch)
    monkeypatch.setattr("matrices.commands.run.program", lambda: "bin/sandproof")
    assert main(["run", "--adapter", "native", "--run-file", "a b.jsonl"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "5 cells made, 0 problems"
    assert told[2].startswith("next: bin/sandproof matrix 'a b.jsonl', ")
    assert main(["run", "--adapter", "native", "--run-file", "c.jsonl", "--quiet-next"]) == 0
    assert capsys.readouterr().err == "5 cells made, 0 problems\n"


@pytest.mark.parametrize("command", [["run", "--help"], ["adapter", "check", "--help"], ["gate", "--help"]])
def test_help_lists_the_exit_codes(command: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(command)
    assert "Exit codes" in capsys.readouterr().out


def test_the_lock_says_who_holds_it(cache: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    stub_pytest(monkeypatch)
    with only_one(cache):
        told = fails(capsys, "run", "--adapter", "native", code=3)
        assert f"(process {os.getpid()}, since 20" in told
        assert "each user and each cache directory has one lock" in told
        (cache / "run.lock").write_text("\x1b[1m\n", encoding="utf-8")
        assert "another run is under way; wait" in fails(capsys, "run", "--adapter", "native", code=3)


def test_ids_that_cannot_be_told_apart_start_nothing(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started = "matrices.commands.run.run_suite"
    monkeypatch.setattr(started, lambda launch: pytest.fail("nothing may start"))
    assert "'strict' of strict.toml and of strict.toml" in fails(capsys, "run", "--adapter", "strict.toml", "--adapter", "strict.toml")
    (tmp_path / "none.toml").write_text(STRICT.replace('"strict"', '"none"'), encoding="utf-8")
    for command in (["run", "--adapter"], ["adapter", "check"]):
        assert "got 'none', which is built in" in fails(capsys, *command, "none.toml")
    assert "got 'native', which is built in" in fails(capsys, "adapter", "new", "native")
    assert "near matches: strict.toml" in fails(capsys, "adapter", "check", "strict")


def test_the_gate_leaves_our_expectations_to_our_adapters(tmp_path: Path, capsys: Capture) -> None:
    """The tree's file names hosts and attempts that somebody else's run knows nothing of."""
    made = run(none_record(), naive_record(), evidence=[*column("none", OPEN), *column("naive", OPEN)]).run
    write_run(tmp_path / "theirs.jsonl", made.header, made.evidence)
    assert main(["gate", "theirs.jsonl"]) == 0
    assert capsys.readouterr().out == "gate is clean: 0 findings and 0 notes in 10 cells\n"
    made = run(native_record(), evidence=column("native", GOOD)).run
    write_run(tmp_path / "ours.jsonl", made.header, made.evidence)
    assert main(["gate", "ours.jsonl"]) == 16


def test_hints_name_the_program_as_it_can_be_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", "")
    assert program() == "sandproof"
    (tmp_path / "bin" / "sandproof").touch()
    assert program() == "bin/sandproof"
    assert "bin/sandproof explain CELL" in terminal.render(merge([honest_run()]), 100, program())


def test_tiles_of_nothing_open_nothing() -> None:
    page = webpage.render(merge([honest_run()]))
    assert 'data-only="overclaims" disabled>' in page
    assert 'data-only="honest">' in page


def test_one_is_not_many() -> None:
    assert (counted(1, "finding"), counted(0, "finding"), counted(2, "note")) == ("1 finding", "0 findings", "2 notes")
