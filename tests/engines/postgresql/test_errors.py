"""Each way in which a database fails has an exit status and a remedy, and none shows the words of the server."""

from __future__ import annotations

import pytest

from toolbox.engines.postgresql.connection import _FAILURES, _OF_OUTPUTS, _OF_QUERIES, Doing, _translate_error
from toolbox.errors import InputError, OutputError, ToolboxError, UsageError

EVERY: tuple[Doing, ...] = ("reading the input", "reading the query", "writing the release", "publishing the release")


@pytest.mark.parametrize("doing", EVERY)
@pytest.mark.parametrize("state", sorted(_FAILURES))
def test_a_failure_of_the_server_ends_with_status_4_whatever_was_done(state: str, doing: Doing) -> None:
    error = _translate_error(state, name="people", doing=doing)
    assert (type(error), error.exit_status) == (InputError, 4)
    assert str(error).startswith("people: ")
    assert str(error).endswith(". Nothing was released.")


@pytest.mark.parametrize("state", sorted(_OF_OUTPUTS))
def test_what_hinders_a_release_ends_with_status_2(state: str) -> None:
    for doing in EVERY[2:]:
        error = _translate_error(state, name="people", doing=doing)
        assert (type(error), error.exit_status) == (OutputError, 2)


@pytest.mark.parametrize("state", sorted(_OF_QUERIES))
def test_a_wrong_query_ends_with_status_2(state: str) -> None:
    error = _translate_error(state, name="the query", doing="reading the query")
    assert (type(error), error.exit_status) == (UsageError, 2)


@pytest.mark.parametrize("state", [None, "08006", "08003"])
def test_a_lost_connection_is_said_and_while_publishing_what_it_leaves_open(state: str | None) -> None:
    assert "was lost. Check whether the server runs" in str(
        _translate_error(state, name="p", doing="writing the release")
    )
    error = str(_translate_error(state, name="p", doing="publishing the release"))
    assert "Check whether the release is there" in error
    assert "Nothing was released" not in error


@pytest.mark.parametrize(
    ("state", "doing", "kind", "words"),
    [
        ("42501", "reading the input", InputError, "The right SELECT is needed"),
        ("25006", "reading the input", UsageError, "people writes to the database when it is read"),
        ("42883", "reading the query", UsageError, "The query was refused (SQLSTATE 42883)"),
        ("22012", "reading the query", InputError, "cannot be computed for one of its rows (SQLSTATE 22012)"),
        ("XX001", "reading the input", InputError, "the data of the server is damaged"),
        ("P0001", "writing the release", InputError, "failed while writing the release (SQLSTATE P0001)"),
        ("InternalError", "reading the input", InputError, "failed while reading the input (SQLSTATE InternalError)"),
    ],
)
def test_other_errors_are_told_by_their_state(state: str, doing: Doing, kind: type[ToolboxError], words: str) -> None:
    error = _translate_error(state, name="people", doing=doing)
    assert type(error) is kind
    assert words in str(error)
