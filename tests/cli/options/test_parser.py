"""The parser: what the arguments say, or one error that names the argument."""

from __future__ import annotations

import pytest

from toolbox.cli.options.options import ANONYMIZE, COMMON
from toolbox.cli.options.parser import build_parser, parse
from toolbox.errors import UsageError


def test_options_that_are_not_given_are_none_or_false() -> None:
    given = vars(parse("anonymize", []))
    assert {name: value for name, value in given.items() if value not in (None, False, [])} == {}


def test_of_an_option_given_twice_the_last_one_counts_but_set_collects() -> None:
    given = parse("anonymize", ["--k=3", "--k=5", "--set=a=1", "--set=b=2"])
    assert (given.k, given.set) == ("5", ["a=1", "b=2"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--sepparator=;"], "Unknown argument '--sepparator=;'. Did you mean '--separator'?"),
        (["--k"], "-k lacks its value. Write -k K."),
        (["--json=yes"], "--json takes no value, and 'yes' is one. Write --json alone."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_argument_that_is_wrong_is_named(arguments: list[str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse("anonymize", arguments)
    assert says in str(caught.value)
    assert "toolbox --help" in str(caught.value)


def test_files_may_stand_among_the_options() -> None:
    given = parse("anonymize", ["a.csv", "--k=3", "-", "--qi=age", "b.csv"])
    assert (given.data, given.k, given.qi) == (["a.csv", "-", "b.csv"], "3", ["age"])
    assert parse("measure", ["a.csv", "--qi=age", "b.csv"]).release == "b.csv"


def test_a_command_takes_no_more_files_than_its_help_shows() -> None:
    with pytest.raises(UsageError, match="'c' is one too many: toolbox measure takes ORIGINAL and RELEASE"):
        parse("measure", ["a", "b", "c"])


def test_an_option_of_anonymize_is_none_of_methods() -> None:
    with pytest.raises(UsageError, match="Unknown argument '--k=5'"):
        parse("methods", ["--k=5"])


def test_the_help_lists_every_option_in_every_spelling() -> None:
    text = build_parser("anonymize").format_help()
    missing = [flag for option in (*ANONYMIZE, *COMMON) for flag in option.flags if flag not in text]
    assert missing == []
    assert all(status in text for status in ("0 done", "2 the command line", "3 the requirement", "4 the input", "130"))


def test_the_titles_of_the_help_are_sentences() -> None:
    assert "\nWhat to do (each overrides the configuration):\n" in build_parser("anonymize").format_help()
