"""A run is dead only when that is sure."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers import children

from toolbox.engines.spark.places import SILENCE, Run


def test_a_run_has_a_name_of_its_own_that_tells_it() -> None:
    first, second = Run.new(), Run.new()
    assert first.name != second.name
    assert Run.named(first.name) == first


@pytest.mark.parametrize(
    "name",
    ["", "run", "0-0", "release", f"{Run.new().name}x", f"x{Run.new().name}"],
    ids=["empty", "word", "short", "release", "longer", "other prefix"],
)
def test_another_name_is_that_of_no_run(name: str) -> None:
    assert Run.named(name) is None


@pytest.mark.slow
def test_a_run_of_this_machine_lives_as_long_as_its_process() -> None:
    program = (
        "import sys; from toolbox.engines.spark.places import Run; print(Run.new().name, flush=True); sys.stdin.read()"
    )
    process = children.start([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    run = Run.named(process.stdout.readline().strip())
    assert run is not None
    assert not run.is_dead(2 * SILENCE)
    process.kill()
    process.wait()
    assert run.is_dead(0)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_run_of_another_machine_start_or_container_is_dead_after_a_day_of_silence(place: int) -> None:
    parts = Run.new().name.split("-")
    parts[place] = "0" * len(parts[place])
    run = Run.named("-".join(parts))
    assert run is not None
    assert not run.is_dead(SILENCE - 1)
    assert run.is_dead(SILENCE + 1)


def test_a_process_that_has_got_the_number_of_a_dead_one_is_another() -> None:
    machine_and_process, _, token = Run.new().name.rpartition("-")
    run = Run.named(f"{machine_and_process.rpartition('-')[0]}-1-{token}")
    assert run is not None
    assert run.is_dead(0)
