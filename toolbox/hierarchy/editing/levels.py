"""Edits of whole levels: one more, one less."""

from __future__ import annotations

from toolbox.errors import UsageError
from toolbox.hierarchy.builders.builder import DEEPEST
from toolbox.hierarchy.editing.table import Rows, Table, require_level, table_of


def add_level(rows: Rows, level: int) -> Table:
    """Add a level, on which all have the names of the level below, until they are grouped.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        Its number, from 1 to that of the root, which stays above it.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If there can be no such level.

    Examples
    --------
    >>> add_level([("Graz", "*"), ("Wien", "*")], 1)
    [('Graz', 'Graz', '*'), ('Wien', 'Wien', '*')]
    """
    table = table_of(rows)
    require_level(table, level, 1, len(table[0]) - 1)
    if len(table[0]) > DEEPEST:
        raise UsageError(f"There are {DEEPEST} levels, which is the most. Remove one first.")
    return [(*row[:level], *row[level - 1 :]) for row in table]


def remove_level(rows: Rows, level: int) -> Table:
    """Remove a level below the root: what is below it goes to the level above.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        From 1 to the one below the root.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If there is no such level.

    Examples
    --------
    >>> remove_level([("Graz", "Styria", "Austria", "*"), ("Bonn", "NRW", "Germany", "*")], 1)
    [('Graz', 'Austria', '*'), ('Bonn', 'Germany', '*')]
    """
    table = table_of(rows)
    require_level(table, level, 1, len(table[0]) - 2)
    return [(*row[:level], *row[level + 1 :]) for row in table]
