"""The benchmark of memory: its inputs are what they say, and its verdict is that of peak, limit and message."""

import json
import sys
from pathlib import Path

import pytest
from bench_memory import main
from helpers import children
from memory_cases import CASES

import toolbox


def measured(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    main([*arguments, "--json"])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_has_an_input_that_its_configuration_fits(case, tmp_path):
    small = case.scaled(1e-9)
    config = toolbox.load_config(small.write(tmp_path))
    lines = (tmp_path / "input.csv").read_bytes().splitlines()
    assert len(lines) == 1 + small.records
    declared = {one.column.name for one in config.quasi_identifiers}
    assert declared <= set(lines[0].decode().split(","))


def test_a_case_is_the_same_every_time(tmp_path):
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        CASES[0].scaled(1e-9).write(tmp_path / name)
    once, again = ((tmp_path / name / "input.csv").read_bytes() for name in ("once", "again"))
    assert once == again


@pytest.mark.slow
def test_a_run_within_its_limit_is_fine_and_leaves_nothing(tmp_path):
    # From a process of its own: the peak of a run is at least that of the process that starts it.
    script = Path(main.__code__.co_filename)
    command = [sys.executable, script, "--case", "spellings", "--scale", "0.0001", "--folder", tmp_path, "--json"]
    done = children.run(list(map(str, command)), capture_output=True, text=True, check=True)
    (found,) = json.loads(done.stdout)
    assert (found["status"], found["is_fine"], found["limit_bytes"]) == (0, True, 1_000_000_000)
    assert 20_000_000 < found["peak_bytes"] < 600_000_000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_refusal_is_fine_if_it_names_the_remedy(capsys):
    (found,) = measured(capsys, "--case", "spellings-refused", "--scale", "0.0001")
    assert (found["status"], found["is_fine"]) == (4, True)
    assert "Write type='category'" in found["message"]
