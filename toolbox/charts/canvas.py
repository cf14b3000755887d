"""What all charts share: the frame with its words for screen readers, and where a chart puts a number."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass

from toolbox.charts.markup import Markup, element, shorten_text
from toolbox.messages import say, write_figure

# What all charts share: the frame with its words for screen readers, texts, patterns, and a bar with its value.

LETTER = 8.2
"""Width of a letter in pixels, on average and with some room."""
LINE = 16
"""Height of a line of text in pixels."""


def measure_text_width(text: str) -> float:
    """Return about how many pixels a text takes; letters of East Asia take two places, combining ones none.

    Examples
    --------
    >>> measure_text_width("abc") < measure_text_width("東京都")
    True
    """
    return LETTER * sum(_count_places(letter) for letter in text)


def _count_places(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def label(text: str, x: float, y: float, *, anchor: str = "start", class_: str | None = None) -> Markup:
    """Return a text at a place."""
    return element("text", text, x=x, y=y, text_anchor=None if anchor == "start" else anchor, class_=class_)


def draw_line(x1: float, y1: float, x2: float, y2: float, class_: str = "c-grid") -> Markup:
    """Return a line."""
    return element("line", class_=class_, x1=x1, y1=y1, x2=x2, y2=y2)


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

    def drawn(
        self,
        parts: list[Markup],
        height: float,
        description: str,
        *,
        class_: str = "c-chart",
        xmlns: str | None = None,
        font_family: str | None = None,
    ) -> Markup:
        """Return the chart.

        Parameters
        ----------
        description : str
            A sentence with the most important figures, for screen readers.
        class_, xmlns, font_family : str, optional
            Attributes of the element; those of a file of its own are needless in a page.
        """
        return element(
            "svg",
            element("title", shorten_text(self.title), id=f"{self.key}-title"),
            element("desc", description, id=f"{self.key}-desc"),
            self._draw_patterns(),
            *parts,
            xmlns=xmlns,
            font_family=font_family,
            class_=class_,
            viewBox=f"0 0 {self.width:g} {height:g}",
            width=self.width,
            height=height,
            role="group" if self.focusable else "img",
            aria_labelledby=f"{self.key}-title",
            aria_describedby=f"{self.key}-desc",
        )

    def empty(self) -> Markup:
        """Return a chart that has nothing to show, and says so."""
        words = say("There is nothing to show.")
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

    def _draw_patterns(self) -> Markup:
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


# Where a chart puts a number: round ticks, and how ticks and figures are written.

_STEPS = (1, 2, 5, 10)
_FINEST, _WIDEST = 1e-307, 1e308
"""Between these, a step is neither nothing nor infinite."""


def round_step(rough: float) -> float:
    """Return the smallest of 1, 2 and 5, times a power of ten, that is not below a number.

    Examples
    --------
    >>> round_step(3), round_step(0.013), round_step(700)
    (5.0, 0.02, 1000.0)
    """
    rough = min(max(rough, _FINEST), _WIDEST)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step for step in _STEPS if step * power >= rough * (1 - 1e-9))
    return float(f"{step * power:.12g}")


@dataclass(frozen=True)
class LinearScale:
    """Places numbers between 0 and a highest one on a line of pixels.

    Examples
    --------
    >>> scale = LinearScale.up_to(930, 100)
    >>> scale.ticks, scale.length(500)
    ((0.0, 200.0, 400.0, 600.0, 800.0, 1000.0), 50.0)
    >>> LinearScale.within(930, 93).ticks
    (0.0, 200.0, 400.0, 600.0, 800.0)
    """

    ticks: tuple[float, ...]
    highest: float
    """The number at the end of the line."""
    pixels: float

    @classmethod
    def up_to(cls, highest: float, pixels: float, *, ticks: int = 5, whole: bool = True) -> LinearScale:
        """Return a scale with about this number of round ticks; the last is not below the highest number.

        Parameters
        ----------
        whole : bool
            Whether the numbers are counts, of which there is no half.
        """
        step = round_step(highest / ticks) if highest > 0 else 1.0
        step = max(step, 1.0) if whole else step
        count = max(1, math.ceil(highest / step - 1e-9))
        numbers = tuple(float(f"{step * number:.12g}") for number in range(count + 1))
        return cls(numbers, numbers[-1], pixels)

    @classmethod
    def within(cls, highest: float, pixels: float, *, ticks: int = 5) -> LinearScale:
        """Return a scale of counts that ends at the highest one, with round ticks up to there."""
        while not (inside := [tick for tick in cls.up_to(highest, pixels, ticks=ticks).ticks if tick <= highest])[1:]:
            if highest < 1:
                break
            ticks += 1
        return cls(tuple(inside), highest or 1, pixels)

    def length(self, number: float) -> float:
        """Return how far from 0 a number is, in pixels."""
        return number / self.highest * self.pixels


def format_number(number: float) -> str:
    """Write a number for people, with its thousands apart.

    Examples
    --------
    >>> format_number(12500), format_number(0.25), format_number(1234.5)
    ('12,500', '0.25', '1,234.5')
    """
    if number and not _FINEST <= abs(number) < _WIDEST:
        return write_figure(f"{number:g}")
    if float(number).is_integer():
        return write_figure(f"{number:,.0f}")
    digits = max(1, 2 - math.floor(math.log10(abs(number))))
    return write_figure(f"{number:,.{digits}f}".rstrip("0").rstrip("."))


def format_percent(share: float) -> str:
    """Write a share in percent with one decimal; only an exact 0 reads as 0, and only an exact 1 as 100.

    Examples
    --------
    >>> format_percent(0.0508), format_percent(0.0001), format_percent(1.0), format_percent(0.99999)
    ('5.1%', 'under 0.1%', '100.0%', 'over 99.9%')
    """
    if 0 < share < 0.0005:
        return say("under 0.1%")
    return say("over 99.9%") if 0.9995 <= share < 1 else write_figure(f"{share:.1%}")
