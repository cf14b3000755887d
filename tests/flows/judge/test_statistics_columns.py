"""Where the statistics of a release stand."""

from __future__ import annotations

from dataclasses import replace

from helpers.questions import configured
from helpers.small_tables import arrow

from toolbox.config.formats import FORMATS
from toolbox.flows.judge.question import StatisticsColumn
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout
from toolbox.store.input.source import open_arrow_source

LAYOUT = Layout(
    names=("note", "age", "age_mean:variance", "town", "town_distribution"),
    has_header=True,
    quasi_identifiers=(1, 3),
    quasi_identifier_kinds=("number", "category"),
    sensitive=(),
    sensitive_kinds=(),
    identifiers=(),
)


def found(layout: Layout, *headers: str, **changes: object) -> list[StatisticsColumn]:
    return StatisticsColumn.find_all(configured(**changes).config, layout, headers or None)


def test_statistics_are_named_as_the_column_they_are_of_wherever_they_stand() -> None:
    assert found(LAYOUT, *LAYOUT.names) == [StatisticsColumn(0, 2, "moments"), StatisticsColumn(1, 4, "distribution")]
    moved = replace(LAYOUT, quasi_identifiers=(0, 2))
    assert found(moved, "age", "note", "town", "age_mean:variance") == [StatisticsColumn(0, 3, "moments")]


def test_a_quasi_identifier_is_no_statistics() -> None:
    assert found(replace(LAYOUT, quasi_identifiers=(1, 2)), *LAYOUT.names) == []


def test_without_a_header_the_format_says_that_they_are_next_to_each_column() -> None:
    output = replace(configured().config.output, format=FORMATS["genValsDist"])
    assert [column.position for column in found(LAYOUT, output=output)] == [2, 4]
    assert found(LAYOUT) == []


def test_columns_of_a_table_are_statistics_by_their_names() -> None:
    assert StatisticsColumn.find_names(["age"], ["age", "age_distribution", "town_distribution"]) == {
        "age_distribution"
    }


def test_a_source_knows_its_header(store: Store) -> None:
    """What the tests above only pretend."""
    table = arrow("age age_mean:variance\n1 1:0\n")
    assert open_arrow_source(store, table).headers == tuple(table.column_names)
