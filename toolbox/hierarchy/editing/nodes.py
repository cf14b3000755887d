"""Edits of single nodes: another name, another parent, a node for several."""

from __future__ import annotations

from collections.abc import Collection

from toolbox.errors import UsageError, quote
from toolbox.hierarchy.editing.levels import add_level
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


def rename(rows: Rows, level: int, label: str, name: str) -> Table:
    """Give a label, or a value, another name.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last, as `read` returns them.
    level : int
        Where the label stands; 0 for a value.
    label, name : str
        Its name, and the new one, which no other has on this level.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If there is no such label, or the name stands for other values already.

    Examples
    --------
    >>> rename([("Graz", "Styria", "*"), ("Wien", "Vienna", "*")], 1, "Styria", "South")
    [('Graz', 'South', '*'), ('Wien', 'Vienna', '*')]
    """
    table = table_of(rows)
    require_level(table, level, 0, len(table[0]) - 1)
    require_known(table, level, [label])
    require_text(name)
    if name != label and any(row[level] == name for row in table):
        remedy = "Choose another name, or move there what is below." if level else "Remove one of them."
        raise UsageError(f"Level {level} has {quote(name)} already. {remedy}")
    renamed = [(*row[:level], name, *row[level + 1 :]) if row[level] == label else row for row in table]
    return kept(table, renamed)


def move(rows: Rows, level: int, labels: Collection[str], parent: str) -> Table:
    """Put values or labels below another label of the next level, with all that is below them.

    A label that nothing is left below is gone.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        Where the labels stand; 0 for values.
    labels : collection of str
    parent : str
        On the level above.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If one of them is not there, or a label would stand for different values on two levels.

    Examples
    --------
    >>> move([("Graz", "Styria", "*"), ("Linz", "Styria", "*"), ("Wels", "Upper Austria", "*")],
    ...      0, ["Linz"], "Upper Austria")
    [('Graz', 'Styria', '*'), ('Linz', 'Upper Austria', '*'), ('Wels', 'Upper Austria', '*')]
    """
    table = table_of(rows)
    require_level(table, level, 0, len(table[0]) - 2)
    require_known(table, level, labels)
    require_known(table, level + 1, [parent])
    above = next(row[level + 1 :] for row in table if row[level + 1] == parent)
    chosen = frozenset(labels)
    return kept(table, [(*row[: level + 1], *above) if row[level] in chosen else row for row in table])


def group(rows: Rows, level: int, labels: Collection[str], name: str) -> Table:
    """Put values or labels below a new label.

    The new label stands below the narrowest that covers all of them. Directly below the root there is no room for it:
    a level is added then, on which all others keep their names. A label that nothing is left below is gone.

    Parameters
    ----------
    rows : sequence of rows
        A value and its label on each level, the root last.
    level : int
        Where the labels stand; 0 for values.
    labels : collection of str
    name : str
        Of the new label.

    Returns
    -------
    list of tuple of str

    Raises
    ------
    UsageError
        If one of them is not there, or the name stands for other values already.

    Examples
    --------
    >>> group([("Graz", "*"), ("Linz", "*"), ("Oslo", "*")], 0, ["Graz", "Linz"], "Austria")
    [('Graz', 'Austria', '*'), ('Linz', 'Austria', '*'), ('Oslo', 'Oslo', '*')]
    """
    table = table_of(rows)
    require_level(table, level, 0, len(table[0]) - 2)
    require_known(table, level, labels)
    require_text(name)
    if level == len(table[0]) - 2:
        table = add_level(table, level + 1)
    chosen = frozenset(labels)
    columns = list(zip(*(row for row in table if row[level] in chosen), strict=True))
    top = next(place for place in range(level + 2, len(columns)) if len(set(columns[place])) == 1)
    others = {label for row in table if row[level] not in chosen for label in row[level + 1 : top]}
    if name in others:
        raise UsageError(f"There is a label {named([name])} already. Choose another name, or move them there.")
    between = (name,) * (top - level - 1)
    grouped = [(*row[: level + 1], *between, *row[top:]) if row[level] in chosen else row for row in table]
    return kept(table, grouped)
