"""The flow of `experiment`: run what nobody has run yet, keep what comes of it, and put all of it together."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from platform import python_version
from types import MappingProxyType, TracebackType
from typing import Any, Self

from toolbox.config.model import Limits
from toolbox.errors import InputError, OutputError, ToolboxError
from toolbox.experiments.cells.data_set import OpenedData, compute_data_digest
from toolbox.experiments.cells.measuring import Measuring
from toolbox.experiments.cells.rows import (
    ORIGINAL,
    Cell,
    Journal,
    ResultRow,
    Task,
    compute_digest,
    make_failed_row,
    make_seed,
)
from toolbox.experiments.plan.plan import DataSet, Plan, Wish
from toolbox.experiments.plan.reader import read_plan
from toolbox.experiments.results.page import write_results
from toolbox.experiments.results.report import ExperimentReport
from toolbox.messages import format_count
from toolbox.steps import Steps, Watcher
from toolbox.store.engine.errors import MemoryLimitError
from toolbox.store.engine.store import Store
from toolbox.store.input.memory import as_arrow, clear_other_columns

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


# The processes that do the tasks of a study.

# Who runs cells: one data set at a time is read, and what is wrong with it is a row of each of its cells.

Results = dict[Task, list[ResultRow]]


class Worker:
    """Runs cells one after the other; use it as a context manager.

    Parameters
    ----------
    plan : Plan
    limits : Limits
        What it may take of the machine.
    """

    def __init__(self, plan: Plan, limits: Limits) -> None:
        self._plan = plan
        self._limits = limits
        self._stack = ExitStack()
        self._data: DataSet | None = None
        self._measuring: Measuring | str = ""
        """What measures the data set at hand; why it cannot be read, if it cannot."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def run(self, cell: Cell, tasks: Sequence[Task]) -> Results:
        """Run a cell; what cannot be done is a row that says why.

        Raises
        ------
        MemoryLimitError
            If the data set cannot be read within the limit.
        """
        if cell.data != self._data:
            self._stack.close()
            self._data, self._measuring = cell.data, self._opened(cell.data)
        if isinstance(self._measuring, str):
            return {task: [make_failed_row(cell, task, self._measuring)] for task in tasks}
        return self._measuring.rows(cell, tasks)

    def _opened(self, data: DataSet) -> Measuring | str:
        with_records = self._plan.learning is not None
        try:
            opened = OpenedData.of(self._stack, data, self._limits, with_records=with_records)
        except MemoryLimitError as error:
            # No cell of the data set would end otherwise, and one word of its user mends all of them.
            raise MemoryLimitError(f"The data set {data.name!r} cannot be read. {error}") from None
        except ToolboxError as error:
            return data.as_written(str(error))
        return Measuring(self._plan, opened)


# Cells on several cores: a process for each, which is given one cell after the other.

Job = tuple[Cell, tuple[Task, ...]]
_PATIENCE = 5
"""Seconds in which a process may tidy up."""


class Lane:
    """One process that runs cells."""

    def __init__(self, plan: Plan, limits: Limits) -> None:
        # What a fork takes along of the engine and its threads is in no state to be used.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(theirs, plan, limits), daemon=True)
        with _exclude_working_folder():
            self._process.start()
        theirs.close()
        self.job: Job | None = None

    def begin(self, job: Job) -> None:
        """Give the process a cell."""
        self.job = job
        # Of a process that has died already, the results tell.
        with suppress(OSError):
            self.pipe.send(job)

    def results(self) -> tuple[Results, bool]:
        """Return what came of its cell, and whether the process is alive.

        Raises
        ------
        MemoryLimitError
            If that ends the study.
        """
        assert self.job is not None, "it was given one"
        cell, tasks = self.job
        try:
            come = self.pipe.recv()
            if isinstance(come, MemoryLimitError):
                raise come
            return come, True
        except (EOFError, OSError):
            self._process.join()
            reason = explain_process_end(self._process.exitcode)
            return {task: [make_failed_row(cell, task, reason)] for task in tasks}, False

    def end(self) -> None:
        """End the process, at work or not."""
        self.pipe.close()
        if self.job is not None:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def run_in_lanes(plan: Plan, jobs: Sequence[Job], lanes: int, limits: Limits) -> Iterator[tuple[Job, Results]]:
    """Run cells in several processes, and yield what came of each as it comes.

    A process that dies takes its cell along, and no other one.
    """
    waiting = deque(jobs)
    busy: dict[Any, Lane] = {}
    try:
        for _ in range(min(lanes, len(jobs))):
            _begin(busy, Lane(plan, limits), waiting)
        while busy:
            for pipe in wait(list(busy)):
                lane = busy.pop(pipe)
                assert lane.job is not None
                job = lane.job
                results, is_alive = lane.results()
                lane.job = None
                if waiting:
                    if not is_alive:
                        lane.end()
                        lane = Lane(plan, limits)
                    _begin(busy, lane, waiting)
                else:
                    lane.end()
                yield job, results
    finally:
        for lane in busy.values():
            lane.end()


def run_here(plan: Plan, jobs: Iterable[Job], limits: Limits) -> Iterator[tuple[Job, Results]]:
    """Run cells in this process."""
    with Worker(plan, limits) as worker:
        for job in jobs:
            yield job, worker.run(*job)


def explain_process_end(status: int | None) -> str:
    """Return of what a process may have died that ended with a status, and what to do.

    Examples
    --------
    >>> explain_process_end(-9)
    'its process ended with status -9, as where memory runs out. Run it again with one process: --jobs 1, or jobs=1.'
    """
    ended = f"its process ended with status {status}"
    if status == 1:
        # A new process runs the script of its caller first, and ends there if that starts the study once more.
        remedy = 'Write it below: if __name__ == "__main__":'
        return f"{ended}, as where a script starts a study whenever it is imported. {remedy}"
    if status is not None and status >= 0:
        return f"{ended}, as where code of your own ends it."
    return f"{ended}, as where memory runs out. Run it again with one process: --jobs 1, or jobs=1."


@contextmanager
def _exclude_working_folder() -> Iterator[None]:
    """Start Python without the working folder among its modules, where those of whoever sent a plan may lie."""
    name, earlier = "PYTHONSAFEPATH", os.environ.get("PYTHONSAFEPATH")
    os.environ[name] = "1"
    try:
        yield
    finally:
        if earlier is None:
            del os.environ[name]
        else:
            os.environ[name] = earlier


def _begin(busy: dict[Any, Lane], lane: Lane, waiting: deque[Job]) -> None:
    busy[lane.pipe] = lane
    lane.begin(waiting.popleft())


def work(pipe: Any, plan: Plan, limits: Limits) -> None:
    """Run the cells that come through a pipe, until it is closed; the main function of a process."""
    # An interrupt reaches all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    try:
        with Worker(plan, limits) as worker:
            _work(pipe, worker)
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGTERM) from None


def _work(pipe: Any, worker: Worker) -> None:
    while True:
        try:
            cell, tasks = pipe.recv()
        except EOFError:
            return
        come: Results | MemoryLimitError
        try:
            come = worker.run(cell, tasks)
        except MemoryLimitError as error:
            come = error
        try:
            pipe.send(come)
        except OSError:
            return


def _leave(_number: int, _frame: object) -> None:
    # Not SystemExit, which a metric may raise, and which is then a row.
    raise KeyboardInterrupt


def divide_limits(lanes: int, limits: Limits) -> Limits:
    """Return what one of several processes may take of the machine: they share the threads.

    Examples
    --------
    >>> divide_limits(1, Limits(threads=3)).threads
    3
    """
    threads = limits.threads or os.cpu_count() or 1
    return limits if lanes == 1 else replace(limits, threads=max(1, threads // lanes))


# Tables in memory as data of a plan: each is a Parquet file while the study lasts, which all its processes read.

_WORDS = (str, Path, int, float, list, tuple, type(None))
"""What is no table: the reader of plans tells what is wrong with it."""


@contextmanager
def open_plan(source: str | Path | Mapping[str, Any], limits: Limits, *, allow_code: bool = False) -> Iterator[Plan]:
    """Read a plan, whose tables may be in memory; while the block runs, it can be worked on.

    Parameters
    ----------
    allow_code : bool
        Whether a file may name code of its own.

    Raises
    ------
    ConfigurationError
        With all that is wrong with the plan.
    InputError
        If a table cannot be read.
    OutputError
        If a table cannot be kept.
    UsageError
        If there is no such plan.
    """
    tables = _find_tables(source)
    if not tables:
        yield read_plan(source, allow_code=allow_code)
        return
    assert isinstance(source, Mapping), "it has tables"
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(Store(limits.temp_dir, limits)).folder
            plan = _store_tables(source, tables, folder)
        except OSError as error:
            raise OutputError(f"The tables of the plan cannot be kept ({error.strerror or error}).") from error
        yield plan


def _store_tables(source: Mapping[str, Any], tables: Mapping[int, Any], folder: Path) -> Plan:
    """Read a plan, and write its tables into files of a folder."""
    files = {place: folder / f"table-{place + 1}.parquet" for place in tables}
    words = _replace_tables(source, files)
    plan = read_plan(words, looks=False)
    for place, table in tables.items():
        _write(plan.data[place], table, files[place])
    plan = read_plan(words)
    written = tuple((str(path), "the table") for path in files.values())
    return replace(plan, data=tuple(replace(each, expanded=(*each.expanded, *written)) for each in plan.data))


def _find_tables(source: Any) -> dict[int, Any]:
    """Return the tables in memory, by the places of their data sets in the plan."""
    data = source.get("data") if isinstance(source, Mapping) else None
    if not isinstance(data, (list, tuple)):
        return {}
    given = ((place, words.get("table")) for place, words in enumerate(data) if isinstance(words, Mapping))
    return {place: table for place, table in given if not isinstance(table, _WORDS)}


def _replace_tables(source: Mapping[str, Any], files: Mapping[int, Path]) -> dict[str, Any]:
    """Return the words of a plan with files in the places of tables."""
    data = [
        {"name": "table" if len(files) == 1 else f"table {place + 1}", **words, "table": str(files[place])}
        if place in files
        else words
        for place, words in enumerate(source["data"])
    ]
    return {**source, "data": data}


def _write(data: DataSet, table: Any, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    lists = (data.columns.get(word, ()) for word in ("quasi_identifiers", "sensitive", "identifiers", "person"))
    named = {*chain.from_iterable(lists), *data.features, data.label or ""}
    # A configuration declares columns that nobody has read yet.
    declared = None if data.configuration is not None else named
    try:
        arrow = as_arrow(table, declared=declared)
        parquet.write_table(arrow if declared is None else clear_other_columns(arrow, declared), path)
    except InputError as error:
        raise InputError(f"The data set {data.name!r}: {error}") from None
    except pa.ArrowException as error:
        problem = f"it has a column of a type that no Parquet file holds ({type(error).__name__})"
        raise InputError(f"The data set {data.name!r}: {problem}. Convert it to text or numbers first.") from None
