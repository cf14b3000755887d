"""The flow of `experiment`: run what nobody has run yet, keep what comes of it, and put all of it together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from types import MappingProxyType
from typing import Any

from toolbox.config.model import Limits
from toolbox.errors import InputError, ToolboxError
from toolbox.experiments.cells.cells import ORIGINAL, Cell, Task, compute_digest, make_seed
from toolbox.experiments.cells.data_set import compute_data_digest
from toolbox.experiments.cells.lanes import divide_limits, run_here, run_in_lanes
from toolbox.experiments.cells.rows import Journal
from toolbox.experiments.plan.plan import DataSet, Plan, Wish
from toolbox.experiments.results.page import write_results
from toolbox.experiments.results.report import ExperimentReport
from toolbox.messages import format_count
from toolbox.steps import Steps, Watcher
from toolbox.store.engine.store import Store

_PROGRAMS: Mapping[str, str] = MappingProxyType(
    {"toolbox": "anonymisation-toolbox", "duckdb": "duckdb", "numpy": "numpy", "sklearn": "scikit-learn"}
)


def run_study(
    plan: Plan,
    folder: Path | None = None,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    watcher: Watcher | None = None,
) -> ExperimentReport:
    """Run a study; `toolbox.experiment` explains the arguments.

    Raises
    ------
    InputError
        If a file of a data set cannot be read; what else is wrong with one is a row of the results.
    OutputError
        If the results cannot be kept, or no temporary files can be.
    UsageError
        If the limits are none, or too low to read one of the data sets.
    """
    steps = Steps(watcher)
    limits = limits or Limits()
    _require_usable(limits)
    programs = list_versions(plan)
    with steps.step("look"):
        records = {data.name: _compute_data_digest(data) for data in plan.data}
        cells = list(_list_cells(plan))
        digests = {
            (cell, task): compute_digest(plan, cell, task, records[cell.data.name], programs)
            for cell in cells
            for task in cell.tasks
        }
    with Journal(folder) as journal:
        todo = [
            (cell, tasks)
            for cell in cells
            if (tasks := tuple(task for task in cell.tasks if digests[cell, task] not in journal))
        ]
        reused = len(digests) - sum(len(tasks) for _, tasks in todo)
        with steps.step("cells"):
            _run(plan, todo, journal, digests, jobs, limits, steps)
        rows = [row for place in digests for row in journal[digests[place]]]
        report = ExperimentReport(
            name=plan.name,
            rows=tuple(rows),
            cells=len(cells),
            reused=reused,
            unread=journal.unread,
            test_share=plan.learning.test_share if plan.learning else 0.1,
            versions=programs,
            folder=folder,
            timings=steps.timings(),
        )
        if folder is not None:
            write_results(report, folder)
    return report


def _require_usable(limits: Limits) -> None:
    """Stop at once where no store can be opened: every cell would fail for the same reason."""
    with Store(limits.temp_dir, limits):
        pass


def _compute_data_digest(data: DataSet) -> str:
    try:
        return compute_data_digest(data)
    except ToolboxError as error:
        if not data.expanded:
            raise
        raise InputError(data.as_written(str(error))) from None


def list_versions(plan: Plan) -> dict[str, str]:
    """Return the versions of the programs whose results these are."""
    found = {"python": python_version()}
    for name, package in _PROGRAMS.items():
        if name == "sklearn" and plan.learning is None:
            continue
        try:
            found[name] = version(package)
        except PackageNotFoundError:  # pragma: no cover - the reader of plans asks for it
            continue
    return found


def _run(
    plan: Plan,
    todo: list[tuple[Cell, tuple[Task, ...]]],
    journal: Journal,
    digests: Mapping[Any, str],
    jobs: int,
    limits: Limits,
    steps: Steps,
) -> None:
    lanes = max(1, min(jobs, len(todo)))
    limits = divide_limits(lanes, limits)
    # What others have written may end its process: it gets one, unless the caller wants none beside his own.
    is_here = jobs == 1 or (lanes == 1 and not plan.has_own_code)
    running = run_here(plan, todo, limits) if is_here else run_in_lanes(plan, todo, lanes, limits)
    for done, ((cell, _), results) in enumerate(running, start=1):
        journal.add({digests[cell, task]: rows for task, rows in results.items()})
        steps.say(f"{done:,} of {format_count(len(todo), 'cell')}, last {cell}")


def _list_cells(plan: Plan) -> Iterator[Cell]:
    """Yield the cells of a plan in its order; all of a data set come together."""
    learned = () if plan.learning is None else tuple(Task("learn", name) for name in plan.learning.learners)
    measured = (Task("run"), *(Task("loss", name) for name in plan.metrics))
    for data in plan.data:
        if learned:
            yield Cell(data, ORIGINAL, Wish(), 1, plan.seed, learned)
        for method in plan.list_data_methods(data):
            for wish in plan.wishes:
                for repetition in range(1, plan.repetitions + 1):
                    facts = (data.name, method, str(wish), repetition)
                    tasks = (*measured, *learned)
                    yield Cell(data, method, wish, repetition, make_seed(plan.seed, *facts), tasks)
