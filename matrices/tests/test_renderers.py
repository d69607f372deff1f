"""Every page from every renderer, with text of strangers in every place where it can stand."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.core.evidence import BeaconName
from conformance.core.runfile import Run, evidence_from, evidence_line, footer_line, header_line, write_run
from conformance.core.words import Grade, Observed, Reason
from matrices.build import columnar, explain, markdown, meaning, terminal, tsv, webpage
from matrices.build.expected import Expected
from matrices.build.load import LoadedRun, load_runs
from matrices.build.merge import merge
from matrices.build.model import Matrix
from matrices.build.summary import summarise
from matrices.build.tables import seen_table
from matrices.claims.words import ClaimSource, ClaimWord, Honesty
from matrices.schema import load_schema
from matrices.tests.make import (
    ATTEMPTS,
    GOOD,
    attempt,
    column,
    header,
    honest_run,
    naive_record,
    native_record,
    none_record,
    run,
    with_text,
)

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\r\u202e\u2028|`*[x](javascript:alert(3))\t\n&\"'"
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def hostile(text: str) -> Matrix:
    """A matrix with this text wherever a run file has room for it."""
    base = honest_run().run
    record = attempt(text or "x", "fs.confine")
    record = replace(record, title=text, requirement=text, references=(text,))
    claims = {"*": {"claim": "enforced", "quote": text, "why": text}}
    naive = replace(naive_record(), variant=f"x{text}", title=text, version=text, claims=claims)
    gone = replace(native_record(), variant=f"{text}2", unavailable=text or "gone")
    shot = with_text(replace(base.evidence[0], adapter=naive.variant, attempt=record.id), text)
    cells = tuple(with_text(item, text) for item in base.evidence if item.adapter == "none")
    made = replace(header(none_record(), naive, gone), attempts=(*ATTEMPTS, record), facts={text: text}, started=text)
    return merge([LoadedRun(name="x", run=Run(header=made, evidence=(*cells, shot), complete=False))])


class Page(HTMLParser):
    """The tags of a page, with its attributes, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""
        self._in_data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_data = ("id", "data") in attrs

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self._in_data = False


def no_control(text: str) -> bool:
    return all(char == "\n" or unicodedata.category(char)[0] != "C" for char in text) and "\u202e" not in text


@SETTINGS
@given(st.text(max_size=60), st.integers(1, 200))
def test_the_terminal_gets_no_control_characters(text: str, width: int) -> None:
    shown = terminal.render(hostile(text), width)
    assert no_control(shown)


@SETTINGS
@given(st.text(max_size=60))
def test_a_line_of_cells_has_eight_fields(text: str) -> None:
    for line in tsv.lines(hostile(text)):
        assert len(line.split("\t")) == 8
        assert no_control(line.replace("\t", ""))


@SETTINGS
@given(st.text(max_size=60) | st.just(EVIL))
def test_markdown_keeps_text_in_code_spans(text: str) -> None:
    shown = markdown.render(hostile(f"QQ{text}QQ"))
    assert no_control(shown)
    assert "QQ" in shown
    for line in shown.splitlines():
        outside = re.sub(r"`[^`]*`", "", line)
        assert "QQ" not in outside
        assert not set(outside) & set("`<>[]\\")


@SETTINGS
@given(st.text(max_size=60) | st.just(EVIL))
def test_an_explanation_has_no_control_characters(text: str) -> None:
    for cell in hostile(text).cells:
        assert all(no_control(line) and "\n" not in line for line in explain.lines(cell))


@SETTINGS
@given(st.text(max_size=60) | st.just(EVIL))
def test_the_page_has_no_tag_of_a_stranger(text: str) -> None:
    shown, plain = webpage.render(hostile(f"QQ{text}")), webpage.render(hostile("QQ"))
    # Rows are sorted by name, so only the number of each tag is the same.
    tags, plain_tags = (Counter(tag for tag, _ in Page(page).tags) for page in (shown, plain))
    assert tags == plain_tags
    assert no_control(shown)
    assert {name for _, attrs in Page(shown).tags for name in attrs} == {name for _, attrs in Page(plain).tags for name in attrs}


@SETTINGS
@given(st.text(max_size=60) | st.just(EVIL))
def test_the_data_block_is_ascii_and_comes_back(text: str) -> None:
    data = Page(webpage.render(hostile(text))).data
    assert data.isascii()
    assert "<" not in data
    assert json.loads(data)["cells"]


def test_the_page_loads_nothing() -> None:
    page = Page(webpage.render(hostile(EVIL)))
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "base"}
    assert not [attrs for _, attrs in page.tags if "src" in attrs or "style" in attrs]
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert {attrs["href"] for _, attrs in page.tags if "href" in attrs} <= {f"#c{n}" for n in range(1000)}


def test_the_script_never_parses_markup() -> None:
    source = (Path(webpage.__file__).parent / "page" / "page.js").read_text(encoding="utf-8")
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function(", "fetch", "import("):
        assert word not in source


def test_every_word_has_its_sentence() -> None:
    for words, sentences in (
        (Observed, meaning.OBSERVED),
        (Reason, meaning.REASON),
        (ClaimWord, meaning.CLAIM),
        (ClaimSource, meaning.SOURCE),
        (Honesty, meaning.HONESTY),
    ):
        assert set(words) == set(sentences)


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_the_terminal_page_keeps_to_its_width(width: int) -> None:
    shown = terminal.render(merge([honest_run()], Expected(hosts=("macos/user",))), width)
    assert max(len(line) for line in shown.splitlines()) <= width
    assert "%" not in shown
    assert "macos/user: not-run: host-missing" in shown


def test_an_adapter_that_starts_nothing_is_told() -> None:
    dead = run(naive_record(), evidence=column("naive", (Reason.NO_READY_BEACON,) * len(ATTEMPTS)))
    assert "naive on linux/root: started nothing" in terminal.render(merge([dead]), 100)


def test_counts_have_denominators() -> None:
    shown = markdown.render(merge([honest_run()]))
    assert "| `none` | `linux/root` | 4/4 | 0/4 |" in shown
    assert "| `naive` | `linux/root` | honest-gap |" in shown
    assert "%" not in shown


def test_what_belongs_to_other_hosts_is_counted_apart_and_is_never_the_worst_word() -> None:
    elsewhere = merge([run(native_record(), evidence=column("native", (Reason.OTHER_HOST, Reason.DESELECTED, *GOOD[2:])))])
    assert summarise(elsewhere.columns[0]).worst is Honesty.NOT_JUDGED  # one was left out
    elsewhere = merge([run(native_record(), evidence=column("native", (Reason.OTHER_HOST, *GOOD[1:])))])
    assert summarise(elsewhere.columns[0]).worst is Honesty.HONEST
    row = dict(zip(seen_table(elsewhere).head, seen_table(elsewhere).rows[0], strict=True))
    assert (row["enforced"], row["not run"], row["other host"]) == ("3/4", "0/4", "1/4")
    nowhere = merge([run(native_record(), evidence=column("native", (Reason.OTHER_HOST,) * 5))])
    assert summarise(nowhere.columns[0]).worst is Honesty.NOT_JUDGED


def test_every_row_of_what_was_seen_adds_up() -> None:
    reasons = (Reason.OTHER_HOST, Reason.DESELECTED, Reason.CONTROL_DID_NOT_LAND, Reason.ADAPTER_REFUSED, Reason.WORK_LANDED)
    user = run(native_record(), evidence=column("native", reasons, host="linux/user"), host="linux/user")
    for row in seen_table(merge([honest_run(), user])).rows:
        counts = [tuple(map(int, text.split("/"))) for text in row[2:8]]
        assert sum(count for count, _ in counts) == counts[0][1]


def test_collateral_and_residue_are_on_every_page() -> None:
    cells = column("native", GOOD)
    cells[0] = replace(cells[0], collateral=True)
    cells[1] = replace(cells[1], residue=("$WORK/.left", "$HOME/.left"))
    matrix = merge([run(native_record(), evidence=cells)])
    shown = terminal.render(matrix, 120)
    for line in (
        "collateral 1/5 fs.write.rename",
        "residue: $WORK/.left 1/5 fs.write.direct",
        "residue: $HOME/.left 1/5 fs.write.direct",
    ):
        assert f"native linux/root {line}" in [" ".join(each.split()) for each in shown.splitlines()]
    assert "`residue: $WORK/.left`, 1/5: `fs.write.direct`" in markdown.render(matrix)
    page = webpage.render(matrix)
    assert "native on linux/root: enforced, collateral, honest" in page
    assert page.count("<small>+ residue</small>") == 1
    data = json.loads(Page(page).data)
    seen = {data["attempts"][cell["attempt"]]["id"]: cell["evidence"] for cell in data["cells"]}
    assert seen["fs.write.rename"]["collateral"]
    assert seen["fs.write.direct"]["residue"] == ["$WORK/.left", "$HOME/.left"]
    told = ["\n".join(explain.lines(cell)) for cell in matrix.cells]
    assert sum("collateral:   the allowed twin was refused as well" in text for text in told) == 1
    assert sum("residue:      $WORK/.left, $HOME/.left" in text for text in told) == 1


def test_run_lines_fit_their_schema(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    made = honest_run().run
    write_run(path, made.header, [with_text(item, EVIL) for item in made.evidence])
    validator = jsonschema.Draft202012Validator(load_schema("run-line"))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        validator.validate(line)
    for key in list(lines[1]):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate({name: value for name, value in lines[1].items() if name != key})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**lines[0], "user": "name"})


def test_schemas_are_schemas_and_know_every_word() -> None:
    for name in ("run-line", "matrix"):
        jsonschema.Draft202012Validator.check_schema(load_schema(name))
    line, matrix = load_schema("run-line")["$defs"], load_schema("matrix")
    strings = matrix["properties"]["strings"]["properties"]
    assert line["reason"]["enum"] == strings["reason"]["items"]["enum"] == list(Reason)
    assert line["evidence"]["properties"]["verdict"]["properties"]["observed"]["enum"] == list(Observed)
    assert line["facts"]["properties"]["grade"]["enum"] == strings["grade"]["items"]["enum"] == list(Grade)
    assert line["beacon"]["properties"]["name"]["enum"] == list(BeaconName)
    assert strings["honesty"]["items"]["enum"] == list(Honesty)
    assert matrix["$defs"]["claim"]["properties"]["word"]["enum"] == list(ClaimWord)


@pytest.mark.parametrize("text", ["plain", EVIL])
def test_the_json_matrix_fits_its_schema_and_finds_its_evidence(text: str) -> None:
    matrix = hostile(text)
    document, evidence = columnar.render(matrix, "m.evidence.jsonl")
    decoded = json.loads(document)
    jsonschema.Draft202012Validator(load_schema("matrix")).validate(decoded)
    hosts, size = len(decoded["hosts"]), len(decoded["attempts"])
    for number, cell in enumerate(matrix.cells):
        place, index = divmod(number, size)
        assert decoded["adapters"][place // hosts] == cell.adapter
        assert decoded["hosts"][place % hosts] == cell.host
        assert decoded["attempts"][index]["id"] == cell.attempt.id
        assert decoded["strings"]["reason"][decoded["cells"]["reason"][number]] == cell.reason
        assert decoded["claims"][decoded["cells"]["claim"][number]]["word"] == cell.claim.word
        offset = decoded["cells"]["evidence"][number]
        if cell.evidence is None:
            assert offset == -1
        else:
            line = evidence.encode()[offset:].partition(b"\n")[0]
            assert evidence_from(json.loads(line)) == cell.evidence


def test_a_large_matrix_stays_small() -> None:
    """30 adapters, 10 hosts, 500 attempts: a few numbers for each cell."""
    attempts = tuple(attempt(f"fs.a{n}", "fs.confine") for n in range(500))
    records = [replace(naive_record(), variant=f"a{n}") for n in range(30)]
    made = replace(header(*records), attempts=attempts)
    hosts = tuple(
        f"{p}{c}{n}/{u}" for p in ("linux", "wsl2") for c in ("", "/container") for n in ("", "/no-userns") for u in ("root", "user")
    )
    matrix = merge([LoadedRun(name="x", run=Run(header=made, evidence=(), complete=True))], Expected(hosts=hosts[:10]))
    document, _ = columnar.render(matrix, "x")
    assert len(matrix.cells) == 150_000
    assert len(document) < 15 * len(matrix.cells)


def test_run_files_are_ascii_lines() -> None:
    made = honest_run().run
    for line in (header_line(made.header), evidence_line(with_text(made.evidence[0], EVIL)), footer_line(1, "0" * 64)):
        assert line.isascii()
        assert "\n" not in line


def test_rendering_twice_gives_the_same(tmp_path: Path) -> None:
    made = honest_run().run
    path = tmp_path / "run.jsonl"
    write_run(path, made.header, made.evidence)
    first, second = (merge(load_runs([path])) for _ in range(2))
    assert webpage.render(first) == webpage.render(second)
    assert markdown.render(first) == markdown.render(second)
