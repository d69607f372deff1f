"""Run files: what is written is read back, and nothing that was cut off is read as clean."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.core.evidence import Evidence
from conformance.core.runfile import (
    Header,
    Run,
    RunFileError,
    digest_of,
    evidence_line,
    footer_line,
    header_line,
    read_run,
    write_run,
)
from conformance.core.runner import RunWriter
from conformance.meta.strategies import evidence, headers

HEAD = header_line(Header(suite="s", host="linux/user", started="", facts={}, adapters=(), attempts=()))
ALONE = digest_of([HEAD])


def read(data: bytes) -> Run:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "run.jsonl")
        path.write_bytes(data)
        return read_run(path)


def tried(data: bytes) -> Run | RunFileError:
    """What comes of it; any other exception is a fault."""
    try:
        return read(data)
    except RunFileError as error:
        return error


def written(header: Header, items: list[Evidence]) -> bytes:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "run.jsonl")
        write_run(path, header, items)
        return path.read_bytes()


@given(headers(), st.lists(evidence(), max_size=3))
@settings(max_examples=40, deadline=None)
def test_round_trip(header: Header, items: list[Evidence]) -> None:
    run = read(written(header, items))
    assert run == Run(header=header, evidence=tuple(items), complete=True)


@given(headers(), st.lists(evidence(), max_size=3), st.data())
@settings(max_examples=60, deadline=None)
def test_a_run_that_was_cut_off_anywhere_is_never_complete(header: Header, items: list[Evidence], data: st.DataObject) -> None:
    whole = written(header, items)
    cut = whole[: data.draw(st.integers(0, len(whole) - 2))]  # the last byte is a line feed that nobody misses
    run = tried(cut)
    if isinstance(run, RunFileError):
        assert b"\n" not in cut, f"only a header that was cut is foreign: {run}"
    else:
        assert not run.complete
        assert list(run.evidence) == items[: len(run.evidence)]


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: f"{HEAD}\n{text}\n".encode("utf-8", "replace")))
@settings(max_examples=80, deadline=None)
def test_foreign_bytes_end_in_one_error(data: bytes) -> None:
    run = tried(data)
    assert len(str(run).splitlines()) == 1 if isinstance(run, RunFileError) else not run.complete


@given(evidence(), st.sampled_from([None, 3, "x", [], {}, [1], {"a": 1}]), st.data())
@settings(max_examples=80, deadline=None)
def test_a_damaged_field_is_an_error_that_names_its_line_or_is_kept_as_it_is(item: Evidence, value: object, data: st.DataObject) -> None:
    record = json.loads(evidence_line(item))
    record[data.draw(st.sampled_from(["facts", "verdict", "beacons", "policy"]))] = value
    lines = [HEAD, json.dumps(record)]
    lines.append(footer_line(1, digest_of(lines)))
    run = tried("\n".join(lines).encode())
    assert isinstance(run, Run) or "run.jsonl:2: " in str(run)


@pytest.mark.parametrize(
    ("lines", "where", "expected"),
    [
        ([], "", "it is empty"),
        (["not json"], ":1", "header"),
        (["[]"], ":1", "header"),
        (['{"kind":"header","format":"other/9"}'], ":1", "other/9"),
        (['{"kind":"header","format":"sandproof-run/1"}'], ":1", "header"),
        ([HEAD, "garbage", footer_line(0, ALONE)], ":2", "one JSON object"),
        ([HEAD, '{"kind":"surprise"}'], ":2", "'surprise'"),
        ([HEAD, '{"kind":"evidence"}', footer_line(1, ALONE)], ":2", "evidence"),
        ([HEAD, footer_line(0, ALONE), footer_line(0, ALONE)], ":3", "nothing after the footer"),
        ([HEAD, '{"kind":"footer"}'], ":2", "footer"),
        ([HEAD, "3"], ":2", "expected kind"),
        ([HEAD, '{"kind":"footer","evidence":Infinity}'], ":2", "footer"),
        ([HEAD, "[" * 100_000, footer_line(0, ALONE)], ":2", "one JSON object"),
        (["[" * 100_000], ":1", "header"),
    ],
)
def test_errors_name_file_line_and_expectation(lines: list[str], where: str, expected: str) -> None:
    with pytest.raises(RunFileError) as caught:
        read("\n".join(lines).encode())
    text = str(caught.value)
    assert f"run.jsonl{where}: " in text
    assert expected in text
    assert len(text) < 500


def test_binary_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="expected a run file"):
        read(b"\xff\xfe\x00")
    with pytest.raises(RunFileError, match="expected a run file"):
        read_run(tmp_path / "nowhere.jsonl")


def test_a_footer_that_disagrees_is_not_complete() -> None:
    assert not read(f"{HEAD}\n{footer_line(3, ALONE)}\n".encode()).complete
    assert not read(f"{HEAD}\n".encode()).complete
    assert read(f"{HEAD}\n{footer_line(0, ALONE)}\n".encode()).complete


def test_a_writer_that_is_not_closed_well_leaves_a_truncated_run(tmp_path: Path) -> None:
    head = read(HEAD.encode()).header
    RunWriter(tmp_path / "cut", head).close(complete=False)
    RunWriter(tmp_path / "whole", head).close(complete=True)
    assert [read_run(tmp_path / name).complete for name in ("cut", "whole")] == [False, True]
    with pytest.raises(FileExistsError):
        RunWriter(tmp_path / "whole", head)


@given(st.lists(evidence(), min_size=1, max_size=3), st.data())
@settings(max_examples=40, deadline=None)
def test_an_edited_or_dropped_line_is_noticed(items: list[Evidence], data: st.DataObject) -> None:
    lines = [HEAD, *(evidence_line(item) for item in items)]
    footer = footer_line(len(items), digest_of(lines))
    number = data.draw(st.integers(1, len(items)))
    edited = [*lines, footer]
    edited[number] = evidence_line(replace(items[number - 1], note=items[number - 1].note + "!"))
    dropped = [*lines[:number], *lines[number + 1 :], footer_line(len(items) - 1, digest_of(lines))]
    for changed in (edited, dropped):
        with pytest.raises(RunFileError, match="changed afterwards"):
            read("\n".join(changed).encode())
