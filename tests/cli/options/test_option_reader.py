"""Options are read one by one, and all that is wrong is said at once."""

from __future__ import annotations

from argparse import Namespace

import pytest

from toolbox.cli.options.reader import OptionReader
from toolbox.config import values
from toolbox.errors import ConfigurationError


def test_an_option_that_is_absent_is_none() -> None:
    assert OptionReader(Namespace(k=None)).read("k", values.parse_whole_number) is None
    assert OptionReader(Namespace()).read("k", values.parse_whole_number) is None
    assert OptionReader(Namespace(k="3")).read("k", values.parse_whole_number) == 3


def test_names_stand_between_commas_and_may_be_quoted() -> None:
    assert OptionReader(Namespace(qi=['age, "town, or place"', "sex"])).names("qi") == ["age", "town, or place", "sex"]


def test_pairs_have_a_name_and_a_value() -> None:
    reader = OptionReader(Namespace(weight=["age=2", "zip=0.5"]))
    assert reader.pairs("weight", values.parse_positive_real) == {"age": 2.0, "zip": 0.5}


def test_a_value_that_is_wrong_is_left_out_and_a_second_one_for_a_name_is_a_fault() -> None:
    reader = OptionReader(Namespace(weight=["age=-1", "age=2", "zip=1"]))
    assert reader.pairs("weight", values.parse_positive_real) == {"zip": 1.0}
    assert [fault.found for fault in reader.faults] == [
        "--weight age '-1' is not positive.",
        "--weight names 'age' twice.",
    ]


def test_limits_are_those_of_the_machine() -> None:
    limits = OptionReader(Namespace(memory_limit="2GB", threads="3", temp_dir=None)).limits()
    assert (limits.memory, limits.threads, limits.temp_dir) == ("2GB", 3, None)


def test_all_faults_are_listed_together() -> None:
    reader = OptionReader(Namespace(k="x", hierarchy=["age"], max_columns="0"))
    reader.read("k", values.parse_whole_number)
    reader.read("max_columns", lambda text: values.parse_integer(text, minimum=1))
    reader.pairs("hierarchy", str)
    with pytest.raises(ConfigurationError, match="the command line: 3 faults") as caught:
        reader.require_none_wrong()
    for text in (
        "--k 'x' is not a whole number",
        "--max-columns",
        "Write NAME=FILE or NAME=BUILDER, such as age=intervals:5,10.",
    ):
        assert text in str(caught.value)
