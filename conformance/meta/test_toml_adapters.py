"""Adapter files: what is wrong with one is said in one line that names the file and the key, before anything is started."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.adapters.registry import BUILT_IN, AdapterError, load_adapter
from conformance.meta.samples import cell, known, word
from sandbox.host import Host

GOOD = """
id = "sample"
title = "A sample"
[availability]
command = ["true"]
[launch]
argv = ["env", "SAMPLE={work}"]
"""


def file(place: Path, text: str) -> str:
    path = place / "sample.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


WRONG = {
    "not TOML": ("id = ", "TOML"),
    "empty": ("", "id"),
    "no id": (changed('id = "sample"\n', ""), "id: expected"),
    "id of a wrong type": (changed('"sample"', "3"), "id: expected a printable text"),
    "id with capitals": (changed('"sample"', '"My Sample"'), "id: expected lower-case"),
    "id with a dash at its end": (changed('"sample"', '"sample-"'), "id: expected lower-case"),
    "id with a line feed": (changed('"sample"', '"a\\n"'), "id: expected"),
    "no title": (changed('title = "A sample"\n', ""), "title: expected"),
    "title with an escape sequence": (changed('"A sample"', '"\\u001b[31mA"'), "title: expected a printable text"),
    "no availability": (changed('[availability]\ncommand = ["true"]\n', ""), "availability: expected a table"),
    "availability without a command": (changed('command = ["true"]\n', ""), "availability.command: expected a list"),
    "command that is a text": (changed('["true"]', '"true"'), "availability.command: expected a list"),
    "empty command": (changed('["true"]', "[]"), "availability.command: expected a list"),
    "no launch": (GOOD.partition("[launch]")[0], "launch: expected a table"),
    "launch that is a list": (GOOD.partition("[launch]")[0].replace("[avail", "launch = 3\n[avail"), "launch: expected a table"),
    "no argv": (GOOD.partition("argv")[0], "launch.argv: expected a list"),
    "number in argv": (changed('"env", ', '"env", 3, '), "launch.argv: expected a list of texts"),
    "unknown placeholder": (changed("{work}", "{wrok}"), "launch.argv: unknown placeholder {wrok}; known are"),
    "unnamed placeholder": (changed("{work}", "{}"), "launch.argv: unknown placeholder {}"),
    "open brace": (changed("{work}", "{work"), "launch.argv: expected balanced braces"),
    "placeholder with an attribute": (changed("{work}", "{work.x}"), "launch.argv: unknown placeholder {work.x}"),
    "terms in the wrong place": (changed('["true"]', '["true", "{terms}"]'), "availability.command: unknown placeholder {terms}"),
    "unknown table": (GOOD + "[sandbox]\n", "unknown key 'sandbox'; known are"),
    "unknown key": ("color = 1\n" + GOOD, "unknown key 'color'"),
    "refusal code 0": (GOOD + "refusal-exit-codes = [0]\n", "launch.refusal-exit-codes: expected a list of numbers from 1 to 255"),
    "refusal code 256": (GOOD + "refusal-exit-codes = [256]\n", "launch.refusal-exit-codes"),
    "refusal code true": (GOOD + "refusal-exit-codes = [true]\n", "launch.refusal-exit-codes"),
    "refusal codes no list": (GOOD + "refusal-exit-codes = 64\n", "launch.refusal-exit-codes"),
    "environment with a number": (GOOD + "env = { A = 1 }\n", "launch.env.A: expected a text"),
    "environment with an unknown placeholder": (GOOD + 'env = { A = "{x}" }\n', "launch.env.A: unknown placeholder {x}"),
    "file outside its directory": (GOOD + '[files]\n"../x" = "a"\n', "files: expected a plain file name; got '../x'"),
    "unknown rule kind": (GOOD + '[terms]\n"fs.fly" = ["a"]\n', "terms: expected a rule kind"),
    "terms without a place": (GOOD + '[terms]\n"net.off" = ["--no-net"]\n', "launch.argv: expected the word '{terms}'"),
    "terms that are no table": ("terms = 3\n" + GOOD, "terms: expected a table"),
    "claims that are no table": ("claims = 3\n" + GOOD, "claims: expected a table"),
    "tmp of a wrong type": ("tmp = 3\n" + GOOD, "tmp: expected a printable text"),
}


@pytest.mark.parametrize(("text", "expected"), WRONG.values(), ids=WRONG)
def test_one_line_says_where_and_what(text: str, expected: str, tmp_path: Path) -> None:
    name = file(tmp_path, text)
    with pytest.raises(AdapterError) as caught:
        load_adapter(name)
    said = str(caught.value)
    assert said.startswith(f"{name}: ")
    assert expected in said
    assert len(said.splitlines()) == 1


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match=r"nowhere\.toml: expected an adapter file"):
        load_adapter(str(tmp_path / "nowhere.toml"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(AdapterError, match=r"binary\.toml: expected an adapter file"):
        load_adapter(str(tmp_path / "binary.toml"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("natve", "did you mean 'native'"),
        ("conformance.nowhere:ADAPTER", "No module named"),
        ("conformance.adapters.none:NOTHING", "NOTHING"),
        ("conformance.core.judge:judge", "expected an object with 'id'"),
    ],
)
def test_names_that_are_no_adapter(name: str, expected: str) -> None:
    with pytest.raises(AdapterError) as caught:
        load_adapter(name)
    assert expected in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_every_built_in_loads() -> None:
    assert [load_adapter(name).id for name in BUILT_IN] == list(BUILT_IN)


def test_a_missing_program_is_unavailable_with_its_name(tmp_path: Path) -> None:
    adapter = load_adapter(file(tmp_path, changed('["true"]', '["no-such-sandbox", "--version"]')))
    assert adapter.availability(Host.detect()) == "no-such-sandbox is not on PATH"
    evidence = cell(adapter, known("fs/write/outside/elsewhere"))
    assert word(evidence) == "not-run adapter-unavailable"
    assert evidence.note == "no-such-sandbox is not on PATH"


def test_a_version_command_that_fails_is_unavailable(tmp_path: Path) -> None:
    adapter = load_adapter(file(tmp_path, changed('["true"]', '["false"]')))
    assert adapter.availability(Host.detect()) == "false exited with 1"


def test_a_program_that_is_missing_only_at_launch_is_a_refusal(tmp_path: Path) -> None:
    adapter = load_adapter(file(tmp_path, changed('"env"', '"no-such-launcher"')))
    evidence = cell(adapter, known("fs/write/outside/elsewhere"))
    assert word(evidence) == "refused-to-run adapter-refused"
    assert evidence.note == "no-such-launcher is not on PATH"


def program(place: Path, name: str, text: str) -> Path:
    path = place / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(shutil.which("git") is None, reason="the attempt's host trigger needs git")
def test_refusal_codes_files_terms_and_environment(tmp_path: Path) -> None:
    """One program that writes down how it was called and says no."""
    told = tmp_path / "told"
    said_no = program(tmp_path, "no", f'#!/bin/sh\n{{ echo "$@"; cat "$SETTINGS"; echo; echo "home=$HOME"; }} >{told}\nexit 64\n')
    text = f"""
id = "no"
title = "It says no"
[availability]
command = ["true"]
[launch]
argv = ["{said_no}", "{{terms}}", "--dir", "{{work}}", "--"]
env = {{ SETTINGS = "{{run}}/settings.json", HOME = "{{home}}", PATH = "{{PATH}}" }}
refusal-exit-codes = [64]
[files]
"settings.json" = '{{"deny": ["{{repo}}/.git/hooks"], "keep": "{{unknown}}"}}'
[terms]
"fs.write-deny" = ["--ro", "{{path}}"]
"""
    evidence = cell(load_adapter(file(tmp_path, text)), known("fs/deny/hook-direct"))
    assert word(evidence) == "refused-to-run adapter-refused"
    assert evidence.policy == ("fs.write-deny:$WORK/.git/hooks",)
    assert "fs.confine" in evidence.not_sent
    words, settings, home = told.read_text(encoding="utf-8").splitlines()
    assert words.startswith("--ro /")
    assert "/work/.git/hooks --dir /" in words
    assert '"keep": "{unknown}"' in settings
    assert "{repo}" not in settings
    assert home.endswith("/home")


def test_the_launchers_environment_is_passed_on_where_the_file_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDPROOF_SAMPLE_DECOY", "1")
    seen = tmp_path / "seen"
    look = program(tmp_path, "look", f'#!/bin/sh\nenv >{seen}\nexec "$@"\n')
    adapter = load_adapter(file(tmp_path, changed('"env", "SAMPLE={work}"', f'"{look}"')))
    assert word(cell(adapter, known("fs/write/outside/elsewhere"))) == "escaped landed"
    assert "SANDPROOF_SAMPLE_DECOY=1" in seen.read_text(encoding="utf-8")


