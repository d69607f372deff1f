"""The `sandproof` command, called as a person calls it. The suite itself is not run here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.runfile import evidence_line, header_line, write_run
from conformance.core.words import Reason
from matrices.cli import main
from matrices.commands import suite
from matrices.commands.lock import only_one
from matrices.errors import BusyError, near
from matrices.tests.make import GOOD, OPEN, column, honest_run, native_record, none_record, run
from sandbox.host import Host

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SANDPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.toml").write_text("", encoding="utf-8")
    runs = tmp_path / "cache" / "runs"
    runs.mkdir(parents=True)
    return runs


def save(path: Path, host: str = "linux/root", reasons: tuple[Reason, ...] = GOOD, started: str = "2026-01-01T00:00:00Z") -> Path:
    made = run(native_record(), evidence=column("native", reasons, host=host), host=host, started=started).run
    write_run(path, made.header, made.evidence)
    return path


def fails(capsys: Capture, arguments: Sequence[str], code: int = 2) -> str:
    """The one line that a failing command prints on stderr."""
    assert main(arguments) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err
    return shown.err


def test_cells_of_the_last_run(cache: Path, capsys: Capture) -> None:
    save(cache / "20260101T000000Z-linux-root.jsonl", reasons=OPEN)
    save(cache / "20260102T000000Z-linux-root.jsonl")
    assert main(["matrix", "--cells", "--expected", "empty.toml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0] == "native\tlinux/root\tfs.write.direct\tenforced\tenforced\tnothing-landed\texecuted\thonest"


def test_all_runs_of_the_cache(cache: Path, capsys: Capture) -> None:
    save(cache / "1.jsonl", reasons=OPEN)
    save(cache / "2.jsonl", started="2026-01-02T00:00:00Z")
    save(cache / "3.jsonl", host="linux/user")
    other = run(none_record(), evidence=(), suite="t" * 64, started="2025-01-01T00:00:00Z").run
    write_run(cache / "0.jsonl", other.header, other.evidence)
    assert main(["matrix", "--all", "--cells", "--expected", "empty.toml"]) == 0
    shown = capsys.readouterr()
    assert {line.split("\t")[1] for line in shown.out.splitlines()} == {"linux/root", "linux/user"}
    assert "escaped" not in shown.out
    assert "1 of 4 run files are of another suite" in shown.err


def test_expected_hosts_are_there(cache: Path, tmp_path: Path, capsys: Capture) -> None:
    save(cache / "1.jsonl")
    (tmp_path / "expected.toml").write_text('hosts = ["macos/user"]', encoding="utf-8")
    assert main(["matrix", "--cells", "--expected", "expected.toml"]) == 0
    assert capsys.readouterr().out.count("macos/user") == 5


def test_pages_are_written(cache: Path, tmp_path: Path, capsys: Capture) -> None:
    save(cache / "1.jsonl")
    assert main(["matrix", "--markdown", "m.md", "--html", "m.html", "--json", "m.json", "--expected", "empty.toml"]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "m.md").read_text(encoding="utf-8").startswith("# Claimed and observed")
    assert (tmp_path / "m.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["evidence_file"] == "m.evidence.jsonl"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_the_terminal_page(cache: Path, capsys: Capture) -> None:
    save(cache / "1.jsonl")
    assert main(["matrix"]) == 0
    assert "What was seen" in capsys.readouterr().out


def test_a_report_never_replaces_its_run(cache: Path, capsys: Capture) -> None:
    path = save(cache / "1.jsonl")
    before = path.read_bytes()
    assert "it is one of the run files" in fails(capsys, ["matrix", str(path), "--json", str(path)])
    assert path.read_bytes() == before


def test_nothing_in_the_cache(capsys: Capture) -> None:
    assert "next: sandproof run" in fails(capsys, ["matrix"])


@pytest.mark.parametrize("text", ["", "no run file\n", '{"kind":"header"}\n', "\x1b]0;evil\x07\n"])
def test_foreign_run_files(tmp_path: Path, capsys: Capture, text: str) -> None:
    (tmp_path / "x\x1b.jsonl").write_text(text, encoding="utf-8")
    told = fails(capsys, ["gate", "x\x1b.jsonl"])
    assert "x\\x1b.jsonl" in told
    assert "expected" in told


def test_a_truncated_run_is_never_clean(tmp_path: Path, capsys: Capture) -> None:
    made = honest_run().run
    lines = [header_line(made.header), *map(evidence_line, made.evidence[:7])]
    (tmp_path / "cut.jsonl").write_text("\n".join(lines) + '\n{"kind":"evid', encoding="utf-8")
    assert main(["gate", "cut.jsonl", "--expected", "empty.toml"]) == 15
    assert "gate fails with exit code 15" in capsys.readouterr().out
    assert "truncated" in fails(capsys, ["merge", "cut.jsonl", "-o", "m.json", "--expected", "empty.toml"])
    assert not (tmp_path / "m.json").exists()


def test_gate_clean_and_not(cache: Path, capsys: Capture) -> None:
    save(cache / "1.jsonl")
    assert main(["gate", "--expected", "empty.toml"]) == 0
    assert capsys.readouterr().out == "gate is clean: 0 findings and 0 notes in 5 cells\n"
    save(cache / "2.jsonl", reasons=OPEN)
    assert main(["gate", "--expected", "empty.toml"]) == 12
    assert "12\tnative|linux/root|fs.write.direct\t" in capsys.readouterr().out


def test_merge_writes_once(tmp_path: Path, capsys: Capture) -> None:
    save(tmp_path / "a.jsonl")
    save(tmp_path / "b.jsonl", host="linux/user")
    arguments = ["merge", "a.jsonl", "b.jsonl", "-o", "m.json", "--expected", "empty.toml"]
    assert main(arguments) == 0
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))["hosts"] == ["linux/root", "linux/user"]
    capsys.readouterr()
    before = (tmp_path / "m.json").read_bytes()
    assert "it exists and is left as it is" in fails(capsys, arguments)
    assert (tmp_path / "m.json").read_bytes() == before
    assert "already in a.jsonl" in fails(capsys, ["merge", "a.jsonl", "a.jsonl", "-o", "n.json", "--expected", "empty.toml"])


def test_diff(tmp_path: Path, capsys: Capture) -> None:
    save(tmp_path / "a.jsonl")
    save(tmp_path / "b.jsonl", reasons=(Reason.LANDED, *GOOD[1:]))
    assert main(["diff", "a.jsonl", "a.jsonl"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["diff", "a.jsonl", "b.jsonl"]) == 1
    line = capsys.readouterr().out
    assert line.startswith("native|linux/root|fs.write.rename\tclaim enforced, enforced (nothing-landed), executed, honest → ")
    assert line.count("\n") == 1


def test_explain(cache: Path, capsys: Capture) -> None:
    save(cache / "1.jsonl")
    assert main(["explain", "native|linux/root|fs.write.direct"]) == 0
    shown = capsys.readouterr().out
    assert "witness saw:  the file at $OUT/x is as it was" in shown
    assert "sandproof reproduce 'native|linux/root|fs.write.direct'" in shown
    assert main(["explain", "native", "linux/root", "fs.write.direct"]) == 0
    assert capsys.readouterr().out == shown
    assert "near matches: native|linux/root|fs.write.direct" in fails(capsys, ["explain", "native|linux/root|fs.write.direc"])
    assert "expected 'ADAPTER|HOST|ATTEMPT'" in fails(capsys, ["explain", "native"])


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], [], ["matrix", "--html"], ["run", "--jobs", "0"], ["run", "--repeat", "x"], ["gate", "--\x1b[1m"], ["adapter"]],
)
def test_usage_is_one_line(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "\x1b" not in shown


def stub_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "attempt_ids", lambda: ("fs/write/direct", "fs/write/rename"))
    monkeypatch.setattr(suite, "built_in", lambda: ("none", "native"))
    monkeypatch.setattr(suite, "check_adapter", lambda text, host: (replace(native_record(), variant=text), None, ""))


def test_an_unknown_attempt_starts_nothing(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("nothing may start"))
    told = fails(capsys, ["run", "--attempt", "fs/write/direkt"])
    assert "near matches: fs/write/direct" in told


def test_a_run_file_is_never_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("nothing may start"))
    (tmp_path / "old.jsonl").write_text("precious", encoding="utf-8")
    assert "it exists and is left as it is" in fails(capsys, ["run", "--run-file", "old.jsonl"])
    assert (tmp_path / "old.jsonl").read_text(encoding="utf-8") == "precious"


def test_a_second_run_waits_for_no_one(monkeypatch: pytest.MonkeyPatch, cache: Path, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    with only_one(cache.parent):
        assert "another run is under way" in fails(capsys, ["run"], code=3)
        with pytest.raises(BusyError), only_one(cache.parent):
            pytest.fail("the lock is held")
    with only_one(cache.parent):
        pass


def test_the_lock_ends_with_its_process(cache: Path) -> None:
    program = (
        "import sys, pathlib\nfrom matrices.commands.lock import only_one\n"
        "with only_one(pathlib.Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    argv = [sys.executable, "-c", program, str(cache.parent)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BusyError), only_one(cache.parent):
            pytest.fail("the lock is held")
        holder.kill()
    with only_one(cache.parent):
        pass


def test_a_run_calls_pytest_once(monkeypatch: pytest.MonkeyPatch, cache: Path, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    calls: list[list[str]] = []

    def run_pytest(argv: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(argv)
        save(Path(argv[argv.index("--run-file") + 1]), host=Host.detect().label)
        return subprocess.CompletedProcess(argv, 1)

    monkeypatch.setattr(subprocess, "run", run_pytest)
    assert main(["run", "--attempt", "fs/write/direct", "--repeat", "3", "--jobs", "2", "--keep-scene"]) == 1
    (argv,) = calls
    assert argv[1:5] == ["-m", "pytest", "-p", "conformance.plugin"]
    text = " ".join(argv)
    for part in ("-n 2 --dist loadgroup", "--adapter none --adapter native", "--attempt fs/write/direct", "--repeat 3", "--keep-scene"):
        assert part in text
    (path,) = cache.glob("*.jsonl")
    assert Host.detect().label.replace("/", "-") in path.name
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("status", [0, 2, 3, 4, 5, -9])
def test_a_suite_that_leaves_nothing_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Capture, status: int) -> None:
    stub_suite(monkeypatch)
    monkeypatch.setattr(subprocess, "run", lambda argv, **_: subprocess.CompletedProcess(argv, status))
    assert "what " in fails(capsys, ["run"], code=4)


def test_reproduce_refuses_cells_of_other_hosts(capsys: Capture) -> None:
    assert "expected a cell of this host" in fails(capsys, ["reproduce", "native|other/user|fs/write/direct"])


def test_adapter_new_and_check(tmp_path: Path, capsys: Capture) -> None:
    assert main(["adapter", "new", "my-box"]) == 0
    assert "sandproof adapter check my-box.toml" in capsys.readouterr().out
    assert "it exists and is left as it is" in fails(capsys, ["adapter", "new", "my-box"])
    assert "expected a name" in fails(capsys, ["adapter", "new", "../evil"])
    assert main(["adapter", "check", "my-box.toml"]) == 6
    shown = capsys.readouterr()
    assert "net.off: not-enforced" in shown.out
    assert "my-box is not on PATH" in shown.err


def test_adapter_check_reads_claims(tmp_path: Path, capsys: Capture) -> None:
    main(["adapter", "new", "my-box"])
    path = tmp_path / "my-box.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"*" = "not-enforced"', '"net.of" = "enforced"'), encoding="utf-8")
    capsys.readouterr()
    assert "near matches: net.off" in fails(capsys, ["adapter", "check", "my-box.toml"])


def test_adapter_install_runs_nothing_unasked(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.toml").write_text('[install]\ncommand = ["touch", "a b"]\n', encoding="utf-8")
    assert main(["adapter", "install", "a.toml"]) == 0
    assert capsys.readouterr().out.startswith("touch 'a b'\n")
    assert not (tmp_path / "a b").exists()
    assert main(["adapter", "install", "a.toml", "--yes"]) == 0
    assert (tmp_path / "a b").exists()
    assert "expected [install]" in fails(capsys, ["adapter", "install", "empty.toml"])


def test_the_last_run_is_named(cache: Path, capsys: Capture) -> None:
    first = save(cache / "1.jsonl")
    assert main(["gate", "--expected", "empty.toml"]) == 0
    assert capsys.readouterr().err == f"sandproof gate: of the last run only, {first}\n"
    last = save(cache / "2.jsonl", host="linux/user")
    for command in (["matrix"], ["matrix", "--cells"], ["gate"], ["explain", "native", "linux/user", "fs.write.direct"]):
        main([*command, "--expected", "empty.toml"])
        told = f"{command[0]}: of the last run only, {last}; --all speaks of the 1 older run files"
        assert told in capsys.readouterr().err
    assert "--all looks into the older run files" in fails(
        capsys, ["explain", "native", "linux/root", "fs.write.direct", "--expected", "empty.toml"]
    )
    assert main(["explain", "native", "linux/root", "fs.write.direct", "--all"]) == 0
    assert main(["matrix", str(first)]) == 0
    assert capsys.readouterr().err == ""


def test_explain_takes_run_files(tmp_path: Path, capsys: Capture) -> None:
    save(tmp_path / "a.jsonl")
    assert main(["explain", "native|linux/root|fs.write.direct", "--run", "a.jsonl"]) == 0
    assert "witness saw" in capsys.readouterr().out


def test_a_flipped_verdict_is_refused(tmp_path: Path, capsys: Capture) -> None:
    made = run(native_record(), evidence=column("native", (Reason.LANDED, *GOOD[1:]))).run
    flipped = replace(made.evidence[0], verdict=made.evidence[1].verdict)
    write_run(tmp_path / "a.jsonl", made.header, [flipped, *made.evidence[1:]])
    told = fails(capsys, ["gate", "a.jsonl"])
    assert "a.jsonl:2: evidence of native for fs.write.rename: expected escaped (landed)" in told
    assert "got enforced (nothing-landed)" in told


@pytest.mark.parametrize(
    "command",
    [
        ["matrix"],
        ["gate"],
        ["explain", "a", "b", "c"],
        ["run", "--adapter", "none"],
        ["reproduce", "none", Host.detect().label, "fs/write/direct"],
    ],
)
def test_a_cache_that_cannot_be_made(command: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("SANDPROOF_CACHE", str(tmp_path / "file" / "cache"))
    assert "set SANDPROOF_CACHE to another directory" in fails(capsys, command)


def test_a_cache_that_takes_no_lock(monkeypatch: pytest.MonkeyPatch, cache: Path, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    (cache.parent / "run.lock").mkdir()
    assert "run.lock: expected a cache directory that can be written to" in fails(capsys, ["run"])


def test_a_run_file_needs_its_directory(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    stub_suite(monkeypatch)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("nothing may start"))
    assert "nowhere: expected a directory that can be written to" in fails(capsys, ["run", "--run-file", "nowhere/run.jsonl"])


@pytest.mark.parametrize("command", [["run"], ["run", "--run-file", "a.jsonl"], ["matrix", "--html", "m.html"], ["adapter", "new", "box"]])
def test_a_working_directory_that_is_gone(
    command: list[str], monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path, capsys: Capture
) -> None:
    stub_suite(monkeypatch)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("nothing may start"))
    save(cache / "1.jsonl")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "expected" in fails(capsys, command)


ADAPTERS = """
from dataclasses import replace
from conformance.adapters.none import NoneAdapter
class Raises(NoneAdapter):
    def availability(self, host): raise RuntimeError("two\\nlines")
class Exits(NoneAdapter):
    def record(self, host): raise SystemExit(0)
class Silent(NoneAdapter):
    def availability(self, host): return None
class Wrong(NoneAdapter):
    def record(self, host): return replace(super().record(host), version=3)
"""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Raises", "it raised RuntimeError: two\\x0alines"),
        ("Exits", "expected record() to end well; it raised SystemExit: 0"),
        ("Silent", "availability() a text; got AdapterRecord and NoneType"),
        ("Wrong", "record(): version: expected text; got 3"),
    ],
)
def test_a_python_adapter_that_fails(name: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "failing_adapters.py").write_text(ADAPTERS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for command in (["adapter", "check"], ["run", "--adapter"]):
        assert told in fails(capsys, [*command, f"failing_adapters:{name}"])


def test_an_adapter_that_cannot_be_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "broken_adapter.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert "loading it to end well; it raised ZeroDivisionError" in fails(capsys, ["adapter", "check", "broken_adapter:X"])


def test_output_that_cannot_be_written(cache: Path) -> None:
    """A full disk, and a closed stdout."""
    save(cache / "1.jsonl")
    argv = [sys.executable, "-m", "matrices.cli", "matrix", "--cells", str(cache / "1.jsonl")]
    root = Path(__file__).parents[2]
    if Path("/dev/full").exists():
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, text=True, cwd=root, check=False)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *argv], stderr=subprocess.PIPE, text=True, cwd=root, check=False)
    assert (closed.returncode, closed.stderr) == (0, "")


def test_near_finds_beginnings() -> None:
    assert near("fs/wri", ["fs/write/outside/home", "net/dns"]) == "; near matches: fs/write/outside/home"
    assert near("zzz", ["fs/write"]) == ""
