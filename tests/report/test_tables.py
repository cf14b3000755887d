"""What all reports print: tables without lines, privacy models, notes."""

from __future__ import annotations

from typing import Any

import pandas as pd
from helpers.printing import printed
from helpers.small_reports import K_2, L_3
from rich.console import Console

import toolbox
from toolbox.privacy.results import ModelResult
from toolbox.report.console import (
    ConsoleReport,
    ResultTable,
    StyledText,
    make_judged_table,
    make_table,
    print_notes,
)


def test_numbers_stand_right_and_words_left() -> None:
    table = make_table("people", "name", "age", numbers=frozenset({1}))
    table.add_row("Ada", "5")
    table.add_row("B", "100")
    with (console := Console(width=40, color_system=None)).capture() as capture:
        console.print(table)
    title, header, _, first, second = [line.rstrip() for line in capture.get().splitlines() if line.strip()]
    assert (title, header, first, second) == ("people", " name   age", " Ada      5", " B      100")


def test_brackets_in_names_are_no_markup() -> None:
    table = make_table("of [red]", "sex [m/f]", "age [bold]")
    table.add_row("1", "2")
    assert printed(Console.print, table) == ["of [red]", "sex [m/f] age [bold]", "1 2"]


def test_required_models_hold_or_fail_with_what_they_achieve() -> None:
    nothing_left = ModelResult(
        name="t-closeness [x]",
        attribute="a[b]",
        parameters={"t": 0.2, "distance": "equal"},
        required=0.2,
        achieved=None,
        holds=True,
    )
    assert printed(Console.print, make_judged_table("required", [K_2, L_3, nothing_left])) == [
        "required",
        "model required achieved",
        "k-anonymity 2 2 holds",
        "distinct l-diversity of illness 3 2 fails",
        "t-closeness [x] (distance=equal) of a[b] 0.2 - holds",
    ]


def test_each_note_is_a_line_in_which_brackets_are_text() -> None:
    long = "a" * 150
    assert printed(print_notes, ["town [red]: read.", long]) == ["note town [red]: read.", f"note {long}"]


def test_no_number_is_broken_however_narrow_the_console_is() -> None:
    table = make_table("losses", "method", "discernibility", "records at risk", numbers=frozenset({1, 2}))
    table.add_row("prosecutor: knows who is in it", "1.54e+06", "37,018")
    broken = [
        "losses",
        "records at",
        "method discernibility risk",
        "prosecutor: 1.54e+06 37,018",
        "knows who is",
        "in it",
    ]
    stacked = [
        "losses",
        "method prosecutor:",
        "knows who is",
        "in it",
        "discernibility 1.54e+06",
        "records at 37,018",
        "risk",
    ]
    for width, expected in ((47, broken), (30, stacked)):
        with (console := Console(width=width, color_system=None)).capture() as capture:
            console.print(table)
        shown = (" ".join(line.replace("─", " ").split()) for line in capture.get().splitlines())
        assert [line for line in shown if line] == expected


def test_a_notebook_gets_the_same_table_without_styles() -> None:
    table = make_table("of <b>", "name", "age", numbers=frozenset({1}))
    table.add_row("Ada [red]", StyledText("5", "green"))
    assert printed(Console.print, table) == ["of <b>", "name age", "Ada [red] 5"]
    page = Shown(table)._repr_html_()
    assert page == (
        "<div><table><caption>of &lt;b&gt;</caption><thead><tr><th>name</th><th>age</th></tr></thead><tbody><tr>"
        '<td style="text-align: left">Ada [red]</td><td style="text-align: right">5</td></tr></tbody></table></div>'
    )


class Shown(ConsoleReport):
    """A report of one table."""

    def __init__(self, table: ResultTable) -> None:
        self._table = table

    def headline(self) -> str:
        return self._table.title

    def show_on(self, console: Any) -> None:
        console.print(self._table)


def test_a_suggestion_is_shown_in_a_notebook() -> None:
    people = pd.DataFrame({"age": [20, 30, 40], "town": ["Graz", "Linz", "Graz"]})
    assert "<caption>what each column may be</caption>" in toolbox.suggest(people)._repr_html_()
