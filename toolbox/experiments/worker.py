"""Who runs cells: one data set at a time is read, and what is wrong with it is a row of each of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from toolbox.config.model import Limits
from toolbox.errors import ToolboxError
from toolbox.experiments.cells import Cell, Task
from toolbox.experiments.data_set import OpenedData
from toolbox.experiments.measuring import Measuring
from toolbox.experiments.plan import DataSet, Plan
from toolbox.experiments.rows import Row, failed

Results = dict[Task, list[Row]]


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
        """Run a cell; what cannot be done is a row that says why."""
        if cell.data != self._data:
            self._stack.close()
            self._data, self._measuring = cell.data, self._opened(cell.data)
        if isinstance(self._measuring, str):
            return {task: [failed(cell, task, self._measuring)] for task in tasks}
        return self._measuring.rows(cell, tasks)

    def _opened(self, data: DataSet) -> Measuring | str:
        with_records = self._plan.learning is not None
        try:
            opened = OpenedData.of(self._stack, data, self._limits, with_records=with_records)
        except ToolboxError as error:
            return data.as_written(str(error))
        return Measuring(self._plan, opened)
