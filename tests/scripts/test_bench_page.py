"""The page of the benchmark, from given results."""

from dataclasses import replace
from pathlib import Path

import pytest
from bench_page import table, write_page
from bench_results import Run
from bench_table import summarise
from bench_targets import judged

FIRST = Run(
    input="census",
    records=10_000,
    program="DuckDB copy",
    round=1,
    quasi_identifiers=0,
    k=5,
    l=3,
    threads=2,
    memory_limit="2GB",
    environment={"processor": "Abacus 3", "cores": "2", "DuckDB": "1.4.0"},
    load_before=0.1,
)


def run(program: str, records: int, wall: float, copy: float, **more: object) -> Run:
    return replace(
        FIRST,
        program=program,
        records=records,
        wall_seconds=wall,
        cpu_seconds=wall,
        copy_wall_seconds=copy,
        copy_cpu_seconds=copy,
        peak_bytes=500_000_000,
        **more,
    )


def written(runs: list[Run], folder: Path) -> str:
    write_page(runs, folder / "performance.md")
    return (folder / "performance.md").read_text(encoding="utf-8")


def section(page: str, title: str) -> str:
    return page.partition(f"## {title}\n\n")[2].partition("\n## ")[0]


RUNS = [
    run("DuckDB copy", 10_000, 0.5, 0.5),
    run("Datafly", 10_000, 1.0, 0.5, timings={"read": 0.4, "Datafly": 0.5, "total": 0.9}),
    run("DuckDB copy", 100_000, 2.0, 2.0, memory_limit="4GB"),
    run("Datafly", 100_000, 3.0, 2.0, memory_limit="4GB", timings={"read": 1.25, "Datafly": 0.5, "total": 1.75}),
    run("Mondrian", 100_000, 0.0, 2.0, memory_limit="4GB", failure="no result in 60 s"),
]


@pytest.mark.slow
def test_the_table_of_an_input(tmp_path):
    assert (
        section(written(RUNS, tmp_path), "Input census")
        == """\
Each record has nine quasi-identifiers that people share as in a coarsened census, a diagnosis, a count of visits. k =
5, for Anatomy l = 3; 2 threads; memory limit of the engine 2GB for 10,000 records, 4GB for 100,000 records.

| records | program | wall s | from .. to | CPU s | peak MB | spilled MB | wall/copy | CPU/copy |
|--:|---|--:|--:|--:|--:|--:|--:|--:|
| 10,000 | DuckDB copy | 0.50 |  | 0.50 | 500 | 0 | 1.00 | 1.00 |
| 10,000 | Datafly | 1.00 |  | 1.00 | 500 | 0 | 2.00 | 2.00 |
| 100,000 | DuckDB copy | 2.00 |  | 2.00 | 500 | 0 | 1.00 | 1.00 |
| 100,000 | Datafly | 3.00 |  | 3.00 | 500 | 0 | 1.50 | 1.50 |
| 100,000 | Mondrian | none | no result in 60 s |  |  |  |  |  |

Seconds by step at 100,000 records:

| program | steps |
|---|---|
| Datafly | read 1.25, Datafly 0.50 |
"""
    )


def test_the_machine_is_described(tmp_path):
    assert section(written(RUNS, tmp_path), "The machine") == "- processor: Abacus 3\n- cores: 2\n- DuckDB: 1.4.0\n"


@pytest.mark.slow
def test_a_busy_machine_is_admitted(tmp_path):
    assert "busy (load" not in written(RUNS, tmp_path)
    page = written([replace(one, load_before=2.25) for one in RUNS], tmp_path)
    assert "- The machine was busy (load 2.2) before the first run: wall times are too long.\n" in page


@pytest.mark.slow
def test_the_page_shows_the_plot_that_lies_beside_it(tmp_path):
    assert "](performance.svg)" in written(RUNS, tmp_path)
    assert (tmp_path / "performance.svg").read_text().startswith("<?xml")


@pytest.mark.slow
def test_the_same_results_give_the_same_bytes(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert written(RUNS, tmp_path / "one") == written(RUNS, tmp_path / "two")
    one, two = ((tmp_path / name / "performance.svg").read_bytes() for name in ("one", "two"))
    assert one == two


def test_a_bar_within_a_cell_does_not_end_it():
    assert table(["program", "s"], [["a|b", "1"]], left=["program"]) == "| program | s |\n|---|--:|\n| a\\|b | 1 |\n"


# Targets


def test_what_was_not_run_is_not_measured():
    assert [line[:3] + line[4:] for line in judged([])] == [
        *[["census", "10,000,000", name, "not measured", ""] for name in ("Mondrian", "Datafly", "Incognito_k")] * 2,
        *[["census", "10,000,000", "Anatomy", "not measured", ""]] * 2,
        ["census", "100,000,000", "every method", "not measured", ""],
        ["hard", "3,000,000", "Mondrian", "not measured", ""],
        ["hard", "3,000,000", "Incognito_k", "not measured", ""],
        ["hard", "3,000,000", "Datafly", "not measured", ""],
    ]


def test_targets_are_judged_method_by_method():
    ten, hundred = 10_000_000, 100_000_000
    rows = summarise(
        [
            run("DuckDB copy", ten, 10.0, 10.0),
            replace(run("Datafly", ten, 15.0, 10.0), cpu_seconds=15.1),
            replace(run("Mondrian", ten, 15.1, 10.0), cpu_seconds=15.0),
            run("Datafly", hundred, 158.0, 100.0),
            run("Mondrian", hundred, 150.0, 100.0),
            run("Anatomy", hundred, 200.0, 100.0),
            run("Incognito_k", 3_000_000, 18.1, 3.0, input="hard"),
            run("Datafly", 3_000_000, 0.0, 3.0, input="hard", failure="no result in 60 s"),
        ]
    )
    assert judged(rows) == [
        ["census", "10,000,000", "Datafly", "wall/copy at most 1.5", "1.50", "reached"],
        ["census", "10,000,000", "Mondrian", "wall/copy at most 1.5", "1.51", "missed"],
        ["census", "10,000,000", "Incognito_k", "wall/copy at most 1.5", "not measured", ""],
        ["census", "10,000,000", "Datafly", "CPU/copy at most 1.5", "1.51", "missed"],
        ["census", "10,000,000", "Mondrian", "CPU/copy at most 1.5", "1.50", "reached"],
        ["census", "10,000,000", "Incognito_k", "CPU/copy at most 1.5", "not measured", ""],
        ["census", "10,000,000", "Anatomy", "wall/copy at most 2.2", "not measured", ""],
        ["census", "10,000,000", "Anatomy", "CPU/copy at most 2.2", "not measured", ""],
        ["census", "100,000,000", "Datafly", "wall / that of 10,000,000 at most 10.5", "10.53", "missed"],
        ["census", "100,000,000", "Mondrian", "wall / that of 10,000,000 at most 10.5", "9.93", "reached"],
        ["census", "100,000,000", "Anatomy", "wall / that of 10,000,000 at most 10.5", "not measured", ""],
        ["hard", "3,000,000", "Incognito_k", "wall/copy at most 6", "6.03", "missed"],
        ["hard", "3,000,000", "Mondrian", "wall/copy at most 6", "not measured", ""],
        ["hard", "3,000,000", "Datafly", "wall/copy at most 4", "no result", "missed"],
    ]


@pytest.mark.parametrize(("wall", "verdict"), [(14.99, "reached"), (15.0, "reached"), (15.004, "missed")])
def test_the_limit_itself_is_reached(wall, verdict):
    (line, *_) = judged(summarise([run("Datafly", 10_000_000, wall, 10.0)]))
    assert line[-1] == verdict
