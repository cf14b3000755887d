"""The calls of Python for hierarchies: read, show, check and write them, and hierarchies as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from toolbox.config.model import Config
from toolbox.errors import SettingError, UsageError
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.checking import Coverage, compare_coverage
from toolbox.hierarchy.editing import (
    HierarchyDiff,
    HierarchyFaults,
    Rows,
    Table,
    build_hierarchy_table,
    compare_hierarchies,
)
from toolbox.hierarchy.notations import UTD, Notation, RuleFile, format_level_rules, parse_rules
from toolbox.hierarchy.outline import build_row_outline, convert_to_rows, make_row_hierarchy
from toolbox.hierarchy.rows import Row, require_table
from toolbox.messages import name_python_arguments

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from toolbox.flows.hierarchies.subject import HierarchyRequest
    from toolbox.report.explore.hierarchy import HierarchyCheck, HierarchyReport


# The calls of Python that read, show, check and write hierarchies, in any notation.

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
    from toolbox.flows.hierarchies.commands import read_listed_subject

    with name_python_arguments():
        asked = _read_request(path, column, notation=notation, header=header)
        if values is not None:
            asked = replace(asked, counts=_count_texts(values))
        subject = read_listed_subject(asked)
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
    from toolbox.flows.hierarchies.commands import show_hierarchy

    with name_python_arguments():
        return show_hierarchy(_read_request(hierarchy, column, data=data, table=table))


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
    from toolbox.flows.hierarchies.commands import check_hierarchy

    with name_python_arguments():
        return check_hierarchy(_read_request(hierarchy, column, data=data, table=table))


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
    from toolbox.flows.hierarchies.commands import convert_hierarchy, write_hierarchy

    with name_python_arguments():
        asked = _read_request(hierarchy, column)
        text, _ = convert_hierarchy(asked, _check_notation(notation))
        write_hierarchy(text, Path(path), asked)


def _check_notation(notation: Notation) -> Notation:
    if notation not in get_args(Notation):
        raise SettingError("notation", notation, f"one of {', '.join(map(repr, get_args(Notation)))}")
    return notation


def _read_request(
    hierarchy: AnyHierarchy | Config,
    column: str | None,
    *,
    data: Any = None,
    table: str | None = None,
    notation: Notation | None = None,
    header: bool | None = None,
) -> HierarchyRequest:
    """Return what a call asks about."""
    from toolbox.flows.arguments.checks import make_text_input
    from toolbox.flows.hierarchies.subject import HierarchyRequest, read_named_configuration

    found = None if data is None else _make_table(data)
    reading = replace(make_text_input(None, None), table=table)
    if isinstance(hierarchy, Config):
        return HierarchyRequest(config=hierarchy, column=column, data=found, reading=reading)
    if not isinstance(hierarchy, (str, Path)):
        return HierarchyRequest(rows=_read_rows(hierarchy), column=column, data=found, reading=reading)
    path = Path(hierarchy)
    known = None if notation is None else _check_notation(notation)
    config = read_named_configuration(path) if known in (None, UTD) else None
    files = () if config else (path,)
    return HierarchyRequest(
        files=files, config=config, notation=known, header=header, column=column, data=found, reading=reading
    )


def _make_table(data: Any) -> Path | pa.Table:
    from toolbox.store.input.memory import as_arrow

    return Path(data) if isinstance(data, (str, Path)) else as_arrow(data, mixed_as_texts=True)


def _read_rows(hierarchy: Any) -> tuple[Row, ...]:
    if isinstance(hierarchy, Mapping):
        rows: Any = convert_to_rows(hierarchy, "hierarchy")
    else:
        rows = hierarchy.to_numpy().tolist() if hasattr(hierarchy, "to_numpy") else hierarchy
    if not isinstance(rows, Sequence) or any(isinstance(row, str) or not isinstance(row, Sequence) for row in rows):
        raise UsageError(
            "The hierarchy is no table. Give a file, or rows of a value and its labels: [('8010', '80**')]."
        )
    return tuple(Row(line, tuple(map(str, row))) for line, row in enumerate(rows, start=1))


# The calls of Python for a hierarchy as rows: what builds it, its faults, another one beside it, and its rules.

_NAME = "the hierarchy"


def faults(rows: Rows, values: Iterable[str] | Mapping[str, int] | None = None) -> HierarchyFaults:
    """Find all that is wrong with the rows of a hierarchy, as data.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last; they need not be consistent.
    values : iterable of str, or mapping of str to int, optional
        Those of the column, or each with its records.

    Returns
    -------
    HierarchyFaults
        ``.holds``, ``.findings``, and ``.uncovered`` and ``.unused``: values without a path and paths without a value.

    Examples
    --------
    >>> found = faults([("Graz", "Styria", "Austria"), ("Leoben", "Styria", "Hungary")], ["Graz", "Wien"])
    >>> found.holds, found.uncovered, found.unused
    (False, ('Wien',), ('Leoben',))
    >>> [(finding.kind, finding.line) for finding in found.findings if finding.is_fault]
    [('two parents', 2), ('uncovered', 0)]
    """
    # Its checks ask the installed methods, which take long to import.
    from toolbox.flows.hierarchies.commands import check_hierarchy
    from toolbox.flows.hierarchies.subject import HierarchyRequest

    counts = None if values is None else _count_texts(values)
    table = _number_rows(rows)
    with name_python_arguments():
        found = check_hierarchy(HierarchyRequest(rows=tuple(table), counts=counts))
        if counts is None:
            return HierarchyFaults(findings=found.findings)
        cover = _compare_values(table, counts)
        # The check says nothing of the values where the rows contradict each other.
        more = () if found.outline else cover.findings()
        named = [row for row in table if row.fields]
    return HierarchyFaults(
        findings=(*found.findings, *more),
        uncovered=tuple(cover.uncovered),
        unused=tuple(dict.fromkeys(row.fields[0] for row in named if row.fields[0] not in cover.records)),
    )


def diff(old: Rows, new: Rows, values: Iterable[str] | Mapping[str, int] | None = None) -> HierarchyDiff:
    """Compare a hierarchy with one that may replace it.

    Parameters
    ----------
    old, new : sequence of rows
        A value and its label on each level, the root last. Old ones may be empty, new ones inconsistent.
    values : iterable of str, or mapping of str to int, optional
        Those of the column, or each with its records.

    Returns
    -------
    HierarchyDiff
        ``.added``, ``.removed`` and ``.moved`` values, ``.levels``, and the ``.faults`` of the new one.

    Examples
    --------
    >>> found = diff([("Graz", "Styria")], [("Graz", "South"), ("Wien", "East")], ["Graz"])
    >>> found.added, found.removed, [moved.value for moved in found.moved], found.faults.unused
    (('Wien',), (), ['Graz'], ('Wien',))
    """
    before, after = ([row.fields for row in _number_rows(rows)] for rows in (old, new))
    return compare_hierarchies(before, after, faults(new, values))


def build(
    rule: str | Builder,
    values: Iterable[str] | Mapping[str, int],
    *,
    date_format: str | None = None,
    decimal: str = ".",
    thousands: str = "",
) -> Table:
    """List what a builder makes of the values of a column, as it is on the day of a run.

    Parameters
    ----------
    rule : str or Builder
        As the command line writes it, ``intervals:5,10``, or as the functions of this module return it.
    values : iterable of str, or mapping of str to int
        Those of the column, or each with its records.
    date_format : str, optional
        How dates are written, such as ``%d.%m.%Y``; by default the only usual way in which all of them fit.
    decimal, thousands : str
        What stands before the decimals of numbers, and between their thousands.

    Returns
    -------
    list of tuple of str
        Each value with its label on each level, the root last.

    Raises
    ------
    UsageError
        If there is no such builder, its settings are wrong, or a value does not fit.

    Examples
    --------
    >>> build("intervals:10", ["23", "28", "31"])
    [('23', '[20:30)', '*'), ('28', '[20:30)', '*'), ('31', '[30:40)', '*')]
    """
    # It brings along what suggests kinds, which nothing else here needs.
    from toolbox.flows.hierarchies.values import build_rows, make_named_builder

    counts = _count_texts(values)
    if not counts:
        raise UsageError("There are no values to build a hierarchy of.")
    with name_python_arguments():
        builder = make_named_builder(rule) if isinstance(rule, str) else rule
        return [row.fields for row in build_rows(builder, counts, date_format, (decimal, thousands))]


def rules_to_rows(levels: Sequence[str]) -> Table:
    r"""Read rules such as ``17,18,19 => 15-19`` into rows.

    Parameters
    ----------
    levels : sequence of str, length >= 1
        The rules of each level, the narrowest first, one in each line. The first level names the values; those above
        name them again, or the labels of the level below.

    Returns
    -------
    list of tuple of str
        Each value with its label on each level; a root ``*`` is added above several labels.

    Raises
    ------
    UsageError
        With all faults of the rules, by level and line.

    Examples
    --------
    >>> rules_to_rows(["17,18 => 15-19\n21 => 20-24", "15-19,20-24 => 15-24"])
    [('17', '15-19', '15-24'), ('18', '15-19', '15-24'), ('21', '20-24', '15-24')]
    """
    if isinstance(levels, str):
        raise UsageError("The rules are one text. Give a list with the text of each level.")
    files = [RuleFile(f"level {number}", text) for number, text in enumerate(levels, start=1)]
    # A level without a rule would be none; two files are always taken as two levels.
    empty = [file.name for file in files if not file.text.strip()]
    if empty or not files:
        raise UsageError(f"There is no rule in {' and '.join(empty) or 'the list'}. Write 17,18,19 => 15-19.")
    with name_python_arguments():
        return build_hierarchy_table([row.fields for row in parse_rules(files, _NAME)])


def rows_to_rules(rows: Rows, *, of_labels: bool = False) -> list[str]:
    r"""Write rows as rules, with the values on the left of each.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level.
    of_labels : bool
        Whether the labels of the level below stand on the left instead, above the first level.

    Returns
    -------
    list of str
        The rules of each level, the narrowest first. A root ``*`` above several labels is left out, as it goes without
        saying.

    Raises
    ------
    UsageError
        With each text that rules cannot say, or all that is wrong with the rows.

    Examples
    --------
    >>> rows_to_rules([("17", "15-19", "*"), ("18", "15-19", "*"), ("21", "20-24", "*")])
    ['17,18 => 15-19\n21 => 20-24\n']
    """
    table = require_table(_number_rows(rows), _NAME)
    with name_python_arguments():
        make_row_hierarchy(table, _NAME, "category")  # raises what is wrong with them
        return format_level_rules(build_row_outline(table), _NAME, of_labels=of_labels)


def _number_rows(rows: Rows) -> list[Row]:
    return [Row(line, tuple(map(str, row))) for line, row in enumerate(rows, start=1)]


def _count_texts(values: Iterable[object] | Mapping[Any, int]) -> Counter[str]:
    """Return the records of each value by its text, as numbers and dates are values, too."""
    counts: Counter[str] = Counter()
    for value, count in values.items() if isinstance(values, Mapping) else Counter(values).items():
        counts[str(value)] += count
    return counts


def _compare_values(table: Sequence[Row], counts: Mapping[str, int]) -> Coverage:
    """Set the values against those of rows, which may contradict each other."""
    kind: Literal["number", "category"] = "category"
    with suppress(UsageError):
        kind = make_row_hierarchy(require_table(list(table), _NAME), _NAME, None).kind
    values = list(dict.fromkeys(row.fields[0] for row in table if row.fields))
    return compare_coverage(values, kind, counts, figures=(".", ""))
