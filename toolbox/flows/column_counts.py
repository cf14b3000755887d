"""The values of one column of a table, each with its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from toolbox.config.model import Attribute, Config, Input, Limits
from toolbox.published.records import Records
from toolbox.steps import Steps
from toolbox.store.inputs import InputFiles
from toolbox.store.layout import find_columns, unknown_column
from toolbox.store.room import file_errors
from toolbox.store.separators import guessed_input
from toolbox.store.source import Source, arrow_source
from toolbox.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa


def counts_by_name(
    table: Path | pa.Table, reading: Input, column: str, limits: Limits, steps: Steps | None = None
) -> dict[str, int]:
    """Count the records of each value of a column; an empty field has none.

    Parameters
    ----------
    table : Path or pyarrow.Table
        A file has a header.
    reading : Input
        How text is read.
    column : str
        Its name.
    steps : Steps, optional
        Is told that the table is read.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or has no such column.
    """

    def position(source: Source) -> int:
        names = list(source.headers or ())
        if column not in names:
            raise unknown_column(column, source, names, [column])
        return names.index(column)

    if not isinstance(table, Path):
        with Store(limits.temp_dir, limits) as store, (steps or Steps()).step("read"):
            return _counted(store, arrow_source(store, table), position)
    declared = replace(reading, path=table)
    if declared.guesses_separator:
        declared = guessed_input(declared, [column])
    return _counts(declared, limits, position, steps)


def counts_by_configuration(
    config: Config, attribute: Attribute, declared: Input, steps: Steps | None = None
) -> dict[str, int]:
    """Count the records of each value of a column that a configuration declares; an empty field has none.

    Raises
    ------
    ToolboxError
        If the table cannot be read, or lacks a column.
    """
    columns = [other.column for other in (*config.quasi_identifiers, *config.sensitive)]

    def position(source: Source) -> int:
        layout = find_columns(config, source)
        return (*layout.quasi_identifiers, *layout.sensitive)[columns.index(attribute.column)]

    return _counts(declared, config.limits, position, steps, tolerant=True)


def _counts(
    declared: Input,
    limits: Limits,
    position: Callable[[Source], int],
    steps: Steps | None,
    *,
    tolerant: bool = False,
) -> dict[str, int]:
    files = InputFiles(declared)
    step = (steps or Steps()).step("read")
    with Store(limits.temp_dir, limits) as store, file_errors(store.folder), step, files.being_read():
        return _counted(store, files.source(store), position, tolerant=tolerant)


def _counted(
    store: Store, source: Source, position: Callable[[Source], int], *, tolerant: bool = False
) -> dict[str, int]:
    counted = Records(store, source, [position(source)], tolerant=tolerant).counted
    rows = store.rows(select(counted.c.text_1, counted.c.size))
    return {text: int(size) for text, size in rows if text is not None}
