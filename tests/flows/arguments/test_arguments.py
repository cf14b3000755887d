"""Single arguments of a call: numbers of Python and of numpy, words, lists and dicts."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import pytest

from toolbox.errors import SettingError, UsageError
from toolbox.flows.arguments.checks import (
    as_tuple,
    check_finite_number,
    check_word,
    require_column_dict,
    require_list,
    require_whole_number,
)


@pytest.mark.parametrize("value", [2, 2.0, np.int64(2), np.float32(2)])
def test_a_finite_number_of_any_type_is_returned(value: object) -> None:
    assert check_finite_number("t", value) == 2.0


@pytest.mark.parametrize("value", [True, "2", None, float("nan"), float("inf"), 10**400])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match="write a finite number"):
        check_finite_number("t", value)


@pytest.mark.parametrize("value", [None, 1, np.int64(7)])
def test_a_whole_number_or_none_is_allowed(value: object) -> None:
    require_whole_number("k", value, 1)


@pytest.mark.parametrize("value", [0, 1.0, True, "1", 2**63])
def test_what_is_no_whole_number_of_the_least_is_refused(value: object) -> None:
    with pytest.raises(SettingError, match="write a whole number of at least 1, or None"):
        require_whole_number("k", value, 1)


def test_a_number_of_thousands_of_digits_is_not_written() -> None:
    with pytest.raises(SettingError, match="k is 'a number of more than 60 digits'"):
        require_whole_number("k", 10**5000, 1)


def test_none_says_nothing_as_an_empty_list_or_dict_does() -> None:
    assert (require_list("sensitive", None), require_column_dict("kinds", None), as_tuple(None)) == ((), {}, ())
    assert require_list("sensitive", pd.Index(["a", "b"])) == ("a", "b")
    assert require_column_dict("weights", pd.Series({"age": 2})) == {"age": 2}


def test_what_is_no_list_or_dict_is_refused() -> None:
    with pytest.raises(UsageError, match=r"sensitive is a text. Write a list of columns, \['age'\]"):
        require_list("sensitive", "age", "of columns")
    with pytest.raises(SettingError, match="methods is 5; write a list"):
        require_list("methods", 5)
    for wrong in (5, "age", ["age"]):
        with pytest.raises(SettingError, match="write a dict, by the names of columns"):
            require_column_dict("kinds", wrong)


def test_a_word_is_one_of_those_that_are_known() -> None:
    words = Literal["keep", "drop"]
    assert check_word("suppressed", "drop", words) == "drop"
    with pytest.raises(SettingError, match="suppressed is 'Drop'; write one of 'keep', 'drop'"):
        check_word("suppressed", "Drop", words)
