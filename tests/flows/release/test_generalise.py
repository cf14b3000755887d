"""From counts to what becomes of each combination, whoever makes the table and whatever its columns are called."""

from __future__ import annotations

import warnings
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.hostile_columns import HOSTILE
from helpers.joined import bag, counted, written

import toolbox
from toolbox.errors import (
    InputError,
)

COUNTS = pd.DataFrame({"age": [25, 27, 61], "n": [1, 1, 2]})
UNTOUCHED = COUNTS.copy(deep=True)
AGES = {"quasi_identifiers": ["age"], "k": 2}
LABELS = {25: "[25:27]", 27: "[25:27]", 61: "61"}


def texts(made: toolbox.Generalisation, column: str = "age") -> dict[object, str]:
    """Return the text that each value gets."""
    mapping, classes = (as_pandas(table) for table in (made.mapping, made.classes))
    joined = mapping.merge(classes, on="class_id", suffixes=("", " shown"))
    return dict(zip(joined[column].tolist(), joined[f"{column} shown"].tolist(), strict=True))


def as_pandas(table: object) -> pd.DataFrame:
    return table if isinstance(table, pd.DataFrame) else table.to_pandas()


# Tables of any make


def relation() -> duckdb.DuckDBPyRelation:
    return duckdb.sql("SELECT age, sum(n) AS n FROM (VALUES (25, 1), (61, 2), (27, 1)) AS counts(age, n) GROUP BY age")


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: COUNTS, pd.DataFrame),
        (COUNTS.convert_dtypes, pd.DataFrame),
        (lambda: COUNTS.convert_dtypes(dtype_backend="pyarrow"), pd.DataFrame),
        (lambda: pl.from_pandas(COUNTS), pl.DataFrame),
        (lambda: pl.from_pandas(COUNTS).lazy(), pl.DataFrame),
        (lambda: pl.LazyFrame({"age": [25, 61, 27, 61]}).group_by("age").agg(pl.len().alias("n")), pl.DataFrame),
        (lambda: pa.Table.from_pandas(COUNTS), pa.Table),
        (lambda: pa.RecordBatch.from_pandas(COUNTS), pa.Table),
        (lambda: COUNTS.to_dict("list"), pa.Table),
        (relation, pa.Table),
        (lambda: relation().to_arrow_table(), pa.Table),
    ],
    ids=[
        "pandas",
        "nullable",
        "pyarrow-backed",
        "polars",
        "lazy",
        "grouped",
        "arrow",
        "batch",
        "dict",
        "relation",
        "relation-as-arrow",
    ],
)
def test_a_table_of_any_make_gives_the_same_and_comes_back_in_that_make(make, kind: type) -> None:
    made = toolbox.generalise(make(), **AGES)
    assert isinstance(made.mapping, kind)
    assert isinstance(made.classes, kind)
    assert texts(made) == LABELS
    assert made.verify(pa.table({"age": ["61", "[25:27]"], "n": [2, 2]})).smallest_class == 2
    pd.testing.assert_frame_equal(COUNTS, UNTOUCHED)


# Counts


@pytest.mark.slow
def test_rows_that_repeat_are_added_up_and_zeros_are_no_records() -> None:
    counts = pd.DataFrame({"age": [25, 61, 27, 61, 99, 25], "n": [1, 1, 1, 1, 0, 0]})
    made = toolbox.generalise(counts, **AGES)
    assert texts(made) == LABELS
    assert made.mapping["age"].tolist() == [25, 61, 27]
    assert (made.summary.records_read, made.summary.proof.records) == (4, 4)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "numbers",
    [
        np.array([1, 1, 2], "uint8"),
        [1.0, 1.0, 2.0],
        pd.array([1, 1, 2], "Int64"),
        pd.array([1, 1, 2], "uint64[pyarrow]"),
        pd.array([Decimal("1.0"), Decimal("1.0"), Decimal("2.0")], pd.ArrowDtype(pa.decimal128(38, 1))),
    ],
    ids=str,
)
def test_counts_may_have_any_type_of_numbers(numbers) -> None:
    made = toolbox.generalise(COUNTS.assign(n=numbers), **AGES)
    assert made.classes["size"].tolist() == [2, 2]


@pytest.mark.slow
def test_a_thousand_million_times_as_many_records_have_the_same_classes() -> None:
    """Nobody can list them; a class of k people is one of k thousand million."""
    much, generator = 10**9, np.random.default_rng(1)
    counts = counted(pd.DataFrame(generator.integers(0, 9, (400, 3)), columns=list("abc")), list("abc"))
    for method in ("Mondrian", "LocalRecoding", "PrioPrivacy"):
        few, many = (
            toolbox.generalise(
                counts.assign(n=counts["n"] * factor),
                quasi_identifiers=list("abc"),
                hierarchies={name: [(value, value // 3, "*") for value in range(9)] for name in "abc"},
                method=method,
                k=5 * factor,
            )
            for factor in (1, much)
        )
        pd.testing.assert_frame_equal(many.mapping, few.mapping)
        assert (many.classes["size"] == few.classes["size"] * much).all()


# Names


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_column_may_have_any_name(name: str) -> None:
    counts = COUNTS.rename(columns={"age": name}).assign(s=list("aba"))
    options = {
        "quasi_identifiers": [name],
        "sensitive": ["s"],
        "models": [toolbox.DistinctLDiversity(l=1, attribute="s")],
    }
    made = toolbox.generalise(counts, k=2, **options)
    assert texts(made, name) == LABELS
    recount = pd.DataFrame({name: ["61", "[25:27]", "[25:27]"], "s": list("aab"), "n": [2, 1, 1]})
    assert made.verify(recount).smallest_class == 2


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [*HOSTILE, "count", "size", "class_id", "toolbox row"])
def test_the_column_that_counts_may_have_any_name(name: str) -> None:
    made = toolbox.generalise(COUNTS.rename(columns={"n": name}), count=name, **AGES)
    assert texts(made) == LABELS
    recount = pd.DataFrame({"age": ["61", "[25:27]"], name: [2, 2]})
    assert made.verify(recount) == made.verify(recount.rename(columns={name: "other"}), count="other")


@pytest.mark.slow
def test_labels_of_pandas_need_not_be_texts() -> None:
    made = toolbox.generalise(COUNTS.set_axis([0, 1], axis=1), count=1, quasi_identifiers=[0], k=2)
    assert list(made.mapping.columns) == [0, "class_id"]
    assert list(made.classes.columns) == ["class_id", "size", "suppressed", 0]
    assert made.verify(pd.DataFrame({0: ["61", "[25:27]"], 1: [2, 2]})).records == 4


@pytest.mark.slow
def test_very_many_quasi_identifiers_are_a_combination() -> None:
    generator, count = np.random.default_rng(1), times(24, slow=64)
    names = [f"q{number}" for number in range(count)]
    records = pd.DataFrame(generator.integers(0, 3, (200, count)), columns=names)
    expected = toolbox.anonymize(records, quasi_identifiers=names, k=5)
    made = toolbox.generalise(counted(records, names), quasi_identifiers=names, k=5)
    release = written(records, made, names)
    assert bag(release) == bag(expected.release)
    assert made.verify(counted(release, names)) == expected.summary.proof


@pytest.mark.slow
def test_columns_that_nobody_names_are_ignored() -> None:
    counts = COUNTS.assign(other=[object(), 1, "x"])
    assert texts(toolbox.generalise(counts, **AGES)) == LABELS


# Missing and suppressed

PLACES = pd.DataFrame({"sex": ["F", None, "M"], "city": ["Graz", "Graz", None], "n": [2, 3, 4]})


@pytest.mark.slow
def test_combinations_without_a_value_are_not_mapped_and_the_caller_is_told() -> None:
    with pytest.warns(UserWarning, match="7 records are not in the release") as told:
        made = toolbox.generalise(PLACES, quasi_identifiers=["sex", "city"], k=2, on_missing="skip")
    assert [warning.filename for warning in told] == [__file__]
    assert made.mapping.to_dict("list") == {"sex": ["F"], "city": ["Graz"], "class_id": [0]}
    assert (made.summary.records_skipped, made.summary.proof.records) == (7, 2)


@pytest.mark.slow
def test_combinations_without_a_value_are_kept_with_missing_as_a_category() -> None:
    with warnings.catch_warnings(action="error"):
        made = toolbox.generalise(PLACES, quasi_identifiers=["sex", "city"], k=2, on_missing="keep")
    records = PLACES.loc[PLACES.index.repeat(PLACES["n"])].drop(columns="n")
    expected = toolbox.anonymize(records, index="drop", quasi_identifiers=["sex", "city"], k=2, on_missing="keep")
    assert made.mapping["sex"].isna().tolist() == [False, True, False]
    assert bag(written(records, made, ["sex", "city"])) == bag(expected.release)


def test_combinations_without_a_value_are_refused_by_their_rows() -> None:
    with pytest.raises(InputError, match=r"column sex: missing \(row 2\)\n  column city: missing \(row 3\)"):
        toolbox.generalise(PLACES, quasi_identifiers=["sex", "city"], k=2, on_missing="fail")


def test_records_without_a_sensitive_value_are_skipped_although_their_combination_is_mapped() -> None:
    counts = pd.DataFrame({"age": [25, 25, 61], "ill": ["flu", None, "flu"], "n": [2, 1, 2]})
    with pytest.warns(UserWarning, match="1 record is not"):
        made = toolbox.generalise(counts, sensitive=["ill"], **AGES, on_missing="skip")
    assert made.classes["size"].tolist() == [2, 2]


RARE = {
    "quasi_identifiers": ["age"],
    "hierarchies": {"age": [(25, "young", "*"), (27, "young", "*"), (61, "old", "*")]},
    "method": "Datafly",
    "k": 3,
    "suppression_threshold": 2,
}


@pytest.mark.slow
def test_suppressed_combinations_are_a_class_of_roots_or_in_none() -> None:
    counts = COUNTS.assign(n=[2, 2, 1])
    made = toolbox.generalise(counts, **RARE)
    assert made.classes.to_dict("list") == {
        "class_id": [0, 1],
        "size": [4, 1],
        "suppressed": [False, True],
        "age": ["young", "*"],
    }
    assert made.mapping["class_id"].tolist() == [0, 0, 1]
    dropped = toolbox.generalise(counts, suppressed="drop", **RARE)
    assert dropped.mapping.to_dict("list") == {"age": [25, 27], "class_id": [0, 0]}
    assert dropped.classes["age"].tolist() == ["young"]


# Statistics


@pytest.mark.slow
def test_classes_come_with_their_statistics() -> None:
    made = toolbox.generalise(COUNTS, output_format="genValsDist", **AGES)
    assert made.classes["age_mean:variance"].tolist() == ["61.0:0.0", "26.0:1.0"]
    assert [column.classes for column in made.summary.solved] == [2]


@pytest.mark.slow
def test_rounded_statistics_are_those_of_the_release_of_the_records() -> None:
    generator = np.random.default_rng(1)
    records = pd.DataFrame({"age": generator.integers(20, 60, 90), "sex": generator.choice(list("FM"), 90)})
    options = {
        "quasi_identifiers": ["age", "sex"],
        "k": 10,
        "output_format": "genValsDist",
        "statistics": "rounded",
    }
    made = toolbox.generalise(counted(records, ["age", "sex"]), **options)
    release = written(records, made, ["age", "sex"])
    assert bag(release) == bag(toolbox.anonymize(records, **options).release)


# Models


@pytest.mark.slow
def test_two_sensitive_attributes_are_judged_on_the_counts_of_both() -> None:
    generator = np.random.default_rng(1)
    records = pd.DataFrame(
        {
            "age": generator.integers(20, 32, 80),
            "illness": generator.choice(["flu", "cold", "gout"], 80),
            "stage": generator.integers(1, 6, 80),
        }
    )
    options = {
        "quasi_identifiers": ["age"],
        "sensitive": ["illness", "stage"],
        "models": [
            toolbox.EntropyLDiversity(l=2, attribute="illness"),
            toolbox.TCloseness(t=0.3, attribute="stage"),
        ],
        "k": 4,
    }
    by = ["age", "illness", "stage"]
    made, expected = toolbox.generalise(counted(records, by), **options), toolbox.anonymize(records, **options)
    release = written(records, made, ["age"])
    assert bag(release) == bag(expected.release)
    assert made.verify(counted(release, by)) == expected.summary.proof
    assert len({result.attribute for result in made.summary.proof.models}) == 3


@pytest.mark.slow
def test_nothing_stays_in_the_folder_for_temporary_files(tmp_path) -> None:
    limits = toolbox.Limits(temp_dir=tmp_path)
    made = toolbox.generalise(COUNTS, limits=limits, **AGES)
    made.verify(pd.DataFrame({"age": ["61", "[25:27]"], "n": [2, 2]}))
    assert list(tmp_path.iterdir()) == []
