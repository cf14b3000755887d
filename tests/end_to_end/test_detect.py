"""`toolbox detect` as people and programs use it, on files and on the tables of callers."""

from __future__ import annotations

import builtins
import csv
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.running import run_as_program, run_in_process

import toolbox

pytestmark = pytest.mark.sampled(3)

LICENCES = "data/driver_licences_valle_d_aosta.csv.gz"
PEOPLE = "card,born,sex,town\n1,1960,f,Graz\n2,1960,m,Graz\n3,1971,f,Wels\n4,1971,f,Wels\n5,1971,m,\n6,1980,m,Graz\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a table."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def best(document: dict[str, Any]) -> list[tuple[list[str], int]]:
    return [(one["columns"], one["singletons"]) for one in document["best"]]


# The published numbers


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize(
    ("file", "options"),
    [("qid_ValleAosta_3cols.csv", ["--exclude", "provincia_residenza"]), ("qid_ValleAosta_4cols.csv", [])],
)
def test_the_driver_licences_of_valle_d_aosta_agree_with_the_recomputed_figures(
    shared: Path, file: str, options: list[str]
) -> None:
    document = run_in_process("detect", shared / LICENCES, *options, "--json").succeeded().document
    assert (document["records"], document["complete_records"], document["identifiers"]) == (87_642, 87_464, [])
    assert best(document) == [(["anno_nascita", "comune_residenza", "sesso"], 1684)]
    found = {frozenset(one["columns"]): one for one in document["subsets"]}
    with (shared / "fixtures" / "singletons" / file).open(encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == len(found)
    for row in rows:
        one = found[frozenset(row["columns"].split("|"))]
        whole = {"singletons": "singletons", "distinct": "distinct", "smallest_group": "min_group"}
        assert {name: one[name] for name in whole} == {name: int(row[theirs]) for name, theirs in whole.items()}
        assert one["largest_group"] == int(row["max_group"])
        assert one["largest_risk"] == 1 / int(row["min_group"])
        assert one["share"] * 100 == pytest.approx(float(row["pct"]), abs=1e-12)
        assert one["distinct_ratio"] == pytest.approx(float(row["distinct_ratio"]), abs=1e-15)
        assert one["separation_ratio"] == pytest.approx(float(row["separation_ratio"]), abs=1e-12)


# What is looked at


def test_identifiers_and_the_quasi_identifier_are_found() -> None:
    document = run_in_process("detect", "people.csv", "--json").succeeded().document
    assert document["identifiers"] == [["card"]]
    # The fifth record lacks its town; of the others nobody else was born in 1980, and sex tells those of 1960 apart.
    assert best(document) == [(["born", "sex"], 3)]
    assert document["complete_records"] == 5
    assert document["columns"][0] == {
        "name": "card",
        "values": 6,
        "missing": 0,
        "is_identifier": True,
        "singletons": None,
        "adds": None,
        "without": None,
    }
    assert document["columns"][3]["missing"] == 1
    assert {"read", "search", "total"} == set(document["timings"])


def test_columns_are_named_or_left_out() -> None:
    named = run_in_process("detect", "people.csv", "--columns", "sex,born", "--json").succeeded().document
    left = run_in_process("detect", "people.csv", "--exclude", "card", "--exclude", "town", "--json").document
    assert named["subsets"] == left["subsets"]
    assert [one["name"] for one in named["columns"]] == ["born", "sex"]
    assert named["complete_records"] == 6


def test_a_missing_value_may_count_as_a_value() -> None:
    asked = ("detect", "people.csv", "--on-missing", "value", "--columns", "town", "--json")
    document = run_in_process(*asked).succeeded().document
    assert (document["complete_records"], best(document)) == (6, [(["town"], 1)])


def test_larger_subsets_than_asked_for_are_not_looked_at_and_a_note_says_so() -> None:
    finished = run_in_process("detect", "people.csv", "--max-columns", 1, "--json").succeeded()
    assert max(len(one["columns"]) for one in finished.document["subsets"]) == 1
    assert "--max-columns" in " ".join(finished.document["notes"])


def test_the_table_shows_the_first_subsets() -> None:
    shown = run_in_process("detect", "people.csv", "--top", 2).succeeded().stdout
    assert "identifiers       card" in shown
    assert "born, sex: 3 singletons (60.00%)" in shown
    assert "2 of 7" in shown
    assert run_in_process("detect", "people.csv", "--quiet").succeeded().stdout == ""


@pytest.mark.slow
def test_the_separator_is_found_without_any_names() -> None:
    Path("semicolons.csv").write_text(PEOPLE.replace(",", ";"), encoding="utf-8")
    documents = [run_in_process("detect", name, "--json").document for name in ("people.csv", "semicolons.csv")]
    assert documents[0]["subsets"] == documents[1]["subsets"]


def test_a_configuration_says_how_the_table_is_read_and_what_identifies() -> None:
    Path("no_header.csv").write_text(PEOPLE.partition("\n")[2], encoding="utf-8")
    Path("c.xml").write_text(
        "<config k='2'><input filename='no_header.csv'/><output filename='r.csv'/>"
        "<id><att index='0' name='card'/></id><qid><att index='1' name='born'/></qid></config>",
        encoding="utf-8",
    )
    document = run_in_process("detect", "-config", "c.xml", "--json").succeeded().document
    assert [one["name"] for one in document["columns"]] == ["born", "column_2", "column_3"]
    assert (document["identifiers"], best(document)) == ([], [(["born", "column_2"], 3)])


@pytest.mark.slow
def test_all_files_of_a_configuration_are_read() -> None:
    Path("c.xml").write_text(
        "<config k='2'><input header='true'><file name='people.csv'/><file name='more.csv'/></input>"
        "<output filename='r.csv'/><id><att name='card'/></id><qid><att name='born'/></qid></config>",
        encoding="utf-8",
    )
    Path("more.csv").write_text(PEOPLE, encoding="utf-8")
    document = run_in_process("detect", "-config", "c.xml", "--json").succeeded().document
    assert (document["records"], document["best"][0]["singletons"]) == (12, 0)
    compared = run_in_process("singletons", "-config", "c.xml", "--json").succeeded().document
    assert (compared["records"], compared["unchanged"]["below_k"]) == (12, 0)
    assert run_in_process("detect", "more.csv", "-config", "c.xml", "--json").succeeded().document["records"] == 6


def test_what_the_configuration_calls_missing_is_missing_in_every_column() -> None:
    Path("marked.csv").write_text(PEOPLE.replace("m,\n", "-,-\n"), encoding="utf-8")
    Path("c.xml").write_text(
        "<config k='2'><input filename='marked.csv' header='true' missing='-'/><output filename='r.csv'/>"
        "<id><att name='card'/></id><qid><att name='town' type='category'/></qid></config>",
        encoding="utf-8",
    )
    document = run_in_process("detect", "-config", "c.xml", "--json").succeeded().document
    assert document["complete_records"] == 5
    assert [(one["name"], one["missing"]) for one in document["columns"]] == [("born", 0), ("sex", 1), ("town", 1)]
    assert run_in_process("detect", "marked.csv", "--json").succeeded().document["complete_records"] == 6


def test_columns_of_one_name_are_told_apart() -> None:
    Path("twice.csv").write_text("a,b,a\n1,x,2\n1,y,3\n1,y,3\n", encoding="utf-8")
    document = run_in_process("detect", "twice.csv", "--json").succeeded().document
    assert [one["name"] for one in document["columns"]] == ["a (column 1)", "b", "a (column 3)"]


@pytest.mark.slow
def test_25_columns_are_searched_up_to_four_at_a_time() -> None:
    generator = np.random.default_rng(3)
    columns = {f"c{number}": generator.integers(0, 2 + number, 2000) for number in range(24)}
    frame = pd.DataFrame({**columns, "same": columns["c20"] // 2})
    found = toolbox.detect(frame).detection
    assert len(found.subsets) + sum(len(one) == 4 for one in found.identifiers) == 15_275
    assert found.subsets_counted < 15_275
    # No fewer columns have more singletons, so that the best of four are the best of all.
    keys = frame.to_numpy(np.int64)
    base = 32 ** np.arange(4)
    most = 0
    for chosen in combinations(range(25), 4):
        _, sizes = np.unique(keys[:, chosen] @ base, return_counts=True)
        most = max(most, int((sizes == 1).sum()))
    assert {one.singletons for one in found.best} == {most}


# What is wrong


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        ([], 2, "Write toolbox detect DATA"),
        (["nobody.csv"], 4, "nobody.csv"),
        (["people.csv", "--columns", "bron"], 2, "Did you mean 'born'"),
        (["people.csv", "--exclude", "bron"], 2, "Did you mean 'born'"),
        (["people.csv", "--columns", "born", "--exclude", "born"], 2, "No column"),
        (["people.csv", "--columns", "a\rb"], 2, r"--columns 'a\rb' is no list of names"),
        (["people.csv", "--max-columns", "0"], 2, "whole number of at least 1"),
        (["people.csv", "--top", "many"], 2, "whole number of at least 1"),
        (["people.csv", "--missing", "keep"], 2, "drop"),
        (["people.csv", "--maxcolumn", "2"], 2, "Did you mean '--max-columns'"),
        (["people.csv", "--plot", "picture.doc"], 2, ".png, .svg, .pdf"),
        (["people.csv", "--plot", "nowhere/picture.png"], 2, "no folder"),
        (["people.csv", "--quiet", "--verbose"], 2, "contradict"),
        (["empty.csv"], 4, "no record"),
        (["wide.csv", "--max-columns", "5"], 2, "1,925,356 subsets"),
        (["lacking.csv"], 4, "lacks a value"),
    ],
)
def test_what_is_wrong_is_said_and_how_to_put_it_right(options: list[str], status: int, told: str) -> None:
    Path("empty.csv").write_text("a,b\n", encoding="utf-8")
    Path("lacking.csv").write_text("a,b\n1,\n,2\n", encoding="utf-8")
    Path("wide.csv").write_text(",".join(f"c{number}" for number in range(48)) + "\n" + ",".join("1" * 48) + "\n")
    finished = run_in_process("detect", *options)
    assert (finished.status, told in finished.stderr) == (status, True), finished.stderr
    assert "Traceback" not in finished.stderr


def test_where_the_first_line_may_be_no_header_its_values_are_not_told() -> None:
    Path("no_header.csv").write_text(PEOPLE.partition("\n")[2], encoding="utf-8")
    finished = run_in_process("detect", "no_header.csv", "--columns", "age")
    assert (finished.status, "is that a header?" in finished.stderr, "Graz" in finished.stderr) == (2, True, False)


def test_identifiers_that_leave_no_column_are_named() -> None:
    Path("c.xml").write_text(
        "<config k='2'><input filename='people.csv' header='true'/><output filename='r.csv'/>"
        "<id><att name='card'/></id><qid><att name='born'/></qid></config>",
        encoding="utf-8",
    )
    finished = run_in_process("detect", "-config", "c.xml", "--columns", "card")
    assert (finished.status, "declares card as identifiers." in finished.stderr) == (2, True), finished.stderr


def test_a_table_whose_lines_do_not_fit_is_an_error() -> None:
    Path("ragged.csv").write_text("a,b\n1,2\n1,2,3\n", encoding="utf-8")
    finished = run_in_process("detect", "ragged.csv")
    assert (finished.status, "line 3" in finished.stderr) == (4, True)


# The picture


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "begins"), [("s.png", b"\x89PNG"), ("s.svg", b"<?xml"), ("s.pdf", b"%PDF")])
def test_the_picture_is_drawn_in_the_format_of_its_name(folder: Path, name: str, begins: bytes) -> None:
    before = {path.name for path in folder.iterdir()}
    run_in_process("detect", "people.csv", "--plot", name, "--quiet").succeeded()
    assert (folder / name).read_bytes().startswith(begins)
    assert {path.name for path in folder.iterdir()} == before | {name}


def test_on_an_error_an_older_picture_is_untouched() -> None:
    Path("old.png").write_bytes(b"old")
    assert run_in_process("detect", "people.csv", "--columns", "bron", "--plot", "old.png").status == 2
    assert Path("old.png").read_bytes() == b"old"


def test_without_matplotlib_the_extra_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    finished = run_in_process("detect", "people.csv", "--plot", "s.png")
    assert (finished.status, "pip install 'anonymisation-toolbox[plot]'" in finished.stderr) == (2, True)
    assert not Path("s.png").exists()


def test_its_help_names_its_options() -> None:
    assert "--max-columns" in run_as_program("detect", "--help").succeeded().stdout
