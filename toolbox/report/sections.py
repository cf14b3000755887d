"""The parts that pages are made of: paragraphs, lists, sections, the day, and the file that stands alone."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from toolbox.charts import format_number
from toolbox.charts.markup import Markup, element, escape_text, join_markup, shorten_text

# The parts that sections are made of: paragraphs, lines of facts, lists, and the sections themselves.

_LONGEST_NOTE = 1000
_LEAST_DIGITS, _LARGE = 0.001, 1000


def render_paragraph(text: str, class_: str | None = None) -> Markup:
    """Return a paragraph."""
    return element("p", shorten_text(text, _LONGEST_NOTE), class_=class_)


def format_figure(figure: float) -> str:
    """Write a measured figure: four digits where they tell a figure from its bound, thousands apart where it is large.

    Examples
    --------
    >>> format_figure(45220), format_figure(67949026.4), format_figure(4.9982), format_figure(0.00002)
    ('45,220', '67,949,026.4', '4.998', '0.00002')
    """
    return f"{figure:.4g}" if _LEAST_DIGITS <= abs(figure) < _LARGE else format_number(figure)


def render_facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return lines of a name and what is said of it; lines that say nothing are left out."""
    said = [(name, text) for name, text in rows if text]
    lines = [
        element("div", element("dt", name), element("dd", shorten_text(text, _LONGEST_NOTE))) for name, text in said
    ]
    return element("dl", *lines, class_="facts")


def render_list(texts: Iterable[str], class_: str | None = None) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", shorten_text(text, _LONGEST_NOTE)) for text in texts), class_=class_)


def render_scrolling_table(table: str, name: str) -> Markup:
    """Return a table that scrolls sideways where a screen is small."""
    return element("div", Markup(table), class_="c-scroll", tabindex="0", role="group", aria_label=name)


def render_section(key: str, heading: str, *parts: Markup | None) -> Markup:
    """Return a section, which others can be led to by its key."""
    return element(
        "section", element("h2", heading, id=f"{key}-heading"), join_parts(*parts), aria_labelledby=f"{key}-heading"
    )


def join_parts(*parts: Markup | None) -> Markup:
    """Put parts together; None is nothing."""
    return join_markup([part for part in parts if part is not None])


# A page that stands alone: one file of HTML with its style in it, no script, and nothing that is fetched.


def render_standalone_page(title: str, body: Markup, style: str) -> str:
    """Return a whole page.

    Parameters
    ----------
    style : str
        The style sheet. The policy of the page allows it, by its checksum, and nothing else.
    """
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            '\n<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
            f"<title>{escape_text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
            body,
            "\n</body>\n</html>\n",
        ]
    )
