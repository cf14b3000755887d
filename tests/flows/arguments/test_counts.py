"""Tables of counts: each column once, and values that the engine tells apart as those do who count and join."""

import pandas as pd
import pyarrow as pa
import pytest

from toolbox.errors import InputError, UnknownColumnError, UsageError
from toolbox.flows.arguments.tables import make_counts_table


def test_each_named_column_is_there_once_and_others_are_nobody_s_business() -> None:
    table = pd.DataFrame([[1, 2, 3, 4]], columns=["a", "x", "x", "n"])
    assert make_counts_table(table, ["a", "n"], "the table").given is table
    with pytest.raises(UnknownColumnError, match="the recount has no column 'b'"):
        make_counts_table(table, ["a", "b"], "the recount")
    with pytest.raises(UsageError, match="The recount has 2 columns called 'x'"):
        make_counts_table(table, ["a", "x"], "the recount")


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_a_zero_has_no_sign_and_the_caller_s_own_keeps_it(kind: pa.DataType) -> None:
    given = pa.table({"x": pa.array([-0.0, 0.0, None, -1.5], kind), "other": [-0.0] * 4})
    table = make_counts_table(given, ["x"], "the table")
    assert table.arrow["x"].type == kind
    assert list(map(str, table.arrow["x"].to_pylist())) == ["0.0", "0.0", "None", "-1.5"]
    assert str(table.given["x"][0].as_py()) == str(table.arrow["other"][0].as_py()) == "-0.0"


FINE = [
    pa.array([1_000, 2_000, None], pa.timestamp("ns", "Europe/Vienna")),
    pa.array([1, 2, None], pa.timestamp("us", "Europe/Vienna")),
    pa.array([1, 2, None], pa.timestamp("ns")),
    pa.array([1_000, 2_000, None], pa.time64("ns")),
    pa.array([1_000, 2_000, None], pa.duration("ns")),
]
TOO_FINE = [pa.array([1, 2, None], kind) for kind in (pa.timestamp("ns", "UTC"), pa.time64("ns"), pa.duration("ns"))]


@pytest.mark.parametrize("times", FINE, ids=lambda times: str(times.type))
def test_times_of_whole_microseconds_are_told_apart(times: pa.Array) -> None:
    assert make_counts_table(pa.table({"x": times}), ["x"], "the table").arrow["x"].to_pylist() == times.to_pylist()


@pytest.mark.parametrize("times", TOO_FINE, ids=lambda times: str(times.type))
def test_times_that_the_engine_would_cut_off_are_refused(times: pa.Array) -> None:
    with pytest.raises(InputError, match=r"Column 'x' holds times that are finer than a microsecond. Round them"):
        make_counts_table(pa.table({"x": times}), ["x"], "the table")
