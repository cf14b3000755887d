"""The table of `init` on a console."""

from __future__ import annotations

from io import StringIO

import pytest
from helpers.profiled import planned
from rich.console import Console

from toolbox.report.explore import suggestion as printing
from toolbox.report.explore.suggestion import print_suggestion
from toolbox.store.engine.store import Store


def printed(table: dict[str, list[str]], notes: tuple[str, ...] = (), width: int = 120) -> str:
    written = StringIO()
    with Store() as store:
        print_suggestion(Console(file=written, width=width, highlight=False), planned(store, table), notes)
    return written.getvalue()


def test_a_line_says_what_a_column_is_and_how_it_is_generalised() -> None:
    shown = printed({"age": [str(20 + row % 30) for row in range(60)]}, ("Look at it.",))
    (line,) = (line for line in shown.splitlines() if line.lstrip().startswith("age"))
    assert line.split() == ["age", "quasi-identifier", "sure", "others", "may", "know", "ages", "intervals:5,10,20"]
    assert "note Look at it." in shown


def test_a_narrow_terminal_has_room_for_the_reasons() -> None:
    shown = printed({"age": [str(20 + row % 30) for row in range(60)]}, width=80)
    assert "others may know ages" in shown
    assert "intervals" not in shown


def test_a_name_may_be_anything_and_moves_nothing() -> None:
    shown = printed({"[bold]": ["a", "b"] * 30, "x\x1b[31m": ["a", "b", "c"] * 20})
    assert "[bold]" in shown
    assert "\x1b" not in shown


def test_of_a_wide_table_the_first_columns_are_shown_and_the_others_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "MOST_SHOWN", 2)
    shown = printed({f"answer {letter}": ["1", "2"] * 30 for letter in "abcde"})
    assert "answer b" in shown
    assert "answer c" not in shown
    assert "and 3 more columns" in shown
