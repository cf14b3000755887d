"""The table of the benchmark, from given runs."""

from dataclasses import replace

from bench_results import Run
from bench_table import HEADINGS, cells, show, summarise

COPY = Run(
    input="census",
    records=10_000,
    program="DuckDB copy",
    round=1,
    quasi_identifiers=0,
    k=5,
    l=3,
    threads=2,
    memory_limit="2GB",
    environment={},
    load_before=0.0,
    wall_seconds=2.0,
    cpu_seconds=3.0,
    peak_bytes=100_000_000,
    copy_wall_seconds=2.0,
    copy_cpu_seconds=3.0,
)
MONDRIAN = replace(
    COPY,
    program="Mondrian",
    quasi_identifiers=9,
    wall_seconds=5.0,
    cpu_seconds=6.0,
    peak_bytes=1_234_000_000,
    spilled_bytes=7_000_000,
    timings={"read": 1.0, "Mondrian": 3.0, "total": 5.0},
)


def test_one_run_stands_as_it_was():
    (row,) = summarise([MONDRIAN])
    assert dict(zip(HEADINGS, cells(row), strict=True)) == {
        "records": "10,000",
        "program": "Mondrian",
        "wall s": "5.00",
        "from .. to": "",
        "CPU s": "6.00",
        "peak MB": "1,234",
        "spilled MB": "7",
        "wall/copy": "2.50",
        "CPU/copy": "2.00",
    }


def test_of_several_runs_it_shows_medians_the_range_and_the_most_that_was_spilled():
    slower = replace(MONDRIAN, round=2, wall_seconds=9.0, peak_bytes=1_000_000_000, spilled_bytes=9_000_000)
    slowest = replace(MONDRIAN, round=3, wall_seconds=11.0, cpu_seconds=60.0, spilled_bytes=0)
    (row,) = summarise([MONDRIAN, slower, slowest])
    assert cells(row) == ("10,000", "Mondrian", "9.00", "5.0 .. 11.0", "6.00", "1,234", "9", "4.50", "2.00")


def test_a_ratio_is_to_the_copy_of_the_same_round():
    # The machine was half as fast in the second round: that is not the method's doing.
    second = replace(MONDRIAN, round=2, wall_seconds=10.0, copy_wall_seconds=4.0)
    (row,) = summarise([MONDRIAN, second])
    assert (row.wall_seconds, row.wall_ratio) == (7.5, 2.5)


def test_rows_are_in_the_order_of_inputs_and_sizes_the_copy_first():
    runs = [
        replace(MONDRIAN, input="hard"),
        replace(MONDRIAN, records=100_000),
        replace(COPY, records=100_000),
        replace(MONDRIAN, program="Datafly"),
        MONDRIAN,
        COPY,
    ]
    assert [(row.input, row.records, row.program) for row in summarise(runs)] == [
        ("census", 10_000, "DuckDB copy"),
        ("census", 10_000, "Datafly"),
        ("census", 10_000, "Mondrian"),
        ("census", 100_000, "DuckDB copy"),
        ("census", 100_000, "Mondrian"),
        ("hard", 10_000, "Mondrian"),
    ]


def test_fewer_quasi_identifiers_are_said():
    census, hard = (
        replace(MONDRIAN, input=one, program="Incognito_k", quasi_identifiers=5) for one in ("census", "hard")
    )
    assert [row.name for row in summarise([census, hard])] == ["Incognito_k, 5 QIs", "Incognito_k"]


def test_a_failure_is_a_row_with_its_reason():
    (row,) = summarise([replace(MONDRIAN, failure="status 4:\ntoolbox: 2GB is too little", wall_seconds=0.0)])
    assert cells(row)[:4] == ("10,000", "Mondrian", "none", "toolbox: 2GB is too little")
    assert set(cells(row)[4:]) == {""}


def test_a_failure_does_not_disturb_the_rounds_that_ended():
    (row,) = summarise([MONDRIAN, replace(MONDRIAN, round=2, failure="no result in 5 s", wall_seconds=0.0)])
    assert (row.failure, row.runs, row.wall_seconds) == (None, 1, 5.0)


def test_nothing_is_cut_off_where_the_output_is_no_terminal(capsys):
    show(summarise([COPY, replace(MONDRIAN, records=100_000_000, wall_seconds=12345.678)]), "k = 5")
    printed = capsys.readouterr().out
    assert "100,000,000" in printed
    assert "12345.68" in printed
    assert "census, 100,000,000, Mondrian: read 1.00, Mondrian 3.00\n" in printed
    assert "…" not in printed
