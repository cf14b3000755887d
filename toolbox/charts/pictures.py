"""The charts of this toolbox: classes by their size, records safe and at risk, a column before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolbox.charts.bar_charts import draw_bars, draw_histogram
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import Row, count_in_bins, render_figure, render_table

# The charts of this toolbox: classes by their size, records safe and at risk, a column before and after.

_HALF = 352


def draw_safe_at_risk(
    rows: Iterable[tuple[str | float | None, int, int]],
    *,
    key: str,
    title: str,
    upright: bool = False,
    focusable: bool = False,
) -> str:
    """Draw the records of each value, those at risk hatched upon those that are safe.

    Parameters
    ----------
    rows : iterable of (value, safe, at risk)
        As `group_small_rows` and `group_into_bins` return them; `AtRisk.values` are such rows.
    upright : bool
        Whether bars stand, as for numbers.

    Examples
    --------
    >>> chart = draw_safe_at_risk([("Graz", 10, 2), ("Linz", 4, 0)], key="towns", title="Records by town")
    >>> "Graz: 2 of 12 records at risk" in chart, "at risk 2" in chart
    (True, True)
    """
    draw = draw_histogram if upright else draw_bars
    return draw(rows, key=key, title=title, focusable=focusable)


def draw_class_sizes(
    rows: Iterable[tuple[str, int, int]], *, key: str, title: str, unit: str = "records", focusable: bool = False
) -> str:
    """Draw how many records are in classes of each size, those in too small ones hatched.

    Parameters
    ----------
    rows : iterable of (name, safe, at risk)
        Such as ``("2", 0, 14)`` and ``("6 to 9", 310, 0)``, the smallest classes first.
    unit : str
        What is counted, where it is not records.

    Examples
    --------
    >>> chart = draw_class_sizes([("2", 0, 14), ("6 to 9", 310, 0)], key="sizes", title="Records by size of class")
    >>> "6 to 9: 0 of 310 records at risk" in chart
    True
    """
    shown = list(rows)
    if any(at_risk for *_, at_risk in shown):
        return draw_histogram(shown, key=key, title=title, unit=unit, focusable=focusable)
    return draw_histogram(
        [(name, safe) for name, safe, _ in shown], key=key, title=title, unit=unit, focusable=focusable
    )


def draw_before_after(
    before: Iterable[Row],
    after: Iterable[Row],
    *,
    key: str,
    title: str,
    upright: bool = False,
    unit: str = "records",
    focusable: bool = False,
    sides: tuple[str, str] = ("before", "after"),
) -> str:
    """Draw a column as it was, and beside it on the same scale as it is released.

    Parameters
    ----------
    before, after : iterable of (name, amount)
    upright : bool
        Whether bars stand, as for numbers.
    sides : (str, str)
        What stands above the two.

    Examples
    --------
    >>> pair = draw_before_after([("23", 1), ("25", 1)], [("[23:25]", 2)], key="age", title="age")
    >>> pair.count("<svg"), "age, after" in pair
    (2, True)
    """
    shown = [list(before), list(after)]
    highest = max((sum(row[1:]) for rows in shown for row in rows), default=0)
    draw = draw_histogram if upright else draw_bars
    drawn = [
        element(
            "div",
            element("p", side, class_="c-side"),
            Markup(
                draw(
                    rows,
                    key=f"{key}-{place}",
                    title=f"{title}, {side}",
                    unit=unit,
                    scale_to=highest,
                    width=_HALF,
                    focusable=focusable,
                )
            ),
        )
        for place, side, rows in zip(("before", "after"), sides, shown, strict=True)
    ]
    return element("div", *drawn, class_="c-pair")


# How many records are in classes of each size: several sizes in one bar, and those below k apart.

SIZES = "Records by the size of their class"


class SizeBar(NamedTuple):
    """The classes of one size, or of several."""

    first: int
    """Their smallest size."""
    name: str
    """Such as ``6 to 9``."""
    classes: int
    safe: int
    """Records in those of k or more."""
    at_risk: int
    """Records in smaller ones."""

    @property
    def records(self) -> int:
        """In all of these classes."""
        return self.safe + self.at_risk

    @property
    def drawn(self) -> tuple[str, int, int]:
        """The row of a chart."""
        return self.name, self.safe, self.at_risk


def group_class_sizes(sizes: Iterable[Sequence[int]], k: int) -> list[SizeBar]:
    """Group classes by size into bars, the smallest first; leave out bars without a class.

    Parameters
    ----------
    sizes : iterable of (size, classes)
        How many classes there are of each size.
    k : int
        Records of smaller classes are at risk.

    Examples
    --------
    >>> list(map(tuple, group_class_sizes([(2, 1), (6, 1), (9, 2)], 3)))
    [(2, '2', 1, 0, 2), (6, '6 to 9', 3, 24, 0)]
    """
    counted = [(size, classes, size * classes) for size, classes in sizes]
    small = {
        row.first: row.amount for row in count_in_bins((size, records) for size, _, records in counted if size < k)
    }
    classes = {row.first: row.amount for row in count_in_bins((size, classes) for size, classes, _ in counted)}
    return [
        SizeBar(row.first, row.name, classes[row.first], row.amount - small.get(row.first, 0), small.get(row.first, 0))
        for row in count_in_bins((size, records) for size, _, records in counted)
    ]


def pair_bars(before: Iterable[SizeBar], after: Iterable[SizeBar]) -> list[tuple[SizeBar, SizeBar]]:
    """Pair the bars of both, so that they can stand on one scale; where one has no such classes, its bar is empty."""
    sides = [{bar.first: bar for bar in side} for side in (before, after)]
    names = {bar.first: bar.name for side in sides for bar in side.values()}
    pairs = [[side.get(first, SizeBar(first, names[first], 0, 0, 0)) for side in sides] for first in sorted(names)]
    return [(old, new) for old, new in pairs]


def render_sizes_figure(before: Iterable[SizeBar], after: Iterable[SizeBar], *, key: str, caption: str) -> str:
    """Draw the classes before and after on one scale, with the same as a table below.

    Parameters
    ----------
    key : str
        A word that no other chart of the page has.
    """
    pairs = pair_bars(before, after)
    drawn = draw_before_after(
        [old.drawn for old, _ in pairs], [new.drawn for _, new in pairs], key=key, title=SIZES, upright=True
    )
    figures = [(old.name, old.records, new.records) for old, new in pairs]
    shown = render_table(["records in the class", "records before", "records after"], figures)
    return render_figure(drawn, shown, caption=caption, label=SIZES)
