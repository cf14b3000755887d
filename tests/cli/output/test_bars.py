"""Bars on a terminal of any width."""

from __future__ import annotations

import io
import re
from time import perf_counter

import pytest
from rich.console import Console

from toolbox.cli.output.progress import Bars
from toolbox.steps import Stage, Steps

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def console(width: int, **options: object) -> Console:
    return Console(file=Terminal(), width=width, force_terminal=True, highlight=False, **options)


def drawn(width: int, *stages: Stage) -> list[str]:
    """Draw stages as they are now, without colours."""
    screen = console(width, color_system=None)
    bars = Bars(keep=False, console=screen)
    for stage in stages:
        bars.begin(stage)
    with screen.capture() as capture:
        screen.print(bars)
    return [line.rstrip() for line in capture.get().splitlines()]


def finished() -> Stage:
    return Stage("read", "count", seconds=2.0, records=3_400_000)


def half() -> Stage:
    """A reading half done."""
    return Stage("read", "keep", "records", 3_400_000, _measure=lambda: 1_700_000.0, _measured_since=perf_counter())


def searching() -> Stage:
    return Stage("Incognito", words="3 quasi-identifiers together: 12 nodes")


def test_a_wide_terminal_shows_bar_amount_rate_and_time() -> None:
    (line,) = drawn(80, finished())
    assert line.split() == ["read,", "count", "━━━━━━━━━━━━━━━━━━━━", "3,400,000", "records", "1.7", "M/s", "2.0", "s"]
    (line,) = drawn(80, half())
    assert line.startswith("read, keep  ━━━━━━━━━━")
    assert "1,700,000 records" in line
    assert re.search(r" \d+ s left$", line)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (78, "read, count ━━━━━━━━━━━━━━━━━━━━  3,400,000 records      1.7 M/s     2.0 s"),
        (77, "read, count ━━━━━━━━━━━━━━━━━━━━  3,400,000 records     2.0 s"),
        (66, "read, count ━━━━━━━━━━━━━━━━━━━━  3,400,000 records     2.0 s"),
        (65, "read, count  3,400,000 records     2.0 s"),
        (45, "read, count  3,400,000 records     2.0 s"),
        (44, "read, count 3,400,000     2.0 s"),
        (34, "read, count 3,400,000     2.0 s"),
        (33, "read, count     2.0 s"),
    ],
)
def test_a_narrow_terminal_loses_the_rate_then_the_bar_then_the_words_then_the_amount(width: int, shown: str) -> None:
    (line,) = drawn(width, finished())
    assert line.split() == shown.split()


def test_without_room_for_a_bar_there_is_a_percentage() -> None:
    (line,) = drawn(40, half())
    assert re.fullmatch(r"read, keep +50% +\d+ s left", line)


@pytest.mark.parametrize("width", [*range(24, 46), 60, 66, 78, 80, 200])
def test_every_stage_has_one_line_that_leaves_room_for_what_the_terminal_echoes(width: int) -> None:
    lines = drawn(width, finished(), half(), searching(), Stage("prove"))
    assert len(lines) == 4
    assert max(map(len, lines)) <= width - 3


def test_what_a_method_says_stands_beside_its_bar_until_it_is_done() -> None:
    stage = Stage("Mondrian", words="[bold]12 cuts")
    (line,) = drawn(80, stage)
    assert "[bold]12 cuts" in line
    stage.end(5)
    (line,) = drawn(80, stage)
    assert "cuts" not in line
    assert "5 records" in line


@pytest.mark.parametrize("keep", [False, True])
def test_the_cursor_is_shown_again_whatever_happens(keep: bool) -> None:
    screen = console(80)
    with pytest.raises(KeyboardInterrupt), Bars(keep=keep, console=screen) as bars, Steps(bars).step("prove"):
        raise KeyboardInterrupt
    written = screen.file.getvalue()
    assert written.count(HIDE) == written.count(SHOW) == 1
    assert written.index(HIDE) < written.index(SHOW)


def test_what_methods_say_stays_only_where_it_is_asked_for() -> None:
    for keep, times in ((False, 0), (True, 1)):
        screen = console(80, color_system=None)
        with Bars(keep=keep, console=screen) as bars:
            steps = Steps(bars)
            with steps.step("Mondrian"):
                steps.say("12 cuts")
        assert screen.file.getvalue().count("Mondrian: 12 cuts\n") == times


def test_no_colour_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    screen = console(80, color_system="256")
    with Bars(keep=True, console=screen) as bars, Steps(bars).step("prove"):
        pass
    assert "\x1b[3" not in screen.file.getvalue()
