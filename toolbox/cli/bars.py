"""Progress as bars on a terminal, one line for each step."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from toolbox.cli.figures import Figures, figures
from toolbox.steps import Stage, Watcher

_PER_SECOND = 4
_FOR_ECHO = 3
"""Columns that stay free for the ^C that a terminal shows at the end of the last line, lest it begins another one."""
_BAR, _RATE, _TIME = 20, 12, 9
_AMOUNT = 40
"""Most columns for the words of a method."""
# Columns needed for a percentage, for an amount in words, for a bar beside it, and for a rate as well.
_ROOM_FOR_AMOUNT = 31
_ROOM_FOR_WORDS = 42
_ROOM_FOR_BAR = 63
_ROOM_FOR_RATE = 75


class Bars(Watcher):
    """Draws every stage with its bar, amount, rate and time, until the block is left.

    A thread of the drawing library asks the running stage how far it is, a few times in a second, and ends with the
    block.

    Parameters
    ----------
    keep : bool
        Whether the finished lines, and what methods say, stay on the screen; else nothing does.
    """

    is_watching = True

    def __init__(self, *, keep: bool, console: Console | None = None) -> None:
        self._keep = keep
        self._stages: list[Stage] = []
        self._console = console or Console(stderr=True, highlight=False)
        self._live = Live(self, console=self._console, refresh_per_second=_PER_SECOND, transient=not keep)

    def __enter__(self) -> Self:
        self._live.start(refresh=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def begin(self, stage: Stage) -> None:
        self._stages.append(stage)

    def say(self, stage: Stage) -> None:
        if self._keep:
            self._console.print(Text(f"{stage.title}: {stage.words}", style="dim"), soft_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the stages as they are now."""
        yield _table(list(self._stages), options.max_width - _FOR_ECHO)


def _table(stages: list[Stage], width: int) -> Table:
    """Draw the stages; on a narrow terminal the rates are left out first, then the bars, then the amounts."""
    has_rate, has_bar, has_amount = (width >= room for room in (_ROOM_FOR_RATE, _ROOM_FOR_BAR, _ROOM_FOR_AMOUNT))
    # Every width is chosen here: left to itself, a table that is too wide takes from the times.
    title = max(11, min(16, max((len(stage.title) for stage in stages), default=0)))
    rest = title + 1 + _TIME + (_BAR + 1 if has_bar else 0) + (_RATE + 1 if has_rate else 0)
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, width=title)
    if has_bar:
        table.add_column(width=_BAR)
    if has_amount:
        table.add_column(no_wrap=True, justify="right", width=max(1, min(_AMOUNT, width - rest - 1)))
    if has_rate:
        table.add_column(no_wrap=True, justify="right", width=_RATE)
    table.add_column(no_wrap=True, justify="right", width=_TIME)
    for stage in stages:
        now, is_over = figures(stage), stage.seconds is not None
        row: list[Text | ProgressBar] = [Text(stage.title, style="" if is_over else "bold")]
        if has_bar:
            row.append(_bar(stage, now))
        if has_amount:
            row.append(Text(_amount(stage, now, width)))
        if has_rate:
            row.append(Text(now.rate, style="cyan"))
        table.add_row(*row, Text(now.time, style="green" if is_over else ""))
    return table


def _amount(stage: Stage, now: Figures, width: int) -> str:
    """Return how much is done: in the words of the method while it runs, as a percentage if there is no bar."""
    if now.share is not None and width < _ROOM_FOR_BAR:
        return f"{int(100 * now.share)}%"
    if stage.seconds is None and stage.words:
        return stage.words
    return now.amount if width >= _ROOM_FOR_WORDS else now.amount.removesuffix(" records")


def _bar(stage: Stage, now: Figures) -> ProgressBar:
    if stage.seconds is not None:
        return ProgressBar(total=1, completed=1, width=_BAR)
    if now.share is None:
        return ProgressBar(total=None, pulse=True, width=_BAR)
    return ProgressBar(total=1, completed=now.share, width=_BAR)
