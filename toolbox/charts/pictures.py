"""The charts of this toolbox: classes by their size, records safe and at risk, a column before and after."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.charts.lying import bars
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import Row
from toolbox.charts.standing import histogram

_HALF = 352


def safe_at_risk(
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
        As `with_others` and `in_bins` return them; `AtRisk.values` are such rows.
    upright : bool
        Whether bars stand, as for numbers.

    Examples
    --------
    >>> chart = safe_at_risk([("Graz", 10, 2), ("Linz", 4, 0)], key="towns", title="Records by town")
    >>> "Graz: 2 of 12 records at risk" in chart, "at risk 2" in chart
    (True, True)
    """
    draw = histogram if upright else bars
    return draw(rows, key=key, title=title, focusable=focusable)


def class_sizes(
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
    >>> chart = class_sizes([("2", 0, 14), ("6 to 9", 310, 0)], key="sizes", title="Records by size of class")
    >>> "6 to 9: 0 of 310 records at risk" in chart
    True
    """
    shown = list(rows)
    if any(at_risk for *_, at_risk in shown):
        return histogram(shown, key=key, title=title, unit=unit, focusable=focusable)
    return histogram([(name, safe) for name, safe, _ in shown], key=key, title=title, unit=unit, focusable=focusable)


def before_after(
    before: Iterable[Row],
    after: Iterable[Row],
    *,
    key: str,
    title: str,
    upright: bool = False,
    unit: str = "records",
    focusable: bool = False,
) -> str:
    """Draw a column as it was, and beside it on the same scale as it is released.

    Parameters
    ----------
    before, after : iterable of (name, amount)
    upright : bool
        Whether bars stand, as for numbers.

    Examples
    --------
    >>> pair = before_after([("23", 1), ("25", 1)], [("[23:25]", 2)], key="age", title="age")
    >>> pair.count("<svg"), "age, after" in pair
    (2, True)
    """
    sides = {"before": list(before), "after": list(after)}
    highest = max((sum(row[1:]) for rows in sides.values() for row in rows), default=0)
    draw = histogram if upright else bars
    drawn = [
        element(
            "div",
            element("p", side, class_="c-side"),
            Markup(
                draw(
                    rows,
                    key=f"{key}-{side}",
                    title=f"{title}, {side}",
                    unit=unit,
                    scale_to=highest,
                    width=_HALF,
                    focusable=focusable,
                )
            ),
        )
        for side, rows in sides.items()
    ]
    return element("div", *drawn, class_="c-pair")
