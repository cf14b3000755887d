"""Counts that are none, and calls that cannot be: refused by an error that helps and quotes no cell."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import toolbox
from toolbox.errors import (
    ConfigurationError,
    InputError,
    SettingError,
    ToolboxError,
    UnknownColumnError,
    UnsatisfiableError,
    UsageError,
)
from toolbox.store.tables import Tables

COUNTS = pd.DataFrame({"age": [25, 27, 61], "n": [1, 1, 2]})
AGES = {"quasi_identifiers": ["age"], "k": 2}

TWICE = COUNTS[["age", "n", "n"]]
ILL = COUNTS.assign(ill=list("aab"))


class LooksAtRecords(toolbox.Anonymizer):
    """Wants to see single records."""

    name = "LooksAtRecords"

    def anonymize(self, tables: Tables) -> Tables:
        assert tables.anon_record is not None
        return tables


WRONG = {
    "Anatomy": (ILL, {"sensitive": ["ill"], "method": "Anatomy", "k": None, "l": 2}, UsageError, "cannot make anatomy"),
    "the format anatomy": (ILL, {"output_format": "anatomy"}, UsageError, "cannot make anatomy"),
    "a method that looks at records": (
        COUNTS,
        {"method": LooksAtRecords},
        UsageError,
        "only combinations were counted",
    ),
    "a missing column": (COUNTS, {"quasi_identifiers": ["agee"]}, UnknownColumnError, "Did you mean 'age'"),
    "a missing sensitive attribute": (COUNTS, {"sensitive": ["ill"]}, UnknownColumnError, "no column 'ill'"),
    "no column that counts": (COUNTS, {"count": "number"}, UnknownColumnError, "no column 'number'"),
    "no name for it": (COUNTS, {"count": None}, UnknownColumnError, "no column 'None'"),
    "two columns that count": (TWICE, {}, UsageError, "2 columns called 'n'. Rename all but one"),
    "two columns of one name": (COUNTS[["age", "age", "n"]], {}, UsageError, "2 columns called 'age'"),
    "a count that is declared": (COUNTS, {"count": "age"}, UsageError, "count='age' is a declared column"),
    "a count that is sensitive": (COUNTS, {"sensitive": ["n"]}, UsageError, "count='n' is a declared column"),
    "a quasi-identifier twice": (
        COUNTS,
        {"quasi_identifiers": ["age", "age"]},
        ConfigurationError,
        "age is declared twice",
    ),
    "no quasi-identifier": (COUNTS, {"quasi_identifiers": []}, UsageError, "quasi_identifiers is empty"),
    "no records": (COUNTS.iloc[:0], {}, InputError, "holds no record"),
    "only zeros": (COUNTS.assign(n=0), {}, InputError, "holds no record"),
    "too large a k": (COUNTS, {"k": 5}, UnsatisfiableError, "has 4 records, and a class needs at least 5"),
    "an unknown argument": (COUNTS, {"order": "input"}, UsageError, r"generalise\(\) has no argument 'order'"),
    "an unknown format": (COUNTS, {"output_format": "csv"}, SettingError, "'genVals', 'genValsDist'"),
    "a generator": ((row for row in [1]), {}, InputError, "cannot be read"),
    "a path": ("secret.csv", {}, InputError, "^The table is of type str. Give a pandas DataFrame"),
    "nothing": (None, {}, InputError, "^The table is None. Give a pandas DataFrame"),
    "rows": ([("secret", 1)], {}, InputError, "cannot be read"),
}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_is_refused(wrong: str) -> None:
    table, options, error, message = WRONG[wrong]
    with pytest.raises(error, match=message) as told:
        toolbox.generalise(table, **{**AGES, **options})
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("name", ["class_id", "size", "suppressed"])
def test_a_quasi_identifier_is_not_called_as_what_stands_beside_it(name: str) -> None:
    with pytest.raises(UsageError, match=f"called '{name}'.* Rename it"):
        toolbox.generalise(COUNTS.rename(columns={"age": name}), quasi_identifiers=[name], k=2)


NO_COUNTS = {
    "negative": ([1, 1, -2], "in row 3. Write whole numbers from 0 up"),
    "a fraction": ([1, 1.5, 2], "in row 2"),
    "missing": ([None, 1, 2], "in row 1"),
    "no number": (pa.array([1.0, float("nan"), 2.0]), "in row 2"),
    "infinite": ([1, 1, float("inf")], "in row 3"),
    "too large": ([1, 1, 1e30], "in row 3"),
    "beyond 64 bits": (np.array([1, 1, 2**64 - 1], "uint64"), "in row 3"),
    "too many in all": ([2**62, 2**62, 2**62], "counts more than 9,007,199,254,740,992 records"),
    "texts": (["1", "1", "secret"], "holds no numbers"),
    "truth values": ([True, True, False], "holds no numbers"),
    "days": ([dt.date(2020, 1, 1)] * 3, "holds no numbers"),
    "of several types": ([1, "secret", 2], "holds values of several types"),
    "all wrong": ([-1, -1, -1], "in rows 1, 2, 3"),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("wrong", NO_COUNTS)
def test_what_is_no_count_is_refused_and_not_quoted(wrong: str) -> None:
    numbers, message = NO_COUNTS[wrong]
    table = {"age": [25, 27, 61], "n": numbers} if isinstance(numbers, pa.Array) else COUNTS.assign(n=numbers)
    with pytest.raises(InputError, match=message) as told:
        toolbox.generalise(table, **AGES)
    assert "secret" not in str(told.value)


def test_a_value_that_does_not_fit_is_not_quoted() -> None:
    counts = pd.DataFrame({"age": ["25", "secret", "61"], "n": [2, 2, 2]})
    with pytest.raises(InputError, match=r"column age: .*\(row 2\) is no number") as told:
        toolbox.generalise(counts, kinds={"age": "number"}, **AGES)
    assert "secret" not in str(told.value)


def test_whatever_is_wrong_is_an_error_of_the_toolbox() -> None:
    assert all(issubclass(error, ToolboxError) for _, _, error, _ in WRONG.values())
