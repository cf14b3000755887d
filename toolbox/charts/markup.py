"""Markup from texts that anybody may have written, which are escaped here, and the style sheet of the charts."""

from __future__ import annotations

import unicodedata
from functools import cache
from html import escape
from importlib.resources import files

from toolbox.messages import show

# Markup from texts that anybody may have written: what is not markup already is escaped where it meets markup.

_LONGEST = 200
"""Characters of a value or a name that are shown; nobody reads more of one."""
_VOID = {"meta", "hr", "br"}


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def escape_text(text: str) -> Markup:
    """Return a text as markup that shows it, whatever it holds.

    Characters that a page may not hold, and those that would turn the text around them, are shown as `�`.

    Examples
    --------
    >>> escape_text("</style> & co")
    '&lt;/style&gt; &amp; co'
    """
    if isinstance(text, Markup):
        return text
    text = show(text)
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_replace_invisible, text))
    return Markup(escape(text))


def _replace_invisible(letter: str) -> str:
    """Replace what no page may hold: controls, halves of characters, and orders to write to the left."""
    if letter in "\n\t":
        return " "
    return "�" if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") else letter


def shorten_text(text: str, most: int = _LONGEST) -> str:
    """Return a text, or the beginning of a long one.

    Examples
    --------
    >>> shorten_text("Secondary education", 10)
    'Secondary…'
    """
    text = show(text)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def element(name: str, *children: str, **attributes: str | float | None) -> Markup:
    """Return an element; an underscore at the end of an attribute is left out, others become hyphens.

    Examples
    --------
    >>> element("text", "a < b", class_="c-soft", text_anchor="end", x=1.50, y=None)
    '<text class="c-soft" text-anchor="end" x="1.5">a &lt; b</text>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape_text(_format_attribute(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{''.join(map(escape_text, children))}</{name}>")


def _format_attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{round(value, 2):g}"


def join_markup(parts: list[Markup]) -> Markup:
    """Put markup together."""
    return Markup("".join(parts))


# The style sheet of the charts, for a page that holds some.


@cache
def read_style() -> str:
    """Return the style sheet, in light and dark; charts carry no styles of their own."""
    return files("toolbox.charts").joinpath("charts.css").read_text(encoding="utf-8")
