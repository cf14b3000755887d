"""The notations of tables: a row for each value with its labels, or a row for each child and its parent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from toolbox.errors import ConfigurationError, Fault, quote, suggest_notation
from toolbox.hierarchy.builders.tree import Tree, find_parents
from toolbox.hierarchy.outline import Outline
from toolbox.hierarchy.rows import Row

# The notation of ARX, and ours: a row per value, with its label on each level, between semicolons.

_NEEDS_QUOTES = re.compile(r'[;,"\t\r\n]|^\s|\s$')
_MARK = "\ufeff"
"""A file that begins with it loses it, as it may be the mark of UTF-8; so it is written twice."""


def format_outline_table(outline: Outline) -> str:
    r"""Write an outline as a table, the root last.

    Examples
    --------
    >>> format_outline_table(Outline("*", (Outline("Styria", values=("Graz", "Bad Aussee; Altaussee")),)))
    'Graz;Styria;*\n"Bad Aussee; Altaussee";Styria;*\n'
    """
    return join_rows(outline.paths())


def join_rows(rows: Iterable[Sequence[str]]) -> str:
    """Write rows between semicolons, with quotes where a text needs them."""
    text = "".join(f"{';'.join(map(_quote_text, row))}\n" for row in rows)
    return _MARK + text if text.startswith(_MARK) else text


def _quote_text(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


# The notation of databases: a row ``child;parent`` for each value and each label.

_WIDTH = 2


def is_child_parent(rows: Sequence[Row]) -> bool:
    """Return whether rows look like children and parents: some parent is a child itself, and none its own."""
    if not rows or any(len(row.fields) != _WIDTH or row.fields[0] == row.fields[1] for row in rows):
        return False
    return not {row.fields[0] for row in rows}.isdisjoint(row.fields[1] for row in rows)


def convert_pairs(pairs: Sequence[Row], source: str, *, header: bool | None = None) -> list[Row]:
    """Turn children and their parents into rows of a value and its labels, as the builder ``tree`` does.

    A value is a child that is no parent. Where it lies less deep than others, it stands on the levels between as it is.
    Several texts without a parent get one, ``*``.

    Parameters
    ----------
    header : bool, optional
        Whether the first row is left out; without it, if it says child and parent.

    Raises
    ------
    ConfigurationError
        If a row has no two fields, a child has two parents, or is its own parent by any way; with all faults.

    Examples
    --------
    >>> pairs = [("Graz", "Styria"), ("Styria", "Austria"), ("Wien", "Austria")]
    >>> for row in convert_pairs([Row(line, pair) for line, pair in enumerate(pairs, start=1)], "places"):
    ...     print(row)
    Row(line=1, fields=('Graz', 'Styria', 'Austria'))
    Row(line=3, fields=('Wien', 'Wien', 'Austria'))
    """
    parents = find_parents(pairs, source, header=header)
    lines = {row.fields[0]: row.line for row in reversed(pairs)}
    paths = Tree(parents=parents).paths({})
    return [Row(lines[value], (value, *labels)) for value, labels in paths.items()]


def format_outline_pairs(outline: Outline, source: str) -> str:
    r"""Write an outline as rows of a child and its parent, parents last.

    Where a label stands on several levels one above the other, it is one node.

    Raises
    ------
    ConfigurationError
        With each text that stands for two nodes, as no row could tell which one is meant.

    Examples
    --------
    >>> styria, vienna = Outline("Styria", values=("Graz",)), Outline("Wien", values=("Wien",))
    >>> format_outline_pairs(Outline("Austria", (styria, vienna)), "places")
    'Graz;Styria\nStyria;Austria\nWien;Austria\n'
    """
    parents: dict[str, str] = {}
    faults: dict[str, Fault] = {}
    for path in outline.paths():
        names = [name for name, above in zip(path, (*path[1:], None), strict=True) if name != above]
        for child, parent in pairwise(names):
            if parents.setdefault(child, parent) != parent or child == outline.label:
                faults[child] = _make_ambiguity_fault(child)
        if len(names) == 1:
            faults[names[0]] = _make_ambiguity_fault(names[0])
        for blank in (name for name in names[:-1] if not name.strip()):
            problem = "A blank text is no child, with which a row of a child and its parent begins."
            faults[blank] = Fault(0, problem, suggest_notation("arx or utd"))
    labels = set(parents.values())
    faults |= {value: _make_ambiguity_fault(value) for value in outline.list_all_values() if value in labels}
    if faults:
        raise ConfigurationError(source, list(faults.values()))
    return join_rows(parents.items())


def _make_ambiguity_fault(name: str) -> Fault:
    problem = f"{quote(name)} stands for two nodes, which rows of a child and its parent cannot tell apart."
    return Fault(0, problem, suggest_notation("arx, utd or rules"))
