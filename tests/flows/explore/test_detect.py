"""The flow of `detect`, with what a pencil finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from toolbox.config.model import Column, Config, Input, Output, QuasiIdentifier
from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.explore.detect import ChosenColumns, SudaWanted, detect_columns
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


def test_records_that_few_values_single_out_have_their_numbers_and_scores() -> None:
    """The fifth record is left out, as it lacks its town: then 1980 is alone, and sex tells those of 1960 apart."""
    wanted = SudaWanted(2, 0.5)
    special = detect_columns(PEOPLE, ALL, suda=wanted).special
    assert special is not None
    assert special.left_out == ("card",)
    assert (special.records, special.special, special.by_size) == (5, 3, (1, 3))
    # Of the three columns one of 1980 counts 2 * 1, the others 1; that of 1980 also differs as a man of Graz, or born.
    assert {(record.record, record.uniques) for record in special.top} == {(6, (1, 0)), (1, (0, 2)), (2, (0, 1))}
    assert {record.record: record.score for record in special.top} == {6: 2, 1: 2, 2: 1}
    assert all(record.disclosure for record in special.top)
    every = detect_columns(PEOPLE, ALL, suda=SudaWanted(1), missing_is_a_value=True).special
    assert every is not None
    assert {record.record for record in every.top} == {5, 6}
    assert {(value.kind, value.column) for value in every.values} == {("rare", "born"), ("rare", "town")}


def test_values_of_ten_records_are_named_where_they_add_to_scores(tmp_path: Path) -> None:
    lines = [f"{town},{number % 10}" for town in ("Graz", "") for number in range(10)] + ["Wels,1"]
    (tmp_path / "towns.csv").write_text("town,size\n" + "".join(f"{line}\n" for line in lines))
    special = detect_columns(tmp_path / "towns.csv", ALL, suda=SudaWanted(2), missing_is_a_value=True).special
    assert special is not None
    named = {(value.column, value.kind, value.text, value.values, value.records) for value in special.values}
    assert named == {
        ("town", "value", "Graz", 1, 10),
        ("town", "missing", None, 1, 10),
        ("town", "rare", None, 1, 1),
        ("size", "rare", None, 10, 21),
    }


def test_what_cannot_be_scored_is_said() -> None:
    for wrong in (SudaWanted(0), SudaWanted(2.0), SudaWanted(True)):  # type: ignore[arg-type]
        with pytest.raises(SettingError, match="suda"):
            detect_columns(PEOPLE, ALL, suda=wrong)
    with pytest.raises(SettingError, match=r"sampling_fraction is 1\.5"):
        detect_columns(PEOPLE, ALL, suda=SudaWanted(2, 1.5))
    with pytest.raises(UsageError, match=r"--sampling-fraction goes with .* Also write --suda 3"):
        detect_columns(PEOPLE, ALL, suda=SudaWanted(None, 0.5))
    alone = detect_columns(PEOPLE, ChosenColumns(columns=["card"]), suda=SudaWanted(2))
    assert alone.special is None
