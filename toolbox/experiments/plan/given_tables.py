"""Tables in memory as data of a plan: each is a Parquet file while the study lasts, which all its processes read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from toolbox.config.model import Limits
from toolbox.errors import InputError, OutputError
from toolbox.experiments.plan.plan import DataSet, Plan
from toolbox.experiments.plan.reader import read_plan
from toolbox.store.engine.connection import make_engine_folder
from toolbox.store.input.memory import as_arrow, clear_other_columns

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
            folder = stack.enter_context(make_engine_folder(limits.temp_dir, limits)).folder
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
