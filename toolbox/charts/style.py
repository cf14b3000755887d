"""The style sheet of the charts, for a page that holds some."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def style() -> str:
    """Return the style sheet, in light and dark; charts carry no styles of their own."""
    return files("toolbox.charts").joinpath("charts.css").read_text(encoding="utf-8")
