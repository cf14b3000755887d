"""What all charts share: the frame with its words for screen readers, texts, patterns, and a bar with its value."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from toolbox.charts.markup import Markup, element, joined, shortened

LETTER = 8.2
"""Width of a letter in pixels, on average and with some room."""
LINE = 16
"""Height of a line of text in pixels."""


def text_width(text: str) -> float:
    """Return about how many pixels a text takes; letters of East Asia take two places, combining ones none.

    Examples
    --------
    >>> text_width("abc") < text_width("東京都")
    True
    """
    return LETTER * sum(_places(letter) for letter in text)


def _places(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def fitting(text: str, pixels: float) -> str:
    """Return a text, or as much of its beginning as there is room for.

    Examples
    --------
    >>> fitting("Secondary education", 80)
    'Secondar…'
    """
    text = shortened(text)
    if text_width(text) <= pixels:
        return text
    cuts = (shortened(text, most) for most in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if text_width(cut) <= pixels), "")


def label(text: str, x: float, y: float, *, anchor: str = "start", class_: str | None = None) -> Markup:
    """Return a text at a place."""
    return element("text", text, x=x, y=y, text_anchor=None if anchor == "start" else anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str = "c-grid") -> Markup:
    """Return a line."""
    return element("line", class_=class_, x1=x1, y1=y1, x2=x2, y2=y2)


def box(x: float, y: float, width: float, height: float, **look: str | None) -> Markup:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, **look)


@dataclass(frozen=True)
class Canvas:
    """The frame of one chart.

    Parameters
    ----------
    key : str
        A word that no other chart of the page has; the names of its parts begin with it.
    title : str
        What the chart shows, for screen readers.
    width : float
        In pixels; on a smaller screen the chart shrinks.
    focusable : bool
        Whether each mark can be reached by keyboard; else the chart is one picture, and its table has the figures.
    """

    key: str
    title: str
    width: float = 640
    focusable: bool = False

    def drawn(self, parts: list[Markup], height: float, description: str) -> Markup:
        """Return the chart.

        Parameters
        ----------
        description : str
            A sentence with the most important figures, for screen readers.
        """
        return element(
            "svg",
            element("title", shortened(self.title), id=f"{self.key}-title"),
            element("desc", description, id=f"{self.key}-desc"),
            self._patterns(),
            *parts,
            class_="c-chart",
            viewBox=f"0 0 {self.width:g} {height:g}",
            width=self.width,
            height=height,
            role="group" if self.focusable else "img",
            aria_labelledby=f"{self.key}-title",
            aria_describedby=f"{self.key}-desc",
        )

    def empty(self) -> Markup:
        """Return a chart that has nothing to show, and says so."""
        words = "There is nothing to show."
        return self.drawn([label(words, 0, LINE, class_="c-soft")], 1.4 * LINE, words)

    def mark(self, says: str, *parts: Markup) -> Markup:
        """Return what stands for one figure; it says the figure where a pointer rests on it, or the focus is."""
        if not self.focusable:
            return element("g", element("title", says), *parts, class_="c-mark")
        value = label(says, self.width / 2, LINE - 2, anchor="middle", class_="c-value")
        return element("g", *parts, value, class_="c-mark", tabindex="0", role="img", aria_label=says)

    def at_risk(self) -> dict[str, str | None]:
        """Return the look of what is at risk: hatched, so that it is not told by its colour alone."""
        return {"fill": f"url(#{self.key}-hatch)", "class_": "c-edge"}

    @staticmethod
    def safe() -> dict[str, str | None]:
        """Return the look of what is safe."""
        return {"class_": "c-safe"}

    def _patterns(self) -> Markup:
        hatch = element(
            "pattern",
            element("rect", width=6, height=6, class_="c-risk-ground"),
            element("path", d="M0 6L6 0M-1 1L1 -1M5 7L7 5", class_="c-risk-line"),
            id=f"{self.key}-hatch",
            width=6,
            height=6,
            patternUnits="userSpaceOnUse",
        )
        return element("defs", hatch)


def swatches(canvas: Canvas, safe: str, at_risk: str, y: float) -> Markup:
    """Return two words with the looks that they stand for."""
    second = 22 + text_width(safe) + 24
    return joined(
        [
            box(0, y - 11, 14, 12, **canvas.safe()),
            label(safe, 20, y),
            box(second, y - 11, 14, 12, **canvas.at_risk()),
            label(at_risk, second + 20, y),
        ]
    )
