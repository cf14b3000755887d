"""What was written is counted again and compared: one wrong at a time, each is found."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.joined import classed, counted

import toolbox
from toolbox.errors import InputError, ProofError, UnknownColumnError, UsageError

PEOPLE = pd.DataFrame(
    {
        "age": [20, 21, 22, 30, 31, 32, 70, 40, 41, 42],
        "sex": ["F", "F", "F", "M", "M", "M", "F", "F", "F", "F"],
        "illness": ["flu", "cold", "gout", "flu", "flu", "cold", "gout", "flu", "cold", "gout"],
    }
)
AGES = [(age, f"{age // 10 * 10}s", "*") for age in PEOPLE["age"]]
SHOWN = ["age", "sex"]
BY = [*SHOWN, "illness"]
OPTIONS = {
    "quasi_identifiers": SHOWN,
    "sensitive": ["illness"],
    "hierarchies": {"age": AGES, "sex": [("F", "*"), ("M", "*")]},
    "method": "Incognito",
    "models": [toolbox.PSensitiveKAnonymity(p=2, k=3, attribute="illness")],
    "suppression_threshold": 1,
}


@pytest.fixture(scope="module")
def made() -> toolbox.Generalisation:
    return toolbox.generalise(counted(PEOPLE, BY), **OPTIONS)


@pytest.fixture
def release(made: toolbox.Generalisation) -> pd.DataFrame:
    """The release with its numbers of classes: three people of each decade, one suppressed."""
    return classed(PEOPLE, made, SHOWN)


@pytest.mark.slow
def test_the_release_as_it_should_be_is_proved(made: toolbox.Generalisation, release: pd.DataFrame) -> None:
    assert release["age"].tolist() == [*["20s"] * 3, *["30s"] * 3, "*", *["40s"] * 3]
    proof = made.verify(counted(release, BY))
    assert proof == made.summary.proof
    assert (proof.records, proof.records_suppressed, proof.classes, proof.smallest_class) == (10, 1, 3, 3)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas, lambda table: table.to_dict("list")])
def test_the_recount_may_be_a_table_of_any_make(make, made: toolbox.Generalisation, release: pd.DataFrame) -> None:
    assert made.verify(make(counted(release, BY))) == made.summary.proof


@pytest.mark.slow
def test_the_recount_may_hold_more_columns_and_rows_that_repeat(
    made: toolbox.Generalisation, release: pd.DataFrame
) -> None:
    assert made.verify(release.assign(n=1)) == made.summary.proof
    assert made.verify(release.assign(records=1), count="records") == made.summary.proof


Change = Callable[[pd.DataFrame], pd.DataFrame]


def set_in(row: int, **values: object) -> Change:
    """Change cells of the row of one person."""

    def change(table: pd.DataFrame) -> pd.DataFrame:
        table = table.copy()
        for name, value in values.items():
            table.loc[row, name] = value
        return table

    return change


def both(*changes: Change) -> Change:
    def change(table: pd.DataFrame) -> pd.DataFrame:
        for one in changes:
            table = one(table)
        return table

    return change


def doubled(row: int) -> Change:
    return lambda table: pd.concat([table, table.loc[[row]]], ignore_index=True)


def lost(row: int) -> Change:
    return lambda table: table.drop(index=row)


SIZES = "a class is missing, invented or of another size"
MUTANTS: dict[str, tuple[Change, str]] = {
    "a record is lost": (lost(0), SIZES),
    "a record is doubled": (doubled(0), SIZES),
    "one is lost and one is doubled": (both(lost(0), doubled(3)), SIZES),
    "a record is in another class": (set_in(0, age="30s", sex="M"), SIZES),
    "a class is invented": (set_in(0, age="50s"), SIZES),
    "a class has another text": (lambda table: table.replace({"age": {"20s": "20 to 29"}}), SIZES),
    "a class has the texts of the suppressed": (
        lambda table: table.replace({"age": {"20s": "*"}, "sex": {"F": "*"}}),
        SIZES,
    ),
    "two classes have changed a column": (lambda table: table.replace({"sex": {"F": "M", "M": "F"}}), SIZES),
    "a suppressed record is shown": (set_in(6, age="70s", sex="F"), SIZES),
    "an original value is shown": (set_in(0, age="20"), SIZES),
    "the suppressed are left out": (lost(6), SIZES),
    "nothing is written": (lambda table: table.iloc[:0], SIZES),
    "all is written twice": (lambda table: pd.concat([table, table], ignore_index=True), SIZES),
    "sensitive values changed places, and a class has one value": (
        both(set_in(5, illness="flu"), set_in(0, illness="cold")),
        r"p-sensitive.* requires 2, achieved 1",
    ),
    "a sensitive value is new": (set_in(0, illness="secret"), "a value of illness is none of those that were counted"),
    "a sensitive value is lost": (set_in(0, illness=None), "a value of illness is none of those that were counted"),
}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("how", MUTANTS)
def test_a_wrong_release_is_found(how: str, made: toolbox.Generalisation, release: pd.DataFrame) -> None:
    change, message = MUTANTS[how]
    wrong = change(release)
    assert len(wrong) != len(release) or not wrong[BY].equals(release[BY])
    with pytest.raises(ProofError, match=message) as told:
        made.verify(counted(wrong, BY))
    assert "secret" not in str(told.value)


@pytest.mark.slow
def test_two_people_of_equal_classes_may_have_changed_places_unseen(
    made: toolbox.Generalisation, release: pd.DataFrame
) -> None:
    """The count of a release is the same then; docs/engines.md says so, and what helps."""
    changed = both(set_in(0, age="30s", sex="M"), set_in(3, age="20s", sex="F"))(release)
    assert not changed[SHOWN].equals(release[SHOWN])
    assert made.verify(counted(changed, BY)) == made.summary.proof


@pytest.mark.slow
def test_records_that_are_to_be_dropped_are_not_to_be_written(release: pd.DataFrame) -> None:
    dropping = toolbox.generalise(counted(PEOPLE, BY), suppressed="drop", **OPTIONS)
    assert dropping.verify(counted(release.drop(index=6), BY)).records == 9
    with pytest.raises(ProofError, match=SIZES):
        dropping.verify(counted(release, BY))


def test_records_without_a_sensitive_value_are_not_to_be_written() -> None:
    """Their combination is mapped, because others have it too: a join alone would write them."""
    people = pd.DataFrame({"age": [20, 20, 20, 21], "illness": ["flu", "cold", None, "flu"]})
    options = {"quasi_identifiers": ["age"], "sensitive": ["illness"], "k": 3, "method": "Mondrian"}
    with pytest.warns(UserWarning, match="1 record is not in the release"):
        made = toolbox.generalise(counted(people, ["age", "illness"]), **options, on_missing="skip")
    joined = classed(people, made, ["age"])
    with pytest.raises(ProofError, match=SIZES):
        made.verify(counted(joined, ["age"]))
    assert made.verify(counted(joined.dropna(), ["age"])).records == 3


@pytest.mark.slow
def test_numbers_that_are_sensitive_may_be_written_in_another_way() -> None:
    people = pd.DataFrame({"age": [20, 20, 21, 21], "pay": [1.5, 2e16, 1.5, 3.0]})
    options = {
        "quasi_identifiers": ["age"],
        "sensitive": ["pay"],
        "models": [toolbox.TCloseness(t=0.5, attribute="pay")],
    }
    made = toolbox.generalise(counted(people, ["age", "pay"]), k=2, **options)
    recount = pd.DataFrame({"age": made.classes["age"].repeat(2), "n": 1})
    others = recount.assign(pay=["1.50", "20000000000000000", "1.5", "3"])
    assert made.verify(others) == made.summary.proof


@pytest.mark.slow
def test_attributes_that_no_model_judges_need_not_be_counted_again() -> None:
    made = toolbox.generalise(counted(PEOPLE, BY), quasi_identifiers=SHOWN, sensitive=["illness"], k=3)
    assert made.verify(counted(classed(PEOPLE, made, SHOWN), SHOWN)) == made.summary.proof


# What is no recount

RECOUNT = pd.DataFrame({"age": ["20s"], "sex": ["F"], "illness": ["flu"], "n": [7]})
WRONG = {
    "no counts": (RECOUNT.drop(columns="n"), UnknownColumnError, "the recount has no column 'n'"),
    "no judged attribute": (RECOUNT.drop(columns="illness"), UnknownColumnError, "no column 'illness'"),
    "no quasi-identifier": (RECOUNT.drop(columns="age"), UnknownColumnError, "no column 'age'"),
    "a column twice": (RECOUNT[[*RECOUNT, "age"]], UsageError, "The recount has 2 columns called 'age'"),
    "texts as counts": (RECOUNT.assign(n="secret"), InputError, "'n' holds no numbers"),
    "negative counts": (RECOUNT.assign(n=-7), InputError, "does not count records in row 1"),
    "too many": (pd.concat([RECOUNT.assign(n=2**62)] * 2), InputError, "counts more than 9,007,199,254,740,992"),
    "nothing": (None, InputError, "^The table is None. Give a pandas DataFrame"),
    "a path": ("secret.parquet", InputError, "^The table is of type str. Give a pandas DataFrame"),
}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_recount_is_refused(wrong: str, made: toolbox.Generalisation) -> None:
    table, error, message = WRONG[wrong]
    with pytest.raises(error, match=message) as told:
        made.verify(table)
    assert "secret" not in str(told.value)


def test_the_column_that_counts_is_none_of_the_release(made: toolbox.Generalisation) -> None:
    with pytest.raises(UsageError, match="count='age' is a column of the release"):
        made.verify(RECOUNT, count="age")
    with pytest.raises(UnknownColumnError, match="the recount has no column 'number'"):
        made.verify(RECOUNT, count="number")
