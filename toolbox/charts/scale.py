"""Where a chart puts a number: round ticks, and how ticks and figures are written."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1, 2, 5, 10)


def round_step(rough: float) -> float:
    """Return the smallest of 1, 2 and 5, times a power of ten, that is not below a number.

    Examples
    --------
    >>> round_step(3), round_step(0.013), round_step(700)
    (5.0, 0.02, 1000.0)
    """
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step for step in _STEPS if step * power >= rough * (1 - 1e-9))
    return float(f"{step * power:.12g}")


@dataclass(frozen=True)
class Scale:
    """Places numbers between 0 and a highest one on a line of pixels.

    Examples
    --------
    >>> scale = Scale.up_to(930, 100)
    >>> scale.ticks, scale.length(500)
    ((0.0, 200.0, 400.0, 600.0, 800.0, 1000.0), 50.0)
    >>> Scale.within(930, 93).ticks
    (0.0, 200.0, 400.0, 600.0, 800.0)
    """

    ticks: tuple[float, ...]
    highest: float
    """The number at the end of the line."""
    pixels: float

    @classmethod
    def up_to(cls, highest: float, pixels: float, *, ticks: int = 5, whole: bool = True) -> Scale:
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
    def within(cls, highest: float, pixels: float, *, ticks: int = 5) -> Scale:
        """Return a scale of counts that ends at the highest one, with round ticks up to there."""
        while not (inside := [tick for tick in cls.up_to(highest, pixels, ticks=ticks).ticks if tick <= highest])[1:]:
            if highest < 1:
                break
            ticks += 1
        return cls(tuple(inside), highest or 1, pixels)

    def length(self, number: float) -> float:
        """Return how far from 0 a number is, in pixels."""
        return number / self.highest * self.pixels


def written(number: float) -> str:
    """Write a number for people, with its thousands apart.

    Examples
    --------
    >>> written(12500), written(0.25), written(1234.5)
    ('12,500', '0.25', '1,234.5')
    """
    if float(number).is_integer():
        return f"{number:,.0f}"
    digits = max(1, 2 - math.floor(math.log10(abs(number))))
    return f"{number:,.{digits}f}".rstrip("0").rstrip(".")


def percent(share: float) -> str:
    """Write a share in percent with one decimal; only an exact 0 reads as 0, and only an exact 1 as 100.

    Examples
    --------
    >>> percent(0.0508), percent(0.0001), percent(1.0), percent(0.99999)
    ('5.1%', 'under 0.1%', '100.0%', 'over 99.9%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if 0.9995 <= share < 1 else f"{share:.1%}"
