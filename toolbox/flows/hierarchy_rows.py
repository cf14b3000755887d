"""The calls of Python for a hierarchy as rows: what builds it, its faults, another one beside it, and its rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from toolbox.errors import UsageError
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.coverage import Coverage, coverage
from toolbox.hierarchy.editing.comparing import HierarchyDiff, HierarchyFaults, compared
from toolbox.hierarchy.editing.table import Rows, Table, table_of
from toolbox.hierarchy.from_file import hierarchy_of_rows
from toolbox.hierarchy.notations.rules import RuleFile, rows_of_rules, rules_by_level
from toolbox.hierarchy.outline import outline_of_rows
from toolbox.hierarchy.rows import Row, checked
from toolbox.messages import asked_in_python

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
    from toolbox.flows.hierarchy import check_hierarchy
    from toolbox.flows.hierarchy_asked import Asked

    counts = values if isinstance(values, Mapping) or values is None else Counter(values)
    table = _numbered(rows)
    with asked_in_python():
        found = check_hierarchy(Asked(rows=tuple(table), counts=counts))
        if counts is None:
            return HierarchyFaults(findings=found.findings)
        cover = _coverage(table, counts)
        # The check says nothing of the values where the rows contradict each other.
        more = () if found.outline else cover.findings()
    return HierarchyFaults(
        findings=(*found.findings, *more),
        uncovered=tuple(cover.uncovered),
        unused=tuple(dict.fromkeys(row.fields[0] for row in table if row.fields[0] not in cover.records)),
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
    return compared(old, new, faults(new, values))


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
    from toolbox.flows.built_rows import builder_named, built_rows

    counts = values if isinstance(values, Mapping) else Counter(values)
    if not counts:
        raise UsageError("There are no values to build a hierarchy of.")
    with asked_in_python():
        builder = builder_named(rule) if isinstance(rule, str) else rule
        return [row.fields for row in built_rows(builder, counts, date_format, (decimal, thousands))]


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
    with asked_in_python():
        return table_of([row.fields for row in rows_of_rules(files, _NAME)])


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
    table = checked(_numbered(rows), _NAME)
    with asked_in_python():
        hierarchy_of_rows(table, _NAME, "category")  # raises what is wrong with them
        return rules_by_level(outline_of_rows(table), _NAME, of_labels=of_labels)


def _numbered(rows: Rows) -> list[Row]:
    return [Row(line, tuple(row)) for line, row in enumerate(rows, start=1)]


def _coverage(table: Sequence[Row], counts: Mapping[str, int]) -> Coverage:
    """Set the values against those of rows, which may contradict each other."""
    kind: Literal["number", "category"] = "category"
    with suppress(UsageError):
        kind = hierarchy_of_rows(checked(list(table), _NAME), _NAME, None).kind
    values = list(dict.fromkeys(row.fields[0] for row in table if row.fields))
    return coverage(values, kind, counts, figures=(".", ""))
