"""The questions of `init`, answered as people do."""

from __future__ import annotations

from io import StringIO

import pytest
from helpers.profiled import planned
from rich.console import Console

from toolbox.cli.commands.explore import ask_for_roles
from toolbox.report.explore.suggestion import Suggestion
from toolbox.store.engine.store import Store

TABLE = {
    "name": [f"person {row}" for row in range(60)],
    "age": [str(20 + row % 30) for row in range(60)],
    "smoker": ["yes" if row % 3 else "no" for row in range(60)],
}


@pytest.fixture(scope="module")
def suggestion() -> Suggestion:
    with Store() as store:
        plan = planned(store, TABLE)
    return Suggestion(source=None, input=None, plan=plan, timings={}, toolbox_version="1")


def answered(suggestion: Suggestion, text: str) -> tuple[object, str]:
    written = StringIO()
    chosen = ask_for_roles(suggestion, Console(file=written, width=100, highlight=False), StringIO(text))
    return chosen, written.getvalue()


def test_enter_takes_each_guess(suggestion: Suggestion) -> None:
    chosen, shown = answered(suggestion, "\n\n\n")
    assert chosen == {0: "identifier", 1: "quasi-identifier", 2: "sensitive"}
    assert "2 of 3  age" in shown
    assert "quasi-identifier, sure: others may know ages" in shown
    assert "id, qid, sens or asis (qid): " in shown


def test_another_role_is_one_word(suggestion: Suggestion) -> None:
    assert answered(suggestion, "QID\nid\nasis\n")[0] == {0: "quasi-identifier", 1: "identifier", 2: "as it is"}


def test_a_question_mark_explains_and_asks_again(suggestion: Suggestion) -> None:
    chosen, shown = answered(suggestion, "?\nsens\nwhat\n\n\n")
    assert chosen == {0: "sensitive", 1: "quasi-identifier", 2: "sensitive"}
    assert shown.count("drop it: it names or reaches a person") == 2


def test_a_takes_this_guess_and_all_that_follow(suggestion: Suggestion) -> None:
    assert answered(suggestion, "\na\n")[0] == {0: "identifier"}


def test_b_goes_back_and_a_role_may_be_written_out(suggestion: Suggestion) -> None:
    chosen, shown = answered(suggestion, "b\nsens\nb\nidentifier\n\nsensitive\n")
    assert chosen == {0: "identifier", 1: "quasi-identifier", 2: "sensitive"}
    assert shown.count("1 of 3") == 3


def test_who_goes_back_and_takes_the_rest_has_not_chosen_what_came_after(suggestion: Suggestion) -> None:
    assert answered(suggestion, "sens\nb\na\n")[0] == {}


def test_an_answer_that_nobody_expects_is_said_to_be_none(suggestion: Suggestion) -> None:
    shown = answered(suggestion, "?\nmaybe\n\n\n\n")[1]
    assert shown.count("drop it: it names") == 2
    assert shown.count("That is not one of the answers") == 1


@pytest.mark.parametrize("text", ["q\n", "\nQ\n", "", "\n"])
def test_who_leaves_or_closes_the_terminal_has_chosen_nothing(suggestion: Suggestion, text: str) -> None:
    assert answered(suggestion, text)[0] is None


def test_no_value_is_shown(suggestion: Suggestion) -> None:
    shown = answered(suggestion, "?\n\n\n\n")[1]
    assert "person 7" not in shown
    assert "yes" not in shown
