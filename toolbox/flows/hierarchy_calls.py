"""The calls of Python that read, show, check and write hierarchies, in any notation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from toolbox.config.model import Config
from toolbox.errors import SettingError, UsageError
from toolbox.hierarchy.from_mapping import rows_of
from toolbox.hierarchy.notations.reading import UTD, Notation
from toolbox.hierarchy.rows import Row
from toolbox.messages import asked_in_python

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from toolbox.flows.hierarchy_asked import Asked
    from toolbox.report.hierarchy import HierarchyCheck, HierarchyReport

AnyHierarchy: TypeAlias = "str | Path | pd.DataFrame | Sequence[Sequence[object]] | Mapping[Any, Any]"
"""A file in any notation; or rows of a value and its labels, or a dict, as ``hierarchies=`` takes them."""


def read(
    path: str | Path | Config,
    *,
    notation: Notation | None = None,
    header: bool | None = None,
    column: str | None = None,
    values: Iterable[str] | Mapping[str, int] | None = None,
) -> list[tuple[str, ...]]:
    """Read a hierarchy file in any notation, for ``hierarchies=``.

    Parameters
    ----------
    path : path, or Config
        A file; or a configuration that declares the hierarchy of the column.
    notation : {'arx', 'utd', 'rules', 'child-parent'}, optional
        None: what the content says.
    header : bool, optional
        Whether the first line names columns; None: what it looks like.
    column : str, optional
        The column of the configuration, or the name with which a header begins.
    values : iterable of str, or mapping of str to int, optional
        Those of the column, or each with its records, where the configuration declares intervals or a builder.

    Returns
    -------
    list of tuple of str
        Each value with its label on each level, the root last.

    Raises
    ------
    UsageError
        With all faults of the file, by line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "age.txt")
    ...     characters = path.write_text("17,18,19 => 15-19", encoding="utf-8")
    ...     read(path)
    [('17', '15-19'), ('18', '15-19'), ('19', '15-19')]
    """
    from toolbox.flows.hierarchy_writing import listed_subject

    with asked_in_python():
        asked = _asked(path, column, notation=notation, header=header)
        if values is not None:
            asked = replace(asked, counts=values if isinstance(values, Mapping) else Counter(values))
        subject = listed_subject(asked)
    return list(subject.outline.paths())


def show(
    hierarchy: AnyHierarchy, *, data: Any = None, column: str | None = None, table: str | None = None
) -> HierarchyReport:
    """Look at a hierarchy: its levels, and a picture of the tree.

    Parameters
    ----------
    hierarchy : path, rows, DataFrame or dict
    data : path, pandas.DataFrame or pyarrow.Table, optional
        Whose records are counted.
    column : str, optional
        Of the data, or of the configuration that is the hierarchy.
    table : str, optional
        The sheet or the table of the data, where a file holds several.

    Returns
    -------
    HierarchyReport
        ``str()`` is the picture, ``.document()`` all of it.

    Raises
    ------
    UsageError
        With all faults of the hierarchy, by line.

    Examples
    --------
    >>> print(str(show({"Graz": "Styria", "Leoben": "Styria", "Wien": "Vienna"})).split("*  ")[1])
    3 values
    ├── Styria  2 values: Graz, Leoben
    └── Vienna  1 value: Wien
    """
    from toolbox.flows.hierarchy import show_hierarchy

    with asked_in_python():
        return show_hierarchy(_asked(hierarchy, column, data=data, table=table))


def check(
    hierarchy: AnyHierarchy, *, data: Any = None, column: str | None = None, table: str | None = None
) -> HierarchyCheck:
    """Find what is wrong with a hierarchy, and which values of the data it lacks.

    Parameters
    ----------
    hierarchy : path, rows, DataFrame or dict
    data : path, pandas.DataFrame or pyarrow.Table, optional
    column : str, optional
        Of the data, or of the configuration that is the hierarchy.
    table : str, optional
        The sheet or the table of the data, where a file holds several.

    Returns
    -------
    HierarchyCheck
        ``.holds``, and ``.findings`` with ``kind``, ``line``, ``text`` and ``is_fault`` of each.

    Raises
    ------
    UsageError
        If the data, or the file, are not there.

    Examples
    --------
    >>> found = check([("19", "15-19", "*"), ("20", "15-19", "*"), ("21", "20-24", "*")])
    >>> found.holds, found.findings[0].text
    (False, "The label '15-19' covers 20 beyond its bounds. Correct it, or move the value.")
    """
    from toolbox.flows.hierarchy import check_hierarchy

    with asked_in_python():
        return check_hierarchy(_asked(hierarchy, column, data=data, table=table))


def write(hierarchy: AnyHierarchy, path: str | Path, *, notation: Notation = "arx", column: str | None = None) -> None:
    """Write a hierarchy to a file, in any notation; an older file is replaced.

    Parameters
    ----------
    hierarchy : path, rows, DataFrame or dict
    path : path
    notation : {'arx', 'utd', 'rules', 'child-parent'}
    column : str, optional
        What an ``<att>`` is called, or the column of the configuration that is the hierarchy.

    Raises
    ------
    UsageError
        With all faults of the hierarchy, or all that the notation cannot say.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write({"Graz": "Styria", "Wien": "Vienna"}, Path(folder, "towns.txt"), notation="rules")
    ...     print(Path(folder, "towns.txt").read_text(encoding="utf-8"), end="")
    Graz => Styria
    Wien => Vienna
    """
    from toolbox.flows.hierarchy_writing import converted, write_hierarchy

    with asked_in_python():
        asked = _asked(hierarchy, column)
        text, _ = converted(asked, _known(notation))
        write_hierarchy(text, Path(path), asked)


def _known(notation: Notation) -> Notation:
    if notation not in get_args(Notation):
        raise SettingError("notation", notation, f"one of {', '.join(map(repr, get_args(Notation)))}")
    return notation


def _asked(
    hierarchy: AnyHierarchy | Config,
    column: str | None,
    *,
    data: Any = None,
    table: str | None = None,
    notation: Notation | None = None,
    header: bool | None = None,
) -> Asked:
    """Return what a call asks about."""
    from toolbox.flows.hierarchy_asked import Asked
    from toolbox.flows.hierarchy_declared import named_configuration
    from toolbox.flows.text_input import text_input

    found = None if data is None else _table(data)
    reading = replace(text_input(None, None), table=table)
    if isinstance(hierarchy, Config):
        return Asked(config=hierarchy, column=column, data=found, reading=reading)
    if not isinstance(hierarchy, (str, Path)):
        return Asked(rows=_rows(hierarchy), column=column, data=found, reading=reading)
    path = Path(hierarchy)
    known = None if notation is None else _known(notation)
    config = named_configuration(path) if known in (None, UTD) else None
    files = () if config else (path,)
    return Asked(files=files, config=config, notation=known, header=header, column=column, data=found, reading=reading)


def _table(data: Any) -> Path | pa.Table:
    from toolbox.store.caller import as_arrow

    return Path(data) if isinstance(data, (str, Path)) else as_arrow(data, mixed_as_texts=True)


def _rows(hierarchy: Any) -> tuple[Row, ...]:
    if isinstance(hierarchy, Mapping):
        rows: Any = rows_of(hierarchy, "hierarchy")
    else:
        rows = hierarchy.to_numpy().tolist() if hasattr(hierarchy, "to_numpy") else hierarchy
    if not isinstance(rows, Sequence) or any(isinstance(row, str) or not isinstance(row, Sequence) for row in rows):
        raise UsageError(
            "The hierarchy is no table. Give a file, or rows of a value and its labels: [('8010', '80**')]."
        )
    return tuple(Row(line, tuple(map(str, row))) for line, row in enumerate(rows, start=1))
