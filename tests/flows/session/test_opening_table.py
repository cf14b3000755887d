"""Opening a table for a session: once, from a configuration, a file or a table of the caller."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.session_tables import in_engine

import toolbox
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.session.histograms import Distributions
from toolbox.flows.session.loads import OpenedTable
from toolbox.flows.session.opening import open_table
from toolbox.steps import Steps

PEOPLE = pd.DataFrame({"name": ["Ada", "Bo", "Cy"], "age": [20, 20, 30], "zip": ["01", "01", "02"]})
CONFIG = """<config k='2'><input filename='people.csv' header='true'{missing}/>
<qid><att name='age'/>{more}</qid></config>"""


def opened(stack: ExitStack, source: Any, names: list[str] | None = None, **said: Any) -> OpenedTable:
    columns = ColumnArguments(names or [], [], [], said.pop("hierarchies", {}), said.pop("kinds", {}), {}, {})
    return open_table(stack, source, AnonymizeArguments.of_nothing(columns, "open", **said), Steps())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "c.xml").write_text(CONFIG.format(missing="", more=""))
    return tmp_path


@pytest.mark.slow
def test_one_table_of_combinations_is_kept(folder: Path) -> None:
    PEOPLE.to_parquet(folder / "people.parquet")
    config = read_configuration(folder / "c.xml", is_run=False)
    for source, names in (
        (folder / "c.xml", None),
        (config, None),
        (folder / "people.csv", ["age"]),
        (folder / "people.parquet", ["age"]),
        (PEOPLE, ["age"]),
    ):
        with ExitStack() as stack:
            table = opened(stack, source, names)
            place = table.store.folder
            assert in_engine(table.store)[0] == 1
            assert [(each.values, each.missing) for each in Distributions(table).describe_columns()] == [(2, 0)]
        assert not place.exists()


def test_the_texts_of_a_file_show_what_its_columns_hold_but_for_codes(folder: Path) -> None:
    with ExitStack() as stack:
        table = opened(stack, folder / "people.csv", ["age", "zip"])
        kinds = {each.name: each.kind for each in Distributions(table).describe_columns()}
    assert kinds == {"age": "number", "zip": "category"}
    with ExitStack() as stack:
        table = opened(stack, folder / "people.csv", ["age"], kinds={"age": "category"})
        assert Distributions(table).describe_columns()[0].kind == "category"
    for hierarchy in (None, "auto"):
        with ExitStack() as stack:
            table = opened(stack, folder / "people.csv", ["age"], hierarchies={"age": hierarchy})
            assert Distributions(table).describe_columns()[0].kind == "number", hierarchy


def test_limits_may_stand_beside_a_configuration_and_nothing_else(folder: Path) -> None:
    with ExitStack() as stack:
        assert opened(stack, folder / "c.xml", limits="500MB").store.memory_limit == 500_000_000
    with pytest.raises(toolbox.UsageError, match="so on_missing cannot be combined with it"), ExitStack() as stack:
        opened(stack, folder / "c.xml", on_missing="keep")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<config k='2'><qid><att name='age'/></qid></config>", "names no input"),
        (CONFIG.format(missing="", more="<att name='agee'/>"), "no column 'agee'"),
    ],
)
def test_a_configuration_without_its_table_is_refused(folder: Path, xml: str, message: str) -> None:
    (folder / "wrong.xml").write_text(xml)
    with pytest.raises(toolbox.UsageError, match=message), ExitStack() as stack:
        opened(stack, folder / "wrong.xml")


@pytest.mark.slow
def test_a_table_of_thousands_of_columns_is_read_by_those_that_are_named() -> None:
    wide = pd.DataFrame({f"c{number}": [1, 1] for number in range(1_000)})
    with ExitStack() as stack:
        table = opened(stack, wide, ["c7", "c999"])
        assert [each.values for each in Distributions(table).describe_columns()] == [1, 1]
