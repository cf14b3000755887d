"""The parts that sections are made of: paragraphs, lines of facts, lists, and the sections themselves."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.charts import written
from toolbox.charts.markup import Markup, element, joined, shortened

_LONGEST_NOTE = 1000
_LEAST_DIGITS, _LARGE = 0.001, 1000


def paragraph(text: str, class_: str | None = None) -> Markup:
    """Return a paragraph."""
    return element("p", shortened(text, _LONGEST_NOTE), class_=class_)


def precise(figure: float) -> str:
    """Write a measured figure: four digits where they tell a figure from its bound, thousands apart where it is large.

    Examples
    --------
    >>> precise(45220), precise(67949026.4), precise(4.9982), precise(0.00002)
    ('45,220', '67,949,026.4', '4.998', '0.00002')
    """
    return f"{figure:.4g}" if _LEAST_DIGITS <= abs(figure) < _LARGE else written(figure)


def facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return lines of a name and what is said of it; lines that say nothing are left out."""
    said = [(name, text) for name, text in rows if text]
    lines = [element("div", element("dt", name), element("dd", shortened(text, _LONGEST_NOTE))) for name, text in said]
    return element("dl", *lines, class_="facts")


def listed(texts: Iterable[str], class_: str | None = None) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", shortened(text, _LONGEST_NOTE)) for text in texts), class_=class_)


def scrolling(table: str, name: str) -> Markup:
    """Return a table that scrolls sideways where a screen is small."""
    return element("div", Markup(table), class_="c-scroll", tabindex="0", role="group", aria_label=name)


def section(key: str, heading: str, *parts: Markup | None) -> Markup:
    """Return a section, which others can be led to by its key."""
    return element(
        "section", element("h2", heading, id=f"{key}-heading"), all_of(*parts), aria_labelledby=f"{key}-heading"
    )


def all_of(*parts: Markup | None) -> Markup:
    """Put parts together; None is nothing."""
    return joined([part for part in parts if part is not None])
