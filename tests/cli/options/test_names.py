"""Names of columns on the command line: any name can be said, and is read back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.cli.options.reader import name_and_value, parse_names
from toolbox.hierarchy.builders.builder import quote_listed

NAMES = st.text(min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("age", ["age"]),
        (" age , zip ", ["age", "zip"]),
        ('"town, or place",sex', ["town, or place", "sex"]),
        ('" age ",zip', [" age ", "zip"]),
        ('"say ""hi"""', ['say "hi"']),
        ('6" pipe,zip', ['6" pipe', "zip"]),
        ("a=b", ["a=b"]),
        ("age,,zip,", ["age", "zip"]),
        ("", []),
        ('"a\nb"', ["a\nb"]),
    ],
)
def test_names_stand_between_commas_and_in_quotes_where_they_hold_one(text: str, names: list[str]) -> None:
    assert parse_names(text) == names


@pytest.mark.parametrize("text", ['"age', 'zip,"age', '"a"b', "a\nb", "a\rb"])
def test_a_quote_that_does_not_close_and_a_bare_line_break_are_no_names(text: str) -> None:
    assert parse_names(text) is None


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("zip=zip.csv", ("zip", "zip.csv")),
        ("zip=a=b.csv", ("zip", "a=b.csv")),
        ('"a=b"=c', ("a=b", "c")),
        ('"say ""hi"""=x', ('say "hi"', "x")),
        (" zip =x", ("zip", "x")),
        ("zip=", ("zip", "")),
        ("zip", None),
        ("=x", None),
        ('""=x', None),
    ],
)
def test_a_name_stands_before_the_first_equals_sign_or_in_quotes(text: str, pair: tuple[str, str] | None) -> None:
    assert name_and_value(text) == pair


@pytest.mark.slow
@given(st.lists(NAMES, max_size=4))
def test_any_names_are_read_back(names: list[str]) -> None:
    assert parse_names(",".join(map(quote_listed, names))) == names


@pytest.mark.slow
@given(NAMES, st.text(max_size=6))
def test_any_name_is_read_back_before_any_value(name: str, value: str) -> None:
    assert name_and_value(f"{quote_listed(name)}={value}") == (name, value)
