"""What a release keeps of what tells records apart, and what is said where that is little."""

import pandas as pd
import pytest

from toolbox import anonymize
from toolbox.report.columns import Information, list_emptiness_notes

PEOPLE = pd.DataFrame({"age": [21, 22, 23, 24, 61, 62, 63, 64], "town": list("aabbccdd")})
TOWNS = [(name, name.upper(), "*") for name in "abcd"]
AGES = [(age, "young" if age < 30 else "old", "*") for age in PEOPLE["age"]]


def summary(**options: object) -> object:
    return anonymize(PEOPLE, quasi_identifiers=["age", "town"], order="shuffled", **options).summary


@pytest.mark.slow
def test_a_release_whose_columns_are_at_their_roots_is_called_nearly_empty() -> None:
    """Eight people, all different: 3 bits. Datafly takes age to its root, and town too."""
    found = summary(hierarchies={"age": AGES, "town": TOWNS}, method="Datafly", k=5)
    assert found.information == Information(before=3.0, after=0.0)
    assert found.notes == (
        "The release is nearly empty: it keeps 0% of the information that tells records apart (0.0 of 3.0 bits), and 2 "
        "of 2 quasi-identifiers show one value only: age, town. LocalRecoding and Mondrian keep more, as they do not "
        "generalise whole columns; so does a smaller k.",
    )
    assert found.document()["information"] == {"before": 3.0, "after": 0.0, "share": 0.0, "unit": "bits per record"}


@pytest.mark.slow
def test_a_release_that_tells_enough_is_not_called_so() -> None:
    """Four classes of two people each: 2 of 3 bits."""
    found = summary(k=2)
    assert (found.information, found.notes) == (Information(before=3.0, after=2.0), ())


@pytest.mark.parametrize(
    ("share", "at_root", "whole_columns", "said"),
    [
        (0.5, [], True, None),
        (
            0.5,
            ["a"],
            False,
            "The release keeps 50% of the information that tells records apart (2.0 of 4.0 bits), and "
            "1 of 4 quasi-identifiers show one value only: a. A smaller k,",
        ),
        (0.5, ["a", "b", "c"], True, "The release is nearly empty: it keeps 50% of"),
        (
            0.25,
            [],
            False,
            "The release is nearly empty: it keeps 25% of the information that tells records apart "
            "(1.0 of 4.0 bits). A smaller k, fewer quasi-identifiers or weaker models keep more.",
        ),
    ],
)
def test_what_is_said_depends_on_what_is_kept(
    share: float, at_root: list, whole_columns: bool, said: str | None
) -> None:
    notes = list_emptiness_notes(Information(4.0, 4.0 * share), at_root, 4, whole_columns=whole_columns)
    assert bool(notes) == (said is not None)
    assert said is None or notes[0].startswith(said)


def test_a_table_of_equal_records_had_nothing_to_lose() -> None:
    table = pd.DataFrame({"age": [30] * 4})
    assert anonymize(table, quasi_identifiers=["age"], k=2).summary.information.share == 1.0
