"""What no expression makes of a record: values that go around the engine, and values that are treated once for all."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from helpers import in_order
from pyarrow import parquet

from toolbox.cli.main import main
from toolbox.release.columns import is_carried

NANOSECONDS = pa.timestamp("ns", "Europe/Vienna")
ORDERED = pa.dictionary(pa.int8(), pa.string(), ordered=True)


def release(folder: Path, tables: list[pa.Table], output: str = "", method: str = "") -> list[pa.Table]:
    """Release the tables as files of one input; return the files of the release."""
    for number, table in enumerate(tables):
        parquet.write_table(table, folder / f"in{number}.parquet")
    (folder / "c.xml").write_text(
        f"<config k='2' {method}><input filename='in*.parquet' onMissing='skip'/><output filename='out.parquet' {output}/>"
        "<qid><att index='0'/></qid></config>",
        encoding="utf-8",
    )
    in_order.anonymize(folder / "c.xml")
    return [parquet.read_table(path) for path in sorted(folder.glob("out*"))]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:2 records are not in the release")
def test_values_follow_their_records_over_several_files_where_some_are_left_out(tmp_path: Path) -> None:
    kinds = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0], pa.int8()), ["high", "rare", "low"], ordered=True)
    tables = [
        pa.table([pa.array(ages), pa.array(times, NANOSECONDS), kinds], names=["age", "a.b", "A.B"])
        for ages, times in (([20, None, 21], [1, 2, 3]), ([22, None, 23], [4, None, 6]))
    ]
    (found,) = release(tmp_path, tables)
    assert found["a.b"].type == NANOSECONDS
    assert found["a.b"].cast(pa.int64()).to_pylist() == [1, 3, 4, 6]
    assert found.schema.field(2).type == ORDERED
    kind = found.column(2).combine_chunks()
    assert (kind.to_pylist(), kind.dictionary.to_pylist()) == (["low", "high"] * 2, ["high", "low"])
    assert "toolbox row" not in found.column_names


@pytest.mark.slow
def test_each_piece_of_a_split_release_has_its_own_values(tmp_path: Path) -> None:
    count = 150_000
    table = pa.table({"age": [1] * count, "n": pa.array(range(count), pa.time64("ns"))})
    pieces = release(tmp_path, [table], "splitSize='500KB'")
    assert len(pieces) > 1
    assert pa.concat_tables(pieces)["n"].cast(pa.int64()).to_pylist() == list(range(count))


def test_the_table_of_anatomy_that_shows_them_has_them_in_its_own_order(tmp_path: Path) -> None:
    table = pa.table({"age": [20, 21, 22, 23], "n": pa.array([1, 2, 3, 4], pa.time64("ns")), "m": [1, 2, 3, 4]})
    quasi, rest = release(tmp_path, [table], "format='anatomy'")
    assert quasi.column_names == ["age", "group"]
    assert rest.schema.names == ["group", "n", "m"]
    assert rest["n"].cast(pa.int64()).to_pylist() == rest["m"].to_pylist()


@pytest.mark.parametrize(
    ("kind", "carried"),
    [
        (pa.large_list(pa.struct([("a", pa.large_string())])), True),
        (pa.list_(pa.time64("ns")), False),
        (pa.map_(pa.string(), ORDERED), False),
        (pa.timestamp("us", "Asia/Tokyo"), True),
        (NANOSECONDS, False),
        (pa.decimal256(40, 1), False),
    ],
)
def test_a_type_is_carried_if_all_within_it_is(kind: pa.DataType, carried: bool) -> None:
    assert is_carried(kind) is carried


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_value_that_is_treated_once_for_all_records_is_what_each_would_show(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["who,age,pay,day,seen"]
    for number in range(240):
        pay = (str(1_000 + 30 * (number % 17)), "", "?")[(number % 20) // 18 + (number % 40 == 39)]
        lines.append(f"p{number % 50},{20 + number % 2},{pay},2024-0{1 + number % 9}-01,2024-02-{10 + number % 9}")
    Path("in.csv").write_text("\n".join(lines) + "\n")
    assert main(["key", "new", "k.key", "--quiet"]) == 0
    treated = ("who=pseudonym", "pay=round:100", "day=top:2024-05-05", "seen=shift:days=9")
    options = ["--qi", "age", "--person", "who", "-k", "2", "--order", "input", "--key", "k.key", "--quiet"]
    options += [word for each in treated for word in ("--treat", each)]
    assert main(["anonymize", "in.csv", *options, "-output", f"each{ending}", "--report", "each.json"]) == 0
    monkeypatch.setattr("toolbox.release.columns._WORTH_ONCE", 0)
    again = ["--same-domain-as", "each.json", "-output", f"once{ending}"]
    assert main(["anonymize", "in.csv", *options, *again]) == 0
    each, once = ((pd.read_csv if ending == ".csv" else pd.read_parquet)(f"{run}{ending}") for run in ("each", "once"))
    pd.testing.assert_frame_equal(each, once)
    assert len(each) == 240
