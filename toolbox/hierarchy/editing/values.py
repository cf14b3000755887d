"""Edits of the values that a hierarchy has: more of them, less of them."""

from __future__ import annotations

from collections.abc import Collection

from toolbox.errors import UsageError
from toolbox.hierarchy.editing.table import (
    Rows,
    Table,
    kept,
    named,
    require_known,
    require_level,
    require_text,
    table_of,
)


def add_values(rows: Rows, values: Collection[str], level: int, label: str) -> Table:
    """Add values below a label; on the levels between they stand as they are.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    values : collection of str
        That the hierarchy lacks.
    level : int
        Where the label stands, from 1; that of the root is one, too.
    label : str

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If it has one of the values, or lacks the label.

    Examples
    --------
    >>> add_values([("Graz", "Styria", "*")], ["Oslo"], 2, "*")
    [('Graz', 'Styria', '*'), ('Oslo', 'Oslo', '*')]
    """
    table = table_of(rows)
    require_level(table, level, 1, len(table[0]) - 1)
    require_known(table, level, [label])
    known = {row[0] for row in table}
    if again := [value for value in dict.fromkeys(values) if value in known]:
        raise UsageError(f"The hierarchy has {named(again)} already. Move what is there.")
    above = next(row[level:] for row in table if row[level] == label)
    taken = {text for row in table for text in row[1:level]}
    for value in values:
        require_text(value)
        if value in taken:
            raise UsageError(f"{named([value])} is a label already. Choose a label of level 1 to put it below.")
    added = [(*(value,) * level, *above) for value in dict.fromkeys(values)]
    return kept(table, [*table, *added])


def remove_values(rows: Rows, values: Collection[str]) -> Table:
    """Remove values. A label that nothing is left below is gone.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    values : collection of str

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If it lacks one of the values, or none would be left.

    Examples
    --------
    >>> remove_values([("Graz", "Styria", "*"), ("Wien", "Vienna", "*")], ["Graz"])
    [('Wien', 'Vienna', '*')]
    """
    table = table_of(rows)
    require_known(table, 0, values)
    gone = frozenset(values)
    left = [row for row in table if row[0] not in gone]
    if not left:
        raise UsageError("No value would be left. Remove the hierarchy instead.")
    return left
