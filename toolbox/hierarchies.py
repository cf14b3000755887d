"""Hierarchies that are built from the values of a column by a rule.

Each function returns a builder, for ``hierarchies=`` of every call that takes them; its `rows` show what it makes of
some values. In a configuration the same is written as ``<vgh build='intervals' width='5,10'/>``, on the command line as
``--hierarchy age=intervals:5,10``. See docs/hierarchies.md.

Each function that builds takes two more arguments. ``other`` says what becomes of a value that the hierarchy does not
know: it is an ``error``, or goes to the ``root`` at once. ``root`` is what the root is called.

`read` and `write` know the notations of other programs, `show` draws a tree, and `check` finds what is wrong with it:
docs/hierarchy_files.md.

A hierarchy as rows is edited by functions from rows to rows, which never change what they are given: `rename`, `move`,
`group`, `add_level`, `remove_level`, `add_values`, `remove_values`. `builders` lists all builders, `build` what one
makes, `faults` and `diff` say what is wrong with rows and what others would change, `rows_to_rules` and `rules_to_rows`
write and read them as rules: docs/hierarchy_edits.md.

Examples
--------
>>> import toolbox
>>> toolbox.hierarchies.prefix(3, 1).rows(["24700", "24981", "10115"])
[('10115', '101**', '1****', '*'), ('24700', '247**', '2****', '*'), ('24981', '249**', '2****', '*')]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from toolbox.flows.hierarchies.calls import build, check, diff, faults, read, rows_to_rules, rules_to_rows, show, write
from toolbox.hierarchy.builders.builder import Builder, Other, format_texts
from toolbox.hierarchy.builders.texts import Tree, find_parents
from toolbox.hierarchy.builders.words import BUILDERS, make_builder
from toolbox.hierarchy.editing import (
    HierarchyDiff,
    HierarchyFaults,
    add_level,
    add_values,
    group,
    move,
    remove_level,
    remove_values,
    rename,
)
from toolbox.hierarchy.hierarchy import ROOT
from toolbox.hierarchy.rows import Row

__all__ = [
    "Builder",
    "HierarchyDiff",
    "HierarchyFaults",
    "add_level",
    "add_values",
    "ages",
    "auto",
    "build",
    "builders",
    "check",
    "countries",
    "cuts",
    "dates",
    "diff",
    "email",
    "faults",
    "group",
    "icd10",
    "intervals",
    "ip",
    "move",
    "order",
    "prefix",
    "quantiles",
    "read",
    "remove_level",
    "remove_values",
    "rename",
    "rows_to_rules",
    "rules_to_rows",
    "show",
    "suffix",
    "telephone",
    "tree",
    "write",
]

Number: TypeAlias = float | str
"""A number, or its text where all of its digits matter, such as ``'0.1'``."""


def intervals(
    *width: Number,
    origin: Number = 0,
    bottom: Number | None = None,
    top: Number | None = None,
    other: Other = "error",
    root: str = ROOT,
) -> Builder:
    """Build intervals of equal widths.

    Parameters
    ----------
    *width : float
        Of each level, the narrowest first, each a multiple of the one before.
    origin : float
        Where an interval begins.
    bottom, top : float, optional
        All numbers below, and all from there on, are one on every level.

    Examples
    --------
    >>> intervals(5, 10, top=90).rows([23, 28, 97])
    [('23', '[20:25)', '[20:30)', '*'), ('28', '[25:30)', '[20:30)', '*'), ('97', '>=90', '>=90', '*')]
    """
    settings = {"width": _join_parts(width) or None, "origin": origin, "bottom": bottom, "top": top}
    return _make_builder("intervals", settings, other, root)


def cuts(*at: Sequence[Number], other: Other = "error", root: str = ROOT) -> Builder:
    """Build intervals between given numbers.

    Parameters
    ----------
    *at : sequence of float
        Where each level is cut, the narrowest first; a level has some of the cuts of the one before.

    Examples
    --------
    >>> cuts([18, 65], [65]).rows([7, 23, 80])
    [('7', '<18', '<65', '*'), ('23', '[18:65)', '<65', '*'), ('80', '>=65', '>=65', '*')]
    """
    return _make_builder("cuts", {"at": "/".join(map(_join_parts, at)) or None}, other, root)


def quantiles(*classes: int, other: Other = "error", root: str = ROOT) -> Builder:
    """Build intervals with about as many records each.

    Parameters
    ----------
    *classes : int
        Their number on each level, each a multiple of the next.

    Examples
    --------
    >>> quantiles(2).rows([1, 2, 3, 4])
    [('1', '<3', '*'), ('2', '<3', '*'), ('3', '>=3', '*'), ('4', '>=3', '*')]
    """
    return _make_builder("quantiles", {"classes": _join_parts(classes) or None}, other, root)


def dates(*periods: str, other: Other = "error", root: str = ROOT) -> Builder:
    """Build periods of dates.

    Parameters
    ----------
    *periods : {"hour", "day", "week", "month", "quarter", "year", "decade"}
        The shortest first.

    Examples
    --------
    >>> dates("month", "decade").rows(["1971-03-05"])
    [('1971-03-05', '1971-03', '1970s', '*')]
    """
    return _make_builder("dates", {"periods": ",".join(periods) or None}, other, root)


def ages(
    at: date | str,
    *,
    width: Sequence[int] = (1, 5, 10),
    bottom: int | None = None,
    top: int | None = None,
    other: Other = "error",
    root: str = ROOT,
) -> Builder:
    """Build ages of dates of birth, in completed years on one day.

    Parameters
    ----------
    at : date or str
        That day; nobody is born after it.
    width : sequence of int
        In years, of each level, the narrowest first, each a multiple of the one before.
    bottom, top : int, optional
        All who are younger, and all of that age and older, are one on every level.

    Examples
    --------
    >>> ages("2026-01-01", top=90).rows(["1930-05-01", "1971-03-05"])
    [('1930-05-01', '>=90', '>=90', '>=90', '*'), ('1971-03-05', '54', '[50:55)', '[50:60)', '*')]
    """
    settings = {"at": str(at), "width": _join_parts(width), "bottom": bottom, "top": top}
    return _make_builder("ages", settings, other, root)


def prefix(*keep: int, mask: str = "*", other: Other = "error", root: str = ROOT) -> Builder:
    """Hide all but the first characters of texts.

    Parameters
    ----------
    *keep : int
        Characters that stay on each level, the most first; without them one less on each.
    mask : str
        What stands for a hidden character; several characters stand for all hidden ones at once.

    Examples
    --------
    >>> prefix(2).rows(["SW1A", "SW1"]), prefix(2, mask="..").rows(["SW1A", "SW1"])
    ([('SW1', 'SW*', '*'), ('SW1A', 'SW**', '*')], [('SW1', 'SW..', '*'), ('SW1A', 'SW..', '*')])
    """
    return _make_builder("prefix", {"keep": _join_parts(keep) or None, "mask": mask}, other, root)


def suffix(*keep: int, mask: str = "*", other: Other = "error", root: str = ROOT) -> Builder:
    """Hide all but the last characters of texts, as `prefix` hides all but the first.

    Examples
    --------
    >>> suffix(2).rows(["A-17"])
    [('A-17', '**17', '*')]
    """
    return _make_builder("suffix", {"keep": _join_parts(keep) or None, "mask": mask}, other, root)


def icd10(*, other: Other = "error", root: str = ROOT) -> Builder:
    """Build category, block and chapter of diagnoses of ICD-10.

    Examples
    --------
    >>> icd10().rows(["E11.9"])
    [('E11.9', 'E11', 'E10-E14', 'E00-E90', '*')]
    """
    return _make_builder("icd10", {}, other, root)


def telephone(*keep: int, country: str | int | None = None, other: Other = "error", root: str = ROOT) -> Builder:
    """Build areas and countries of telephone numbers.

    Parameters
    ----------
    *keep : int
        Digits after the country code that stay on each level, the most first; without them 4 and 2.
    country : str, optional
        The country code of numbers that have none.

    Examples
    --------
    >>> telephone(3, country=43).rows(["0316 123456"])
    [('0316 123456', '+43 316..', '+43 ..', '*')]
    """
    return _make_builder("telephone", {"keep": _join_parts(keep) or None, "country": country}, other, root)


def countries(*, other: Other = "error", root: str = ROOT) -> Builder:
    """Build regions and continents of countries, by codes of two or three letters or by names in five languages.

    Examples
    --------
    >>> countries().rows(["AT", "JPN"])
    [('JPN', 'Eastern Asia', 'Asia', '*'), ('AT', 'Western Europe', 'Europe', '*')]
    """
    return _make_builder("countries", {}, other, root)


def ip(*, other: Other = "error", root: str = ROOT) -> Builder:
    """Build networks of addresses of the internet.

    Examples
    --------
    >>> ip().rows(["192.0.2.17"])
    [('192.0.2.17', '192.0.2.0/24', '192.0.0.0/16', '192.0.0.0/8', '*')]
    """
    return _make_builder("ip", {}, other, root)


def email(*, other: Other = "error", root: str = ROOT) -> Builder:
    """Build domains and top-level domains of addresses of e-mail.

    Examples
    --------
    >>> email().rows(["ada@example.org"])
    [('ada@example.org', '*@example.org', '*.org', '*')]
    """
    return _make_builder("email", {}, other, root)


def tree(
    rows: str | Path | Sequence[Sequence[str]] | Mapping[str, str],
    *,
    header: bool | None = None,
    other: Other = "error",
    root: str = ROOT,
) -> Builder:
    """Build the tree of children and their parents.

    Parameters
    ----------
    rows : path, mapping, or sequence of pairs
        A file with ``child;parent`` in each row; or the pairs themselves.
    header : bool, optional
        Whether the first row of the file names the columns; without it, if it says child and parent.

    Examples
    --------
    >>> tree({"Graz": "Styria", "Wien": "Vienna", "Styria": "Austria", "Vienna": "Austria"}).rows(["Graz"])
    [('Graz', 'Styria', 'Austria'), ('Wien', 'Vienna', 'Austria')]
    """
    if isinstance(rows, (str, Path)):
        return _make_builder("tree", {"file": str(rows), "header": header}, other, root)
    pairs = rows.items() if isinstance(rows, Mapping) else rows
    table = [Row(line, tuple(map(str, pair))) for line, pair in enumerate(pairs, start=1)]
    return replace(Tree(root=root, other=other), parents=MappingProxyType(find_parents(table, "rows")))


def order(
    values: str | Path | Sequence[str], *, size: Sequence[int] = (), other: Other = "error", root: str = ROOT
) -> Builder:
    """Build neighbours of categories that are in an order.

    Parameters
    ----------
    values : sequence of str, or path
        All categories in their order; or a file with one in each line.
    size : sequence of int
        How many neighbours become one on each level, each number a multiple of the one before; without it 2, 4, 8 ..

    Examples
    --------
    >>> order(["low", "mid", "high"], size=[2]).rows([])
    [('low', 'low..mid', '*'), ('mid', 'low..mid', '*'), ('high', 'high', '*')]
    """
    listed = {"file": str(values)} if isinstance(values, (str, Path)) else {"values": format_texts(values)}
    return _make_builder("order", {**listed, "size": _join_parts(size) or None}, other, root)


def auto(levels: int = 3, *, other: Other = "error", root: str = ROOT) -> Builder:
    """Build halves of halves from the data alone, with about as many records each.

    Parameters
    ----------
    levels : int
        How many levels lie below the root; fewer where there are few values.

    Examples
    --------
    >>> auto(1).rows([17, 23, 31, 48]), auto(1).rows(["Bern", "Graz", "Linz", "Wien"])[0]
    ([('17', '<30', '*'), ('23', '<30', '*'), ('31', '>=30', '*'), ('48', '>=30', '*')], ('Bern', 'Bern..Graz', '*'))
    """
    return _make_builder("auto", {"levels": levels}, other, root)


def builders() -> Mapping[str, type[Builder]]:
    """Return the builders that are installed, ours and those of others, by their names.

    What others install has no function here: ``hierarchies=`` of every call takes its words, such as ``name:3,1``.

    Examples
    --------
    >>> builders()["prefix"].title
    'Hide the last characters'
    """
    return BUILDERS.every().classes


def _join_parts(parts: Sequence[object]) -> str:
    return ",".join(map(str, parts))


def _make_builder(name: str, settings: Mapping[str, object], other: str, root: str) -> Builder:
    """Make a builder from its attributes, so that Python and the configuration say the same and refuse the same."""
    written = {setting: str(value) for setting, value in settings.items() if value is not None}
    return make_builder({"build": name, **written, "other": other, "root": root})
