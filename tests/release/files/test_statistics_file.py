"""Files of SPSS and Stata: what their own library finds in them, and what the programs do not take."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from math import isnan
from typing import Any

import pyarrow as pa
import pyreadstat
import pytest
from helpers.typed_parts import typed_part

from toolbox.errors import OutputError
from toolbox.release.files.part import Part
from toolbox.release.files.statistics_file import write_statistics
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.table import Codebook

READERS = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}
BOTH = pytest.mark.parametrize("ending", ["sav", "dta"])


def written(store: Store, part: Part, ending: str) -> tuple[dict[str, list[Any]], Any]:
    path = store.folder / f"out.{ending}"
    write_statistics(store, part, path)
    columns, facts = READERS[ending](str(path), output_format="dict")
    return {
        name: [None if isinstance(value, float) and isnan(value) else value for value in values]
        for name, values in columns.items()
    }, facts


@BOTH
def test_values_keep_their_types(ending: str, store: Store) -> None:
    columns = {
        "whole": pa.array([1, -(2**53), None], pa.int64()),
        "longer": pa.array([2**60 + 1, 1, None], pa.int64()),
        "number": pa.array([0.1, None, 1e-3]),
        "price": pa.array([Decimal("1.50"), None, Decimal("-2.25")], pa.decimal128(9, 2)),
        "truth": pa.array([True, False, None]),
        "born": pa.array([date(2020, 2, 29), None, date(1850, 1, 1)]),
        "seen": pa.array([datetime(2020, 1, 2, 3, 4, 5), None, datetime(1969, 12, 31)], pa.timestamp("us")),
        "finely": pa.array([datetime(2020, 1, 2, 3, 4, 5, 1), None, None], pa.timestamp("us")),
        "town": pa.array(["Wörgl", None, "5"]),
        "list": pa.array([[1, 2], None, []]),
    }
    found, _ = written(store, typed_part(store, columns), ending)
    assert found == {
        "whole": [1, -(2**53), None],
        "longer": [str(2**60 + 1), "1", ""],
        "number": [0.1, None, 1e-3],
        "price": [1.5, None, -2.25],
        "truth": [1, 0, None],
        "born": [date(2020, 2, 29), None, date(1850, 1, 1)],
        "seen": [datetime(2020, 1, 2, 3, 4, 5), None, datetime(1969, 12, 31)],
        "finely": ["2020-01-02 03:04:05.000001", "", ""],
        "town": ["Wörgl", "", "5"],
        "list": ["[1, 2]", "", "[]"],
    }


@BOTH
def test_labels_become_codes_again_and_columns_keep_their_names_for_people(ending: str, store: Store) -> None:
    columns = {"sex": pa.array(["female", None, "male"]), "age": pa.array(["[20:30]"] * 3)}
    books = {0: Codebook("Sex", {1.0: "male", 2.0: "female", 9.0: "refused"}), 1: Codebook("Age in years")}
    found, facts = written(store, typed_part(store, columns, codebooks=books), ending)
    assert found == {"sex": [2, None, 1], "age": ["[20:30]"] * 3}
    assert facts.variable_value_labels == {"sex": {1: "male", 2: "female", 9: "refused"}}
    assert facts.column_names_to_labels == {"sex": "Sex", "age": "Age in years"}


def test_codes_that_a_program_does_not_take_stay_labels(store: Store) -> None:
    halves, texts = Codebook("", {0.5: "half", 1.0: "whole"}), Codebook("", {"m": "male", "f": "female"})
    part = typed_part(store, {"a": pa.array(["half"]), "b": pa.array(["male"])}, codebooks={0: halves, 1: texts})
    assert written(store, part, "dta")[0] == {"a": ["half"], "b": ["male"]}
    found, facts = written(store, part, "sav")
    assert found == {"a": [0.5], "b": ["m"]}
    assert facts.variable_value_labels["b"] == {"m": "male", "f": "female"}


@BOTH
def test_the_same_release_is_the_same_file_without_a_time(ending: str, store: Store) -> None:
    part = typed_part(store, {"a": pa.array([1, 2])})
    _, facts = written(store, part, ending)
    assert facts.creation_time == datetime(1980, 1, 1)


@pytest.mark.parametrize(
    ("ending", "program", "names"),
    [
        ("sav", "SPSS", ["marital-status", "1a", "a b", "", "_a", "a.", "and", "AGE", "x" * 65, "ü" * 33]),
        ("dta", "Stata", ["marital-status", "1a", "a b", "", "a.b", "int", "x" * 33]),
    ],
)
def test_names_that_a_program_does_not_take_are_listed(
    ending: str, program: str, names: list[str], store: Store
) -> None:
    columns = {name: pa.array([1]) for name in ("age", "töwn", *names)}
    with pytest.raises(OutputError) as caught:
        written(store, typed_part(store, columns), ending)
    assert str(caught.value).startswith(f"{len(names)} columns have names that {program} does not take: '{names[0]}', ")
    assert "'age'" not in str(caught.value)


@pytest.mark.parametrize(("ending", "name"), [("sav", "a.@b$"), ("sav", "x" * 64), ("dta", "_a"), ("dta", "AND")])
def test_all_other_names_are_taken(ending: str, name: str, store: Store) -> None:
    assert list(written(store, typed_part(store, {name: pa.array([1])}), ending)[0]) == [name]


def test_a_text_that_is_too_long_is_told_and_our_own_names_fit(store: Store) -> None:
    with pytest.raises(OutputError, match="The column 'a' has a text of 32,768 bytes, and SPSS takes 32,767"):
        written(store, typed_part(store, {"a": pa.array(["x" * 32_768])}), "sav")
    part = typed_part(store, {"age_mean:variance": pa.array(["35.0:2.5"])})
    assert written(store, part, "sav")[0] == {"age_mean_variance": ["35.0:2.5"]}
