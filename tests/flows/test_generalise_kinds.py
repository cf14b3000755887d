"""Whatever the columns of counts hold, records get the release that they would have got themselves."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.joined import bag, counted, written

import toolbox

DAYS = [dt.date(1970, 1, 1), dt.date(1970, 1, 3), dt.date(2024, 2, 29), dt.date(2024, 2, 29)]
MOMENTS = pd.to_datetime([1000, 2000, 1709208000000000000, 1709208000000000000])
D = decimal.Decimal
KINDS = {
    "moments of a zone": MOMENTS.tz_localize("America/New_York"),
    "texts": ["a", "b", " ", " "],
    "numbers with a fraction": [0.1, -2.5, 1e300, 1e300],
    "the largest numbers": [2**63 - 1, -(2**63), 0, 0],
    "small numbers": np.array([1, 2, 200, 200], "uint8"),
    "single precision": np.array([0.1, 0.25, 3.5, 3.5], "float32"),
    "nullable numbers": pd.array([1, 2, 9007199254740995, 9007199254740995], "Int64"),
    "truth values": [True, False, True, True],
    "nullable truth values": pd.array([True, False, True, True], "boolean"),
    "categories": pd.Categorical(["x", "y", "z", "z"], categories=["z", "unused", "y", "x"]),
    "ordered categories": pd.Categorical(["low", "mid", "high", "high"], ["low", "mid", "high"], ordered=True),
    "ranges": pd.cut([1, 5, 9, 9], [0, 3, 6, 10]),
    "days": pd.array(DAYS, pd.ArrowDtype(pa.date32())),
    "objects that are days": pd.Series(DAYS, dtype=object),
    "moments": pd.to_datetime([1, 2, 1709208000000000000, 1709208000000000000]),
    "decimals": pd.array([D("1.10"), D("2.20"), D("3.30"), D("3.30")], pd.ArrowDtype(pa.decimal128(12, 2))),
    "large decimals": pd.array([D(10) ** 30, D(10) ** 30 + 1, D(5), D(5)], pd.ArrowDtype(pa.decimal128(38, 2))),
    "texts of Arrow": pd.array(["ä", "名前", "'\n", "'\n"], pd.ArrowDtype(pa.large_string())),
}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_any_kind_gets_the_release_of_its_records(kind: str) -> None:
    records = pd.DataFrame({"value": KINDS[kind], "sex": list("FMFF"), "record": range(4)})
    options = {"quasi_identifiers": ["value", "sex"], "k": 2}
    expected = toolbox.anonymize(records, **options)
    made = toolbox.generalise(counted(records, ["value", "sex"]), **options)
    assert made.mapping["value"].dtype == records["value"].dtype
    release = written(records, made, ["value", "sex"])
    assert bag(release) == bag(expected.release)
    assert made.verify(counted(release, ["value", "sex"])).records == 4


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["numbers with a fraction", "categories", "days", "moments of a zone", "decimals"])
@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "arrow"])
def test_values_come_back_with_the_type_that_they_had(kind: str, make) -> None:
    counts = make(counted(pd.DataFrame({"value": KINDS[kind]}), ["value"]))
    mapping = toolbox.generalise(counts, quasi_identifiers=["value"], k=2).mapping
    before, after = (table["value"] for table in (counts, mapping))
    assert after.equals(before)


def test_both_zeros_are_one_value_as_they_are_where_records_are_joined() -> None:
    counts = pa.table({"x": [0.0, -0.0, 1.0], "y": pa.array([1, 1, 1], pa.float32()), "n": [1, 1, 2]})
    made = toolbox.generalise(counts, quasi_identifiers=["x", "y"], k=2)
    assert made.mapping.to_pydict() == {"x": [0.0, 1.0], "y": [1.0, 1.0], "class_id": [0, 1]}
    assert made.classes.to_pydict()["size"] == [2, 2]
