"""Cells in several processes: the same results, and a process that dies takes one cell along."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe, active_children
from pathlib import Path
from typing import Any

import pytest
from helpers import children
from helpers.own_code import OwnCode
from helpers.small_study import data_of, plan_of, small_study, timeless

from toolbox.config.model import Limits
from toolbox.experiments.plan.plan import Plan
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.study import (
    Lane,
    _list_cells,
    divide_limits,
    explain_process_end,
    run_here,
    run_in_lanes,
    work,
)


@pytest.fixture(autouse=True)
def tracker_lasts() -> Iterator[None]:
    """Let the process live on by which Python keeps track of what processes share; it starts one only once."""
    with children.letting_last():
        yield


def results(running: Any) -> dict[str, list[Any]]:
    """Return the rows of each cell without their seconds."""
    return {str(cell): timeless(row for rows in found.values() for row in rows) for (cell, _), found in running}


def jobs_of(plan: Plan) -> list[Any]:
    return [(cell, cell.tasks) for cell in _list_cells(plan)]


@pytest.mark.slow
def test_what_comes_through_the_pipe_of_a_process_is_what_this_one_finds(tmp_path: Path) -> None:
    plan = read_plan(plan_of(tmp_path, parameters={"k": 5}, data=[data_of(tmp_path, name="people")]))
    ours, theirs = Pipe()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ((cell, (*tasks, _)),) = jobs_of(plan)

    def caller() -> Any:
        with ours:
            ours.send((cell, tasks))
            return ours.recv()

    try:
        with ThreadPoolExecutor(1) as others:
            found = others.submit(caller)
            work(theirs, plan, Limits())
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    known = timeless(row for row in small_study().rows if (row["method"], row["k"]) == ("Mondrian", 5))
    ((_, rows),) = results([((cell, tasks), found.result())]).items()
    assert len(rows) == 7
    assert all(row in known for row in rows)


@pytest.mark.slow
def test_another_process_finds_what_this_one_finds(tmp_path: Path) -> None:
    plan = read_plan(plan_of(tmp_path, parameters={"k": 5}, metrics=["NCP", "classification metric"]))
    assert results(run_in_lanes(plan, jobs_of(plan), 2, Limits())) == results(run_here(plan, jobs_of(plan), Limits()))


@pytest.mark.slow
def test_a_process_that_dies_takes_one_cell_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OwnCode("dying_method", tmp_path, monkeypatch, methods={"Dying": "os._exit(7)"})
    data = data_of(tmp_path, name="people")
    plan = read_plan(plan_of(tmp_path, methods=["dying_method:Dying", "Mondrian"], parameters={"k": 2}, data=[data]))
    first, *others = jobs_of(plan)
    found = results(run_in_lanes(plan, [first, *others], 1, Limits()))
    rows = found.pop("people, dying_method:Dying, k=2")
    assert all("its process ended with status 7" in row["reason"] for row in rows)
    assert found == results(run_here(plan, others, Limits()))


@pytest.mark.slow
def test_any_number_of_processes_finds_the_same_with_learners(tmp_path: Path) -> None:
    learning = {"learners": ["decision tree", "logistic regression", "random forest", "gradient boosting"], "splits": 3}
    plan = read_plan(plan_of(tmp_path, classification=learning, data=[data_of(tmp_path, features=["visits"])]))
    here = results(run_here(plan, jobs_of(plan), Limits()))
    for lanes in (2, 3):
        assert results(run_in_lanes(plan, jobs_of(plan), lanes, Limits())) == here


def test_a_process_that_is_dead_before_its_cell_ends_no_study(tmp_path: Path) -> None:
    plan = read_plan(plan_of(tmp_path))
    cell, tasks = jobs_of(plan)[0]
    others = set(active_children())
    lane = Lane(plan, Limits())
    (process,) = set(active_children()) - others
    process.kill()
    process.join()
    lane.begin((cell, tasks))
    found, is_alive = lane.results()
    lane.end()
    assert not is_alive
    assert {task: [row["reason"] for row in rows] for task, rows in found.items()} == {
        task: [
            "its process ended with status -9, as where memory runs out. Run it again with one process: --jobs 1, or jobs=1."
        ]
        for task in tasks
    }


def test_a_script_that_starts_its_study_on_import_is_told_so() -> None:
    assert explain_process_end(1).endswith('Write it below: if __name__ == "__main__":')
    assert explain_process_end(0) == "its process ended with status 0, as where code of your own ends it."


def test_processes_share_the_threads() -> None:
    assert divide_limits(2, Limits(threads=5)).threads == 2
    assert divide_limits(8, Limits(threads=4)).threads == 1
