"""The page of bounds says what is measured today, but for the seconds."""

import os
from pathlib import Path

import compare_bounds
import pandas as pd
import pytest
from compare_bounds import Figures, Table, list_rows, list_tables

FIGURES = [
    Figures("people", 5, 0.0505, 0.7881, 0.0431, 9, (3.0, 4.04, 60.0)),
    Figures("visits", 2, 0.01, 0.9, 0.005, 1, (1.0, 1.0, 1.0)),
]
TABLES = {
    "people": Table(Path("p.csv"), dict.fromkeys("abcdefghi"), "adult"),
    "visits": Table(Path("v.csv"), {"a": None, "b": None}),
}
RECORDED = pd.DataFrame(
    [
        ("adult", 5, "arx_loss", 0.06, 0.7),
        ("adult", 5, "arx_nue", 0.09, 0.76),
        ("adult", 5, "LocalRecoding", 0.01, 0.99),
        ("adult", 2, "arx_nue", 0.02, 0.9),
    ],
    columns=["dataset", "k", "program", "lm", "nue_kept"],
)


def test_a_row_has_the_release_its_bound_and_the_best_of_arx():
    rows = list(list_rows(FIGURES, RECORDED, TABLES))[2:]
    assert rows == [
        "| people | 5 | 0.0505 | 0.0431 | 0.0600 | 0.7881 | 0.7600 | 3.0 | 4.0 | 60.0 |",
        "| visits | 2 | 0.0100 | 0.0050 (1 columns) | - | 0.9000 | - | 1.0 | 1.0 | 1.0 |",
    ]


def test_what_is_in_the_file_of_results_is_not_measured_again(tmp_path):
    results = tmp_path / "bounds.jsonl"
    line = '{"table": "people", "k": 5, "lm": 0.0505, "kept": 0.7881, "bound": 0.0431, "columns": 9, "seconds": [3.0, 4.0, 60.0]}'
    results.write_text(f"{line}\n")
    (found,) = compare_bounds.measure_all({"people": TABLES["people"]}, [5], 60, results)
    assert (found.table, found.lm, found.bound) == ("people", 0.0505, 0.0431)


def test_the_page_has_every_table_and_no_release_below_its_bound():
    page = compare_bounds.PAGE.read_text(encoding="utf-8")
    text = page.partition(compare_bounds.BEGIN)[2].partition(compare_bounds.END)[0]
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()]
    assert tuple(heading) == compare_bounds.HEADING
    told = [(row[0], int(row[1])) for row in rows]
    every = [(name, k) for name in list_tables(Path()) for k in compare_bounds.KS]
    assert told == [one for one in every if one in told]
    assert {name for name, _ in told} == set(list_tables(Path()))
    assert all(float(row[3].split()[0]) <= float(lost) for row in rows for lost in (row[2], row[4]) if lost != "-")


@pytest.mark.slow
@pytest.mark.real
def test_a_row_is_what_is_measured(shared, monkeypatch):
    monkeypatch.setitem(os.environ, "TOOLBOX_DATA", str(shared))
    name, tables = "testdata", list_tables(shared)
    found = compare_bounds.measure(name, tables[name], 5, 60)
    (row,) = list(list_rows([found], compare_bounds.read_recorded(shared), tables))[2:]
    assert row.rsplit("|", 4)[0] in compare_bounds.PAGE.read_text(encoding="utf-8")
