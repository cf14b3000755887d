"""The notation of databases: a row ``child;parent`` for each value and each label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from toolbox.errors import ConfigurationError, Fault, quote
from toolbox.hierarchy.notations.table import joined
from toolbox.hierarchy.outline import Outline
from toolbox.hierarchy.rows import Row

_WIDTH = 2
_FEWEST_OTHERS = 3


def is_child_parent(rows: Sequence[Row]) -> bool:
    """Return whether rows look like children and parents: some parent is a child itself, and none its own."""
    if not rows or any(len(row.fields) != _WIDTH or row.fields[0] == row.fields[1] for row in rows):
        return False
    return not {row.fields[0] for row in rows}.isdisjoint(row.fields[1] for row in rows)


def without_header(rows: Sequence[Row], *, header: bool | None) -> tuple[list[Row], str]:
    """Leave out the first row if it names the columns, and say so where nobody said it.

    Parameters
    ----------
    header : bool, optional
        Whether it does; None: it does if no other row has either of its texts.
    """
    first, rest = list(rows[:1]), list(rows[1:])
    if header is not None:
        return (rest if header else [*first, *rest]), ""
    others = {text for row in rest for text in row.fields}
    if len(rest) < _FEWEST_OTHERS or not others.isdisjoint(first[0].fields):
        return [*first, *rest], ""
    return rest, f"Line {first[0].line} is taken for a header, and left out."


def rows_of_pairs(pairs: Sequence[Row], source: str) -> list[Row]:
    """Turn children and their parents into rows of a value and its labels.

    A value is a child that is no parent. Where it lies less deep than others, it stands on the levels between as it is.

    Raises
    ------
    ConfigurationError
        If a row has no two fields, a child has two parents, is its own parent by any way, or there are several roots.

    Examples
    --------
    >>> pairs = [("Graz", "Styria"), ("Styria", "Austria"), ("Wien", "Austria")]
    >>> for row in rows_of_pairs([Row(line, pair) for line, pair in enumerate(pairs, start=1)], "places"):
    ...     print(row)
    Row(line=1, fields=('Graz', 'Styria', 'Austria'))
    Row(line=3, fields=('Wien', 'Wien', 'Austria'))
    """
    faults = [fault for row in pairs for fault in _row_faults(row)]
    if not pairs:
        faults.append(Fault(0, "The hierarchy is empty.", "Write a row for each child: Graz;Styria."))
    parents: dict[str, Row] = {}
    for row in pairs if not faults else ():
        first = parents.setdefault(row.fields[0], row)
        if first is row:
            continue
        if first.fields == row.fields:
            faults.append(Fault(row.line, f"The row stands in line {first.line} already.", "Keep one of them."))
        else:
            problem = f"{quote(row.fields[0])} has another parent in line {first.line}."
            faults.append(Fault(row.line, problem, "Give each child one parent."))
    if not faults:
        faults += [*_cycles(parents), *_roots(parents)]
    if faults:
        raise ConfigurationError(source, faults)
    labels = {row.fields[1] for row in pairs}
    paths = [(row.line, _path(row.fields[0], parents)) for row in pairs if row.fields[0] not in labels]
    longest = max(len(path) for _, path in paths)
    return [Row(line, (path[0],) * (longest - len(path)) + path) for line, path in paths]


def _row_faults(row: Row) -> Iterator[Fault]:
    remedy = "Write a child and its parent: Graz;Styria."
    if len(row.fields) != _WIDTH:
        yield Fault(row.line, f"The row has {len(row.fields):,} fields.", remedy)
    elif "" in row.fields:
        yield Fault(row.line, "The row has an empty field.", remedy)
    elif any("\0" in text for text in row.fields):
        yield Fault(row.line, "The row holds the control character U+0000.", "Remove it.")


def _path(value: str, parents: dict[str, Row]) -> tuple[str, ...]:
    path = [value]
    while (row := parents.get(path[-1])) is not None:
        path.append(row.fields[1])
    return tuple(path)


def _cycles(parents: dict[str, Row]) -> Iterator[Fault]:
    """Yield a fault for each circle of parents."""
    ended: set[str] = set()
    for start in parents:
        way: dict[str, None] = {}
        name = start
        while name in parents and name not in ended and name not in way:
            way[name] = None
            name = parents[name].fields[1]
        if name in way:
            circle = list(way)[list(way).index(name) :]
            lines = sorted(parents[child].line for child in circle)
            if len(lines) == 1:
                problem = f"{quote(name)} is its own parent."
            else:
                problem = f"{quote(name)} is above itself: by the lines {', '.join(map(str, lines[:10]))}" + (
                    f" and {len(lines) - 10:,} more." if len(lines) > 10 else "."
                )
            yield Fault(lines[0], problem, "Let the parents of each child end at one root.")
        ended.update(way)


def _roots(parents: dict[str, Row]) -> Iterator[Fault]:
    """Yield a fault for each root but the first."""
    roots: dict[str, int] = {}
    for row in parents.values():
        if row.fields[1] not in parents:
            roots.setdefault(row.fields[1], row.line)
    first, *others = roots or [""]
    for root in others:
        problem = f"{quote(root)} has no parent, nor has {quote(first)} of line {roots[first]}: these are two roots."
        yield Fault(roots[root], problem, f"Give both one parent: {root};* and {first};*")


def pairs_text(outline: Outline, source: str) -> str:
    r"""Write an outline as rows of a child and its parent, parents last.

    Where a label stands on several levels one above the other, it is one node.

    Raises
    ------
    ConfigurationError
        With each text that stands for two nodes, as no row could tell which one is meant.

    Examples
    --------
    >>> styria, vienna = Outline("Styria", values=("Graz",)), Outline("Wien", values=("Wien",))
    >>> pairs_text(Outline("Austria", (styria, vienna)), "places")
    'Graz;Styria\nStyria;Austria\nWien;Austria\n'
    """
    parents: dict[str, str] = {}
    faults: dict[str, Fault] = {}
    for path in outline.paths():
        names = [name for name, above in zip(path, (*path[1:], None), strict=True) if name != above]
        for child, parent in pairwise(names):
            if parents.setdefault(child, parent) != parent or child == outline.label:
                faults[child] = _two_nodes(child)
        if len(names) == 1:
            faults[names[0]] = _two_nodes(names[0])
    labels = set(parents.values())
    faults |= {value: _two_nodes(value) for value in outline.all_values() if value in labels}
    if faults:
        raise ConfigurationError(source, list(faults.values()))
    return joined(parents.items())


def _two_nodes(name: str) -> Fault:
    problem = f"{quote(name)} stands for two nodes, which rows of a child and its parent cannot tell apart."
    return Fault(0, problem, "Choose another notation: --to arx, utd or rules.")
