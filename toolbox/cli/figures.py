"""The progress of a stage in words: how much is done, how fast, and how long it takes."""

from __future__ import annotations

from dataclasses import dataclass

from toolbox.steps import Stage, Unit

_SURE = 0.02
"""Share of the work after which its end is foretold."""


@dataclass(frozen=True)
class Figures:
    """A stage at one moment."""

    share: float | None
    """How much of it is done, between 0 and 1; None if it is over, or nobody knows."""
    amount: str
    rate: str
    time: str
    """How long it still takes, else how long it has taken."""
    is_foretold: bool = False
    """Whether the time is how long it still takes."""


def figures(stage: Stage) -> Figures:
    """Describe a stage at this moment; unknown figures are empty."""
    if stage.seconds is not None:
        amount = "" if stage.records is None else amount_text(stage.records, None, "records")
        rate = "" if stage.records is None else rate_text(stage.records, stage.seconds, "records")
        return Figures(None, amount, rate, seconds_text(stage.seconds))
    done, elapsed = stage.amount(), seconds_text(stage.elapsed())
    if done is None or not (done or stage.total):
        return Figures(None, "", "", elapsed)
    duration = stage.measured_for()
    amount, rate = amount_text(done, stage.total, stage.unit), rate_text(done, duration, stage.unit)
    if not stage.total or done >= stage.total:
        # What was measured is done; what is left of the stage is not known.
        return Figures(None, amount, rate, elapsed)
    share = done / stage.total
    if share < _SURE:
        return Figures(share, amount, rate, elapsed)
    left = f"{seconds_text(duration * (1 - share) / share, whole=True)} left"
    return Figures(share, amount, rate, left, is_foretold=True)


def amount_text(done: float, total: float | None, unit: Unit) -> str:
    """Write an amount.

    Examples
    --------
    >>> amount_text(1_100_000.3, 2_000_000, "records")
    '1,100,000 records'
    >>> amount_text(1_234_567, 205_250_971, "bytes")
    '1.2 of 205.3 MB'
    """
    if unit == "records":
        return f"{done:,.0f} records"
    return f"{done / 1e6:,.1f}{'' if total is None else f' of {total / 1e6:,.1f}'} MB"


def rate_text(done: float, seconds: float, unit: Unit) -> str:
    """Write how much is done in a second, with two digits; empty for nothing.

    Examples
    --------
    >>> rate_text(2_000_000, 3, "records")
    '670,000/s'
    >>> rate_text(3_400_000, 2, "records")
    '1.7 M/s'
    >>> rate_text(205_250_971, 2, "bytes")
    '102.6 MB/s'
    """
    rate = done / seconds if seconds > 0 else 0.0
    if unit == "bytes":
        return f"{rate / 1e6:,.1f} MB/s" if rate else ""
    if rate >= 999_500:
        return f"{rate / 1e6:,.1f} M/s"
    whole = round(rate)
    return f"{round(whole, 2 - len(str(whole))):,}/s" if whole else ""


def seconds_text(seconds: float, *, whole: bool = False) -> str:
    """Write a time.

    Examples
    --------
    >>> seconds_text(6.94), seconds_text(4.2, whole=True), seconds_text(83), seconds_text(3723)
    ('6.9 s', '5 s', '1:23', '1:02:03')
    """
    if whole:
        seconds = int(seconds) + 1
    if seconds < 59.95:
        return f"{seconds} s" if whole else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
