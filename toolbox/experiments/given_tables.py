"""Tables in memory as data of a plan: each is a Parquet file while the study lasts, which all its processes read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from toolbox.config.model import Limits
from toolbox.errors import InputError, OutputError
from toolbox.experiments.plan import Plan
from toolbox.experiments.plan_reader import read_plan
from toolbox.store.caller import as_arrow, without_others
from toolbox.store.workspace import Workspace

_WORDS = (str, Path, int, float, list, tuple, type(None))
"""What is no table: the reader of plans tells what is wrong with it."""
_LISTS = ("quasi_identifiers", "sensitive", "identifiers", "features")


@contextmanager
def plan_of(source: str | Path | Mapping[str, Any], limits: Limits) -> Iterator[Plan]:
    """Read a plan, whose tables may be in memory; while the block runs, it can be worked on.

    Raises
    ------
    ConfigurationError
        With all that is wrong with the plan.
    InputError
        If a table cannot be read.
    UsageError
        If there is no such plan.
    """
    tables = _tables(source)
    if not tables:
        yield read_plan(source)
        return
    assert isinstance(source, Mapping), "it has tables"
    try:
        with Workspace(limits.temp_dir) as workspace:
            files = {place: workspace.folder / f"table-{place + 1}.parquet" for place in tables}
            plan = read_plan(_with_files(source, files))
            for place, words in tables.items():
                _write(words, files[place], plan.data[place].name)
            written = {str(path): "the table" for path in files.values()}
            data = tuple(replace(each, expanded=(*each.expanded, *written.items())) for each in plan.data)
            yield replace(plan, data=data)
    except OSError as error:
        raise OutputError(f"The tables of the plan cannot be kept ({error.strerror or error}).") from error


def _tables(source: Any) -> dict[int, Mapping[str, Any]]:
    """Return the data sets with tables in memory, by their places in the plan."""
    data = source.get("data") if isinstance(source, Mapping) else None
    if not isinstance(data, (list, tuple)):
        return {}
    listed = enumerate(data)
    return {place: words for place, words in listed if isinstance(words, Mapping) and _is_table(words.get("table"))}


def _is_table(value: Any) -> bool:
    return not isinstance(value, _WORDS)


def _with_files(source: Mapping[str, Any], files: Mapping[int, Path]) -> dict[str, Any]:
    """Return the words of a plan with files in the places of tables."""
    data = [
        {"name": "table" if len(files) == 1 else f"table {place + 1}", **words, "table": str(files[place])}
        if place in files
        else words
        for place, words in enumerate(source["data"])
    ]
    return {**source, "data": data}


def _write(words: Mapping[str, Any], path: Path, name: str) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    named = {str(each) for word in _LISTS for each in words.get(word) or ()} | {str(words.get("label"))}
    # A configuration declares columns that nobody has read yet.
    declared = None if "configuration" in words else named
    try:
        table = as_arrow(words["table"], declared=declared)
        parquet.write_table(table if declared is None else without_others(table, declared), path)
    except InputError as error:
        raise InputError(f"The data set {name!r}: {error}") from None
    except pa.ArrowException as error:
        problem = f"it has a column of a type that no Parquet file holds ({type(error).__name__})"
        raise InputError(f"The data set {name!r}: {problem}. Convert it to text or numbers first.") from None
