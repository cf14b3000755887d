"""The tables of a Python call, as the flows read them: paths, or Arrow tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from toolbox.errors import UsageError
from toolbox.flows.question import Question
from toolbox.flows.tables import TableSource
from toolbox.store.caller import as_arrow

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from toolbox.hierarchy.builders.builder import Builder

Source: TypeAlias = "str | Path | pd.DataFrame | pa.Table"
"""A table that a caller gives: a path, or a table in memory."""

Hierarchies: TypeAlias = "Mapping[str, str | Path | Builder | pd.DataFrame | Sequence[Sequence[object]]]"
"""The hierarchies of a call, by column."""


def table_or_path(source: Any) -> TableSource:
    """Return the path that a caller names, or else the table as an Arrow table.

    Raises
    ------
    InputError
        If it is no table, or cannot be read.
    """
    return _path(source) if isinstance(source, (str, Path)) else as_arrow(source)


def judged_table(source: Any, question: Question, *more: str | None) -> TableSource:
    """Return a table that is judged; the columns that the question names must be readable.

    If it names columns by position, all columns must be.

    Parameters
    ----------
    *more : str, optional
        Further columns that must be readable.

    Raises
    ------
    InputError
        If it is no table, or cannot be read.
    """
    if isinstance(source, (str, Path)):
        return _path(source)
    names = {str(attribute.column) for attribute in (*question.quasi_identifiers, *question.sensitive)}
    declared = {*names, *(str(name) for name in more if name is not None)} if question.by_name else None
    return as_arrow(source, declared=declared, mixed_as_texts=True)


def optional_table(source: Any, question: Question) -> TableSource | None:
    """Return a table that is judged, as `judged_table` does; None if there is none."""
    return None if source is None else judged_table(source, question)


def _path(named: str | Path) -> Path:
    """Return the path that a caller names.

    Raises
    ------
    UsageError
        If it is empty.
    """
    if not str(named).strip():
        raise UsageError("The path of a table is empty. Write the name of its file.")
    return Path(named)
