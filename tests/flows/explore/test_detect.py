"""The flow of `detect`, with what a pencil finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from toolbox.config.model import Column, Config, Input, Output, QuasiIdentifier
from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.explore.detect import ChosenColumns, detect_columns
from toolbox.report.explore.detect import DetectionReport

# Nobody else was born in 1980, and sex tells those of 1960 apart; the fifth record lacks its town.
TEXT = "card,born,sex,town\n1,1960,f,Graz\n2,1960,m,Graz\n3,1971,f,Wels\n4,1971,f,Wels\n5,1971,m,\n6,1980,m,Graz\n"
PEOPLE = pa.table(
    {
        "card": [1, 2, 3, 4, 5, 6],
        "born": [1960, 1960, 1971, 1971, 1971, 1980],
        "sex": ["f", "m", "f", "f", "m", "m"],
        "town": ["Graz", "Graz", "Wels", "Wels", None, "Graz"],
    }
)
ALL = ChosenColumns()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("detect") / "people.csv"
    path.write_text(TEXT.replace(",", ";"))
    return path


@pytest.fixture(scope="module")
def report(path: Path) -> DetectionReport:
    return detect_columns(path, ALL)


def best(report: DetectionReport) -> list[tuple[tuple[str, ...], int]]:
    return [(subset.columns, subset.singletons) for subset in report.detection.best]


def test_identifiers_and_the_quasi_identifier_are_found(report: DetectionReport) -> None:
    assert (report.detection.identifiers, best(report)) == ((("card",),), [(("born", "sex"), 3)])
    assert (report.detection.records, report.detection.complete) == (6, 5)
    assert set(report.timings) == {"read", "search", "total"}


def test_a_file_and_a_table_say_the_same(report: DetectionReport) -> None:
    assert detect_columns(PEOPLE, ALL).detection == report.detection


def test_columns_are_named_or_excluded_and_stand_in_the_order_of_the_table() -> None:
    for wanted in (ChosenColumns(columns=["sex", "born"]), ChosenColumns(exclude=["card", "town"])):
        found = detect_columns(PEOPLE, wanted)
        assert [column.name for column in found.detection.columns] == ["born", "sex"]
        # The fifth record is complete now: nobody else is a man of 1971.
        assert best(found) == [(("born", "sex"), 4)]


def test_a_missing_value_counts_as_one_on_demand() -> None:
    town = ChosenColumns(columns=["town"])
    assert best(detect_columns(PEOPLE, town)) == [(("town",), 0)]
    assert best(detect_columns(PEOPLE, town, missing_is_a_value=True)) == [(("town",), 1)]


def test_a_configuration_says_how_a_file_is_read_and_what_identifies(path: Path) -> None:
    config = Config(
        source="c.xml",
        path=None,
        input=Input(path=path, separator=";", header=True, missing="Graz"),
        output=Output(path=None),
        identifiers=(Column(index=None, name="card"),),
        quasi_identifiers=(QuasiIdentifier(column=Column(index=None, name="born"), kind="number"),),
    )
    found = detect_columns(path, ALL, config=config).detection
    assert [(column.name, column.missing) for column in found.columns] == [("born", 0), ("sex", 0), ("town", 4)]


@pytest.mark.parametrize(
    ("wanted", "error", "said"),
    [
        (ChosenColumns(columns=["bron"]), UnknownColumnError, "Did you mean 'born'"),
        (ChosenColumns(exclude=["bron"]), UnknownColumnError, "Did you mean 'born'"),
        (ChosenColumns(columns=["born"], exclude=["born"]), UsageError, "No column of .* is left to look at"),
    ],
)
def test_columns_that_are_not_there_or_not_left_are_named(
    wanted: ChosenColumns, error: type[UsageError], said: str
) -> None:
    with pytest.raises(error, match=said):
        detect_columns(PEOPLE, wanted)


@pytest.mark.parametrize("most", [0, "3", 2.5, True])
def test_the_most_columns_are_a_whole_number(most: Any) -> None:
    with pytest.raises(SettingError, match="whole number of at least 1"):
        detect_columns(PEOPLE, ALL, max_columns=most)


def test_more_subsets_than_anybody_reads_are_refused() -> None:
    """48 columns have 48 + 1,128 + 17,296 + 194,580 + 1,712,304 subsets of up to five."""
    wide = pa.table({f"c{number}": [1] for number in range(48)})
    with pytest.raises(UsageError, match=r"48 columns have 1,925,356 subsets of up to 5 columns, more than 1,000,000"):
        detect_columns(wide, ALL, max_columns=5)
