"""The rows that a builder makes of the values of a column."""

from __future__ import annotations

import pytest

from toolbox.errors import UsageError
from toolbox.flows.built_rows import builder_named, built_rows, kind_of


def rows(builder: str, **counts: int) -> list[tuple[str, ...]]:
    return [
        row.fields for row in built_rows(builder_named(builder), {text.strip("_"): n for text, n in counts.items()})
    ]


def test_a_builder_is_written_as_on_the_command_line() -> None:
    assert rows("prefix:2", _8010=3, _8020=1) == [("8010", "80**", "*"), ("8020", "80**", "*")]
    assert rows("intervals:5", _3=1, _7=2) == [("3", "[0:5)", "*"), ("7", "[5:10)", "*")]


@pytest.mark.parametrize(
    ("builder", "said"),
    [
        ("prefx:3", "There is no builder 'prefx'. Did you mean 'prefix'?"),
        ("towns.csv", "There is no builder 'towns.csv'. Write one of "),
        ("intervals:5,7", "width= has 7 behind 5"),
    ],
)
def test_what_is_no_builder_is_refused(builder: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        builder_named(builder)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2.5", "0", "0.5"], "number"),
        (["1", "02"], "category"),
        (["1", "x"], "category"),
        (["2026-01-31", "2025-12-01"], "date"),
        (["2026-01-31 12:30", "2025-12-01 00:00"], "date"),
    ],
)
def test_the_values_tell_what_a_column_holds(texts: list[str], kind: str) -> None:
    assert kind_of(dict.fromkeys(texts, 1)) == kind
