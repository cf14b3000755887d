"""The benchmark as a program: real runs on small inputs, resumed, refused and interrupted."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bench_scale
import pytest
from bench_inputs import CENSUS, HARD, VISITS
from bench_machine import environment
from helpers import children
from helpers.amounts import some, times
from helpers.census import place_census

SCRIPT = Path(bench_scale.__file__)
ROUNDS = times(1, slow=2)


def bench(cache: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPT, "--cache", cache, *arguments]
    return children.run([str(part) for part in command], capture_output=True, text=True, check=False)


def census(cache: Path, records: int) -> Path:
    place_census(cache, records)
    return cache


@pytest.fixture
def in_process(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., tuple[int, str]]]:
    """Call the benchmark here; return its status and what it says."""
    handler = signal.getsignal(signal.SIGTERM)
    yield lambda cache, *arguments: (
        bench_scale.main([f"--cache={cache}", *map(str, arguments)]),
        capsys.readouterr().err,
    )
    signal.signal(signal.SIGTERM, handler)


def lines(cache: Path) -> list[dict]:
    return [json.loads(line) for line in (cache / "results.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """One benchmark that several tests look at."""
    cache = census(tmp_path_factory.mktemp("cache"), 1000)
    return cache, bench(cache, "--sizes", "1_000", "--methods", "Datafly", "--repeat", ROUNDS, "--json")


@pytest.mark.slow
def test_each_program_is_run_in_turn_as_often_as_asked(finished):
    cache, done = finished
    assert done.returncode == 0, done.stderr
    turn = ["DuckDB copy", "Datafly"]
    assert [(one["program"], one["round"]) for one in lines(cache)] == [(name, 1) for name in turn] + [
        (name, 2) for name in turn
    ]
    assert [row["program"] for row in json.loads(done.stdout)["results"]] == turn


@pytest.mark.slow
def test_what_is_kept_is_measured(finished):
    cache, _ = finished
    for one in lines(cache):
        assert one["failure"] is None
        assert one["cpu_seconds"] > 0
        assert 0.01 < one["wall_seconds"] < 600
        assert 20e6 < one["peak_bytes"] < 2e9
        assert one["spilled_bytes"] < 1e9
        assert (one["records"], one["k"], one["l"], one["threads"], one["memory_limit"]) == (1000, 5, 3, 2, "2GB")
        assert one["environment"] == environment(cache)
    copies = [one for one in lines(cache) if one["program"] == "DuckDB copy"]
    for one in lines(cache):
        assert one["copy_wall_seconds"] == copies[one["round"] - 1]["wall_seconds"]
        assert one["copy_cpu_seconds"] == copies[one["round"] - 1]["cpu_seconds"]


@pytest.mark.slow
def test_quasi_identifiers_are_counted_and_steps_named(finished):
    cache, _ = finished
    facts = {one["program"]: (one["quasi_identifiers"], list(one["timings"])) for one in lines(cache)}
    assert {program: count for program, (count, _) in facts.items()} == {"DuckDB copy": 0, "Datafly": 9}
    assert facts["DuckDB copy"][1] == []
    assert {"read", "Datafly", "write", "total"} <= set(facts["Datafly"][1])


@pytest.mark.slow
def test_outputs_are_gone(finished):
    cache, _ = finished
    assert sorted(path.name for path in cache.iterdir()) == ["census_1000.csv", "results.jsonl"]


@pytest.mark.slow
def test_what_is_done_is_not_run_again_and_what_is_missing_is_with_a_copy_of_its_own(finished):
    cache, _ = finished
    before = lines(cache)
    # The last run is lost, as if the machine had been switched off.
    (cache / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in before[:-1]))
    asked = ["--sizes", "1_000", "--methods", "Datafly", "--repeat", ROUNDS, "--resume"]
    report = cache / "performance.md"
    done = bench(cache, *asked, "--report", report)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("running")] == [
        "running DuckDB copy on 1,000 records of census",
        "running Datafly on 1,000 records of census",
    ]
    again = lines(cache)
    assert again[:-2] == before[:-1]
    assert again[-1]["copy_wall_seconds"] == again[-2]["wall_seconds"]
    for program in ("DuckDB copy", "Datafly"):
        assert f"| 1,000 | {program} | " in report.read_text()
    assert "running" not in bench(cache, *asked).stderr


@pytest.mark.slow
def test_the_page_alone_needs_no_run(finished, tmp_path, in_process):
    cache, _ = finished
    status, said = in_process(cache, "--no-runs", "--report", tmp_path / "page.md")
    assert status == 0, said
    assert "running" not in said
    assert (tmp_path / "page.svg").exists()


@pytest.mark.slow
def test_the_hard_input(tmp_path):
    done = bench(tmp_path, "--input", "hard", "--sizes", "1_000", "--methods", "Anatomy")
    assert done.returncode == 0, done.stderr
    assert [(one["input"], one["quasi_identifiers"]) for one in lines(tmp_path)] == [("hard", 0), ("hard", 6)]
    assert "hard, 1,000, Anatomy: read " in done.stdout


@pytest.mark.slow
def test_the_visits_run_by_record_by_person_treated_and_by_a_saved_recoding(tmp_path):
    done = bench(tmp_path, "--input", "visits", "--sizes", "2_000")
    assert done.returncode == 0, done.stderr
    assert [one["program"] for one in lines(tmp_path)] == ["DuckDB copy", *VISITS.programs]
    assert [one["quasi_identifiers"] for one in lines(tmp_path)] == [0] + [4] * len(VISITS.programs)
    assert all(one["failure"] is None for one in lines(tmp_path))


@pytest.mark.slow
def test_a_method_without_a_result_is_kept_as_such_and_the_others_go_on(tmp_path):
    # Three in ten have a cold: no group of four can have four different diagnoses.
    asked = ["--sizes", 500, "--methods", "Anatomy", "Datafly", "--l", 4]
    assert bench(census(tmp_path, 500), *asked).returncode == 1
    copy, anatomy, datafly = lines(tmp_path)
    assert "not eligible for Anatomy with l=4" in anatomy["failure"]
    assert (copy["failure"], datafly["failure"]) == (None, None)
    assert (anatomy["quasi_identifiers"], datafly["quasi_identifiers"]) == (9, 9)
    again = bench(tmp_path, *asked, "--resume")
    assert "running Anatomy" in again.stderr
    assert "running Datafly" not in again.stderr


@pytest.mark.slow
def test_a_method_that_takes_too_long_is_stopped(tmp_path):
    # Not even the hierarchy of 90,000 zip codes is read in a second.
    done = bench(tmp_path, "--input", "hard", "--sizes", 3000, "--methods", "Incognito_k", "--timeout", 1)
    assert done.returncode == 1
    assert lines(tmp_path)[1]["failure"] == "no result in 1 s"
    assert not list(tmp_path.glob("run-*"))


@pytest.mark.slow
def test_a_method_that_does_not_exist_stops_the_benchmark(tmp_path, in_process):
    status, said = in_process(census(tmp_path, 100), "--sizes", 100, "--methods", "Datafli", "Mondrian")
    assert status == 1
    assert "Did you mean 'Datafly'?" in said
    assert "Traceback" not in said
    assert [one["program"] for one in lines(tmp_path)] == ["DuckDB copy"]


def test_a_disk_that_is_too_small_is_said_before_anything_is_made(tmp_path, in_process):
    status, said = in_process(tmp_path, "--sizes", "100", "1_000_000_000_000")
    assert status == 1
    assert "1,000,000,000,000 records of census needs about" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", some([signal.SIGTERM, signal.SIGINT], every=2))
def test_interrupted_it_leaves_no_output_and_what_had_finished(number, tmp_path):
    census(tmp_path, 2000)
    command = [sys.executable, SCRIPT, "--cache", tmp_path, "--sizes", "2000", "--methods", "Datafly", "Mondrian"]
    with children.start(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("running Datafly"):
                break
        (folder,) = tmp_path.glob("run-*")
        until = time.monotonic() + 60
        while not list(folder.iterdir()) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(number)
        stderr = process.stderr.read()
    assert process.returncode == 130
    assert stderr.endswith("interrupted. What has finished is kept: the same command with --resume goes on.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["census_2000.csv", "results.jsonl"]
    assert [one["program"] for one in lines(tmp_path)] == ["DuckDB copy"]


@pytest.mark.slow
def test_interrupted_while_an_input_is_made_it_leaves_none(tmp_path):
    command = [sys.executable, SCRIPT, "--cache", tmp_path, "--sizes", "20_000_000"]
    with children.start(command, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while not list(tmp_path.glob("*.part")) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


# What is asked for


def test_the_full_benchmark_is_every_input_in_all_sizes_the_small_ones_first():
    wanted = bench_scale.cases(bench_scale.parse_arguments(["--full"]))
    assert wanted == [
        (CENSUS, 10_000),
        (HARD, 10_000),
        (CENSUS, 100_000),
        (HARD, 100_000),
        (CENSUS, 1_000_000),
        (HARD, 1_000_000),
        (VISITS, 1_000_000),
        (HARD, 3_000_000),
        (CENSUS, 10_000_000),
        (VISITS, 10_000_000),
        (CENSUS, 100_000_000),
    ]


def test_inputs_sizes_and_methods_are_chosen_each_once():
    options = bench_scale.parse_arguments(
        ["--input", "hard", "--sizes", "1_000", "1000", "10", "--methods", "Datafly", "Datafly"]
    )
    assert bench_scale.cases(options) == [(HARD, 10), (HARD, 1000)]
    assert options.methods == ("Datafly",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "many"], "'many' is no whole number"),
        (["--sizes", "0"], "--sizes has a 0"),
        (["--repeat", "0"], "--repeat is 0; write 1 or more"),
        (["--input", "soft"], "invalid choice: 'soft'"),
        (["--report", "nowhere/page.md"], "there is no folder nowhere"),
        (["--no-runs"], "write --report FILE too"),
    ],
)
def test_a_wrong_command_says_what_to_write(arguments, message, tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        bench_scale.main([*arguments, f"--cache={tmp_path}"])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_measuring_process_stays_small():
    """A child's peak memory is at least that of the process which starts it."""
    source = "import sys, bench_scale; print(sorted({'duckdb', 'matplotlib', 'numpy', 'pyarrow', 'toolbox'} & {*sys.modules}))"
    found = children.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SCRIPT.parent)},
    )
    assert found.stdout == "[]\n"
