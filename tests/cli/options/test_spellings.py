"""Options: one dash or two, any case, and a value that may begin with a dash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.cli.options.options import ANONYMIZE, COMMON
from toolbox.cli.options.parser import normalise_options
from toolbox.errors import UsageError

OPTIONS = (*ANONYMIZE, *COMMON)
WITH_VALUE = [option for option in OPTIONS if option.metavar is not None]


@pytest.mark.parametrize(
    "written", ["-suppThreshold", "--suppThreshold", "-SUPPTHRESHOLD", "--supp-threshold", "--supp_threshold"]
)
def test_every_spelling_of_an_option_is_one_option(written: str) -> None:
    assert normalise_options([written, "0"], OPTIONS) == ["--supp-threshold=0"]
    assert normalise_options([f"{written}=0"], OPTIONS) == ["--supp-threshold=0"]


@pytest.mark.parametrize("value", ["-", "--", "-k", "--json", "=", "a=b", "", " "])
def test_what_follows_an_option_is_its_value_whatever_it_looks_like(value: str) -> None:
    assert normalise_options(["-separator", value, "--quiet"], OPTIONS) == [f"--separator={value}", "--quiet"]


def test_an_option_at_the_end_has_no_value() -> None:
    assert normalise_options(["--json", "-k"], OPTIONS) == ["--json", "--k"]


def test_what_is_no_option_stays_as_it_is() -> None:
    assert normalise_options(["word", "-", "k"], OPTIONS) == ["word", "-", "k"]


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (["-confg", "x"], ["'-confg'", "Did you mean '-config'?"]),
        (["--sepparator=;"], ["'--sepparator'", "Did you mean '--separator'?"]),
        (["-hlep"], ["'-hlep'"]),
        (["-k5"], ["'-k5'"]),
        (["--"], ["'--'"]),
    ],
    ids=" ".join,
)
def test_an_option_that_does_not_exist_is_named(written: list[str], says: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        normalise_options(written, OPTIONS)
    assert [text for text in [*says, "toolbox --help"] if text not in str(caught.value)] == []


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(WITH_VALUE), st.text(max_size=5), st.booleans()), max_size=6))
def test_the_values_of_any_options_arrive_unchanged(pairs: list) -> None:
    arguments = []
    for option, value, is_old in pairs:
        arguments += [f"-{option.original or option.name}".upper() if is_old else f"--{option.name}", value]
    assert normalise_options(arguments, OPTIONS) == [f"--{option.name}={value}" for option, value, _ in pairs]


def test_a_list_with_blanks_is_told_to_have_commas_alone() -> None:
    with pytest.raises(UsageError, match=r"Write commas without blanks: --qi age,city,\.\."):
        normalise_options(["--qi", "age,", "city,", "postcode"], OPTIONS)
