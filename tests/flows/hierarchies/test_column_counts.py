"""The values of one column of a table, each with its records."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.model import Limits
from toolbox.errors import UsageError
from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.hierarchies.values import count_by_configuration, count_by_name

READING = make_text_input(None, None)


def test_texts_are_counted_as_they_are_written_and_empty_fields_are_not(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("town;age\nGraz;1\nGraz;01\n;1\n?;2\n")
    assert count_by_name(path, READING, "town", Limits()) == {"Graz": 2, "?": 1}
    assert count_by_name(path, READING, "age", Limits()) == {"1": 2, "01": 1, "2": 1}


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("town,age\nGraz,1\n")
    with pytest.raises(UsageError, match=r"has no column 'twon'\. Did you mean 'town'"):
        count_by_name(path, READING, "twon", Limits())


def test_a_configuration_finds_its_column_by_position_and_leaves_lines_out_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("1|Graz\n2|Wien\n3\n4|Graz\n")
    path = tmp_path / "c.xml"
    path.write_text(
        "<config><input filename='people.csv' separator='|'/><output filename='out.csv'/>"
        "<qid><att index='0' name='age'/><att index='1' name='town' type='category'/></qid></config>"
    )
    config = read_configuration(path, is_run=False)
    assert config.input is not None
    assert count_by_configuration(config, config.quasi_identifiers[1], config.input) == {"Graz": 2, "Wien": 1}
