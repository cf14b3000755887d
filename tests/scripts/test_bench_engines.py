"""The benchmark of engines: what it runs, what it measures, and the section that it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import bench_engines as script
import pytest
from engine_results import OVER_AGAIN, EngineRun, append, read, summarise
from engine_table import BEGIN, END, HEADINGS, STEPS, cells, steps, targets, write_section
from helpers import postgres_server, spark_server
from process_tree import can_watch

needs_proc = pytest.mark.skipif(not can_watch(), reason="needs /proc of Linux")
COPY = EngineRun(
    program="Spark local[2] copy",
    records=10_000_000,
    k=5,
    round=1,
    wall_seconds=20.0,
    driver_cpu=1.0,
    engine_cpu=30.0,
    steps={"start": [0.5, 10.5], "copy": [0.5, 19.5]},
    environment={"cores": "2"},
)
SPARK = replace(
    COPY,
    program="Spark local[2]",
    wall_seconds=90.0,
    driver_cpu=5.0,
    engine_cpu=70.0,
    driver_peak=400_000_000,
    engine_peak=1_500_000_000,
    steps={
        "start": [1.0, 14.0],
        "count": [0.0, 20.0],
        "read": [1.0, 0.0],
        "Mondrian": [1.0, 0.0],
        "prove": [1.0, 0.0],
        "write": [0.0, 30.0],
        "recount": [1.0, 5.0],
        "finish": [0.0, 1.0],
    },
)


def test_a_ratio_leaves_out_the_start_of_both() -> None:
    copy, row = summarise([COPY, SPARK])
    # 60 s after the start, to 20 s of the copy.
    assert (copy.ratio, row.ratio) == (None, 3.0)
    assert row.start_cpu == 15.0
    assert dict(zip(HEADINGS, cells(row), strict=True)) == {
        "records": "10,000,000",
        "program": "Spark local[2]",
        "wall s": "90.0",
        "driver CPU s": "5.0",
        "engine CPU s": "70.0",
        "start": "15.0",
        "driver MB": "400",
        "engine MB": "1,500",
        "CPU/copy": "3.00",
    }


def test_steps_are_shown_with_what_a_record_takes() -> None:
    (line,) = steps(summarise([COPY, SPARK]))
    assert dict(zip(STEPS, line, strict=True)) == {
        "records": "10,000,000",
        "program": "Spark local[2]",
        "count or read": "20.0 (2.0 us)",
        "search, mapping": "3.0 (0.3 us)",
        "write": "30.0 (3.0 us)",
        "recount": "6.0 (0.6 us)",
        "finish": "1.0 (0.1 us)",
    }


def test_of_an_embedded_run_the_records_are_read() -> None:
    here = replace(
        COPY, program="embedded", steps={"start": [1, 0], "read": [8, 0], "Mondrian": [3, 0], "write": [9, 0]}
    )
    (line,) = steps(summarise([here]))
    assert line[2:] == ["8.0 (0.8 us)", "3.0 (0.3 us)", "9.0 (0.9 us)", "", ""]


def test_of_several_rounds_medians_stand_and_each_ratio_is_to_the_copy_of_its_round() -> None:
    slow = [replace(run, round=2, steps={**run.steps, "start": [0.0, 0.0]}) for run in (COPY, SPARK)]
    third = [replace(run, round=3, engine_cpu=run.engine_cpu + 9) for run in (COPY, SPARK)]
    row = summarise([COPY, SPARK, *slow, *third])[1]
    assert (row.runs, row.engine_cpu) == (3, 70.0)
    # 60 / 20, 75 / 31 and 69 / 29.
    assert row.ratio == pytest.approx(75 / 31)


def test_a_target_is_reached_or_missed() -> None:
    found = {line[2]: line[3:] for line in targets(summarise([COPY, SPARK]))}
    assert found == {
        "CPU/copy, without the start, at most 3.8": ["3.00", "reached"],
        "memory of the driver at most 500 MB": ["400.00 MB", "reached"],
    }
    greedy = replace(SPARK, engine_cpu=100.0, driver_peak=501_000_000)
    assert [line[-1] for line in targets(summarise([COPY, greedy]))] == ["missed", "missed"]


def test_memory_of_the_driver_is_compared_with_that_of_fewer_records() -> None:
    few = replace(SPARK, records=1_000_000, driver_peak=300_000_000)
    many = replace(few, records=10_000_000, program=few.program + OVER_AGAIN, driver_peak=360_000_000)
    (line,) = targets(summarise([few, many]))
    assert line[2:] == ["memory of the driver, to that of fewer records, at most 1.1", "1.20", "missed"]


def test_what_an_engine_elsewhere_uses_is_not_seen() -> None:
    row = summarise([COPY, replace(SPARK, engine_is_measured=False, engine_cpu=0.0)])[1]
    shown = dict(zip(HEADINGS, cells(row), strict=True))
    assert (shown["engine CPU s"], shown["engine MB"], shown["CPU/copy"]) == ("not seen", "not seen", "")


def test_results_of_another_machine_are_not_mixed_in(tmp_path: Path) -> None:
    results = tmp_path / "engines.jsonl"
    for run in (replace(COPY, environment={"cores": "64"}), COPY, SPARK, replace(SPARK, wall_seconds=91.0)):
        append(results, run)
    assert read(results) == [COPY, replace(SPARK, wall_seconds=91.0)]


def test_the_section_stands_between_its_markers_and_all_else_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{BEGIN}\nold\n{END}\n\n## Next\n")
    write_section([COPY, SPARK], page)
    written = page.read_text()
    assert written.startswith(f"# Page\n\n{BEGIN}\n\nMondrian, k = 5")
    assert written.endswith(f"{END}\n\n## Next\n")
    assert "| 10,000,000 | Spark local[2] | 90.0 |" in written
    assert "old" not in written
    write_section([COPY, SPARK], page)
    assert page.read_text() == written


def test_a_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    with pytest.raises(ValueError, match="has no lines"):
        write_section([COPY, SPARK], page)
    assert page.read_text() == "# Page\n"


def run_small(tmp_path: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    assert script.main(["--sizes", "3000", "--cache", str(tmp_path), "--json", *arguments]) == 0
    return {row["program"]: row for row in json.loads(capsys.readouterr().out)["results"]}


@pytest.mark.slow
@needs_proc
def test_sail_is_measured_beside_the_embedded_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = run_small(tmp_path, capsys, "--engines", "spark", "--spark", spark_server.sail(), "--times", "2")
    spark = "Spark sc"
    assert list(rows) == ["DuckDB copy", "embedded", f"{spark} copy", spark, spark + OVER_AGAIN]
    assert set(rows[spark]["steps"]) == {"start", "count", "read", "Mondrian", "prove", "write", "recount", "finish"}
    assert rows[spark + OVER_AGAIN]["records"] == 6000
    assert rows[spark]["engine_is_measured"] is False
    # Outputs are gone, inputs and results stay.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["census_3000.parquet", "engines.jsonl"]


@pytest.mark.slow
@needs_proc
def test_a_server_of_our_own_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    rows = run_small(tmp_path, capsys, "--engines", "postgresql")
    assert list(rows) == ["DuckDB copy", "embedded", "PostgreSQL copy", "PostgreSQL"]
    assert rows["PostgreSQL"]["engine_is_measured"] is True
    assert rows["PostgreSQL"]["engine_peak"] > 0
    assert {"count", "write", "recount"} < set(rows["PostgreSQL"]["steps"])


@needs_proc
@pytest.mark.slow
def test_classic_spark_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spark_server.require_java()
    rows = run_small(tmp_path, capsys, "--engines", "spark")
    engine = rows["Spark local[2]"]
    assert engine["engine_cpu"] > engine["driver_cpu"] > 0
    assert engine["ratio"] > 0


def test_an_engine_that_cannot_run_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    options = script.parse_arguments([])
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'pyspark[connect]'")
    assert (
        script.why_not("spark", options)
        == "there is no Java, which Spark needs: apt-get install openjdk-17-jre-headless"
    )
    assert script.why_not("spark", script.parse_arguments(["--spark", "sc://127.0.0.1:1"])) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--repeat", "0"], "--repeat is 0; write 1 or more."),
        (["--sizes", "0"], "--sizes has a 0; write 1 or more records."),
        (["--report", "nowhere.md"], "--report nowhere.md: there is no such page."),
        (["--no-runs"], "--no-runs does nothing without --report"),
    ],
)
def test_a_wrong_option_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        script.parse_arguments(arguments)
    assert refused.value.code == 2
    assert message in capsys.readouterr().err
