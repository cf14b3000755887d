"""The tables of `detect`."""

from __future__ import annotations

from dataclasses import replace

from helpers.printing import printed, words
from helpers.small_reports import DETECTION, column, subset

from toolbox.detection.election import Detection
from toolbox.report.explore.detect import print_detection


def shown(detection: Detection, *, top: int = 20) -> list[str]:
    return printed(print_detection, detection, top=top, notes=["nothing else."])


def test_the_quasi_identifier_the_first_subsets_and_all_columns_are_shown() -> None:
    assert words(shown(DETECTION, top=2)) == words(
        [
            "records 5, of which 5 lack no value",
            "identifiers card",
            "quasi-identifier born, sex: 3 singletons (60.00%)",
            "the subsets with most singletons, 2 of 3",
            "singletons distinct ratio separated risk columns",
            "3 60.00% 4 0.8000 0.900000 1 born, sex",
            "0 0.00% 4 0.8000 0.900000 1 born",
            "the columns: singletons of each alone, those that it adds on average, those of the best without it",
            "values missing alone adds best without column",
            "5 0 card (identifier)",
            "2 0 0 1.5 0 born",
            "2 0 0 1.2 0 sex",
            "note nothing else.",
        ]
    )


def test_where_every_subset_has_an_identifier_there_is_no_table_of_them() -> None:
    lines = shown(replace(DETECTION, best=(), subsets=(), columns=(column("card", adds=None),)))
    assert lines[2] == "quasi-identifier none"
    assert lines[3].startswith("the columns: ")


def test_of_many_identifiers_20_are_shown_and_the_columns_of_one_are_joined() -> None:
    pairs = tuple((f"a{number}", "b[x]") for number in range(23))
    line = shown(replace(DETECTION, identifiers=pairs))[1]
    assert line.startswith("identifiers a0 + b[x], a1 + b[x], ")
    assert line.endswith(", a19 + b[x], and 3 more")
    assert shown(replace(DETECTION, identifiers=()))[1] == "identifiers none"


def test_of_subsets_that_tie_three_are_named() -> None:
    tied = tuple(subset(name, singletons=2) for name in ("a", "b", "c", "d"))
    assert shown(replace(DETECTION, best=tied))[2] == "quasi-identifier a or b or c: 2 singletons (40.00%)"


def test_the_column_that_adds_most_comes_first_behind_the_identifiers() -> None:
    columns = (column("little", adds=0.5), column("most", adds=1000.04), column("card", adds=None))
    assert shown(replace(DETECTION, columns=columns))[-4:-1] == [
        "5 0 card (identifier)",
        "2 0 0 1,000.0 0 most",
        "2 0 0 0.5 0 little",
    ]
