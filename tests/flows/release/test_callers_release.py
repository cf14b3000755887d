"""What a Python call of `anonymize` takes, and what becomes of its index, its arguments and its warnings."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from helpers.in_order import anonymize

import toolbox
from toolbox import InputError, KAnonymity, Limits, SettingError, UsageError
from toolbox.store.input.memory import build_callers_table

PEOPLE = pd.DataFrame({"age": [25, 27, 61, 64], "n": [9007199254740995, 1, 2, 3]})
SHOWN = ["[25:27]", "[25:27]", "[61:64]", "[61:64]"]
GIVEN = {"quasi_identifiers": ["age"], "k": 2}
NAMES = pd.Index(["Ann", "Bob", "Cy", "Di"], name="person")


# Indexes


@pytest.mark.slow
@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_product([["a", "b"], NAMES[:2]]),
        pytest.param(NAMES, marks=pytest.mark.slow),
        pytest.param(pd.RangeIndex(4, name="person"), marks=pytest.mark.slow),
        pytest.param(pd.Index([2, 3, 5, 7]), marks=pytest.mark.slow),
    ],
)
def test_an_index_is_dropped_with_a_warning_or_kept_with_its_records(index: pd.Index) -> None:
    table = PEOPLE.set_axis(index)
    with pytest.warns(UserWarning, match="index='keep' keeps it") as told:
        dropped = toolbox.anonymize(table, **GIVEN, order="input").release
    assert told[0].filename == __file__
    pd.testing.assert_index_equal(dropped.index, pd.RangeIndex(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = anonymize(table, **GIVEN, index="keep").release
        assert anonymize(table, **GIVEN, index="drop").release.equals(dropped)
    pd.testing.assert_index_equal(kept.index, index)
    assert kept["age"].tolist() == SHOWN


@pytest.mark.slow
def test_the_index_of_dropped_records_goes_with_them() -> None:
    table = PEOPLE.assign(age=[25, 27, None, 64]).set_axis(pd.MultiIndex.from_tuples(zip("aabb", NAMES, strict=True)))
    with pytest.warns(UserWarning, match="1 record is not in the release"):
        kept = anonymize(table, **GIVEN, index="keep", on_missing="skip").release
    assert kept.index.tolist() == [("a", "Ann"), ("a", "Bob"), ("b", "Di")]
    assert "Cy" not in kept.index.levels[1]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [None, "person"])
def test_a_column_of_arrow_that_was_an_index_is_one_and_never_leaks(name: str | None) -> None:
    table = pa.Table.from_pandas(PEOPLE.set_axis(NAMES.rename(name)))
    with pytest.warns(UserWarning, match="The index of the table"):
        release = anonymize(table, **GIVEN).to_arrow()
    assert release.column_names == ["age", "n"]
    assert release.schema.metadata is None
    kept = anonymize(table, **GIVEN, index="keep").to_arrow()
    assert kept[name or "__index_level_0__"].to_pylist() == NAMES.tolist()


def test_an_index_that_is_named_as_an_identifier_is_dropped_without_a_word(recwarn: pytest.WarningsRecorder) -> None:
    table = pa.Table.from_pandas(PEOPLE.set_axis(NAMES))
    assert anonymize(table, **GIVEN, identifiers=["person"]).to_arrow().column_names == ["age", "n"]
    assert len(recwarn) == 0


def test_an_index_would_connect_the_tables_of_anatomy() -> None:
    with pytest.raises(UsageError, match="connect the two tables of anatomy"):
        anonymize(PEOPLE, **GIVEN, output_format="anatomy", index="keep")
    with pytest.raises(SettingError, match="one of 'drop', 'keep'"):
        anonymize(PEOPLE, **GIVEN, index="yes")


# Sources


def test_whatever_gives_itself_as_arrow_is_taken() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = pa.Table.from_pandas(PEOPLE)
    sources = (table, table.to_batches()[0], table.to_reader(), duckdb.from_arrow(table), PEOPLE.to_dict("list"))
    for source in sources:
        assert build_callers_table(source, ["age"]).given.to_pydict() == table.to_pydict()


@pytest.mark.slow
def test_whole_numbers_of_arrow_keep_their_digits_in_pandas_beside_a_missing_one() -> None:
    table = pa.table({"age": PEOPLE["age"], "n": [9007199254740995, None, 1, 2], "b": [True, None, False, True]})
    release = anonymize(table, **GIVEN).release
    assert release["n"].tolist() == [9007199254740995, pd.NA, 1, 2]
    assert release.dtypes.astype(str).tolist() == ["str", "Int64", "boolean"]


@pytest.mark.slow
def test_a_path_is_a_configuration_or_a_table_by_what_it_holds(tmp_path: Path) -> None:
    text, columns, binary, config = (tmp_path / name for name in ("a.csv", "b.parquet", "c.bin", "d.conf"))
    text.write_text("age;town\n25;Graz\n27;Linz\n?;Linz\n61;Graz\n64;\n", encoding="utf-8")
    PEOPLE.to_parquet(columns)
    binary.write_bytes(b"\x00\x01SQLite")
    config.write_text(
        "<config k='2'><input filename='b.parquet'/><output filename='out.csv' order='input'/>"
        "<qid><att name='age'/></qid></config>",
        encoding="utf-8",
    )
    with pytest.warns(UserWarning, match="1 record is not in the release"):
        release = anonymize(text, **GIVEN, on_missing="skip").release
    assert release["age"].tolist() == SHOWN
    assert release["town"].tolist()[:3] == ["Graz", "Linz", "Graz"]
    assert anonymize(str(columns), **GIVEN).release["n"].tolist() == PEOPLE["n"].tolist()
    assert anonymize(config).release["age"].tolist() == SHOWN
    for path in (text, columns):
        with pytest.raises(UsageError, match="is a table, not a configuration"):
            anonymize(path)
    with pytest.raises(UsageError, match=r"c.bin is neither a configuration \(XML\) nor a table"):
        anonymize(binary, **GIVEN)
    with pytest.raises(InputError, match="nowhere"):
        anonymize(tmp_path / "nowhere.csv", **GIVEN)


@pytest.mark.slow
def test_codes_in_a_file_are_no_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("zip\n01067\n01010\n04109\n04109\n", encoding="utf-8")
    shown = anonymize(tmp_path / "a.csv", quasi_identifiers=["zip"], k=2).release["zip"].tolist()
    assert shown == ["{01010,01067}"] * 2 + ["04109"] * 2


# Arguments


@pytest.mark.slow
def test_arguments_may_be_said_in_short() -> None:
    result = anonymize(PEOPLE, quasi_identifiers=["age"], models=[KAnonymity(2)], limits="100MB")
    assert result.release["age"].tolist() == SHOWN
    assert toolbox.check(result.release, quasi_identifiers=["age"], models=[KAnonymity(2)], limits="100MB").holds


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"limits": "much"}, "limits is 'much', which is not an amount of memory"),
        ({"limits": Limits(memory="2 potatoes")}, "is not an amount of memory"),
        ({"limits": Limits(threads=0)}, "limits.threads is 0; write a whole number"),
        ({"limits": 7}, "limits is 7; write an amount of memory such as '2GB'"),
        ({"quasi_identifer": ["age"]}, "has no argument 'quasi_identifer'. Did you mean 'quasi_identifiers'?"),
        ({"hierarchies": {"age": {25: "young", 27: ["young"]}}}, "'age' mixes texts and lists"),
        ({"hierarchies": {"age": {"all": {"young": 25}}}}, "does not end in a list of values"),
        ({"hierarchies": {"age": {"young": [25, 27], "old": {"very": [61, 64]}}}}, "Give every value a label on each"),
    ],
)
def test_a_wrong_argument_is_named(argument: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        anonymize(PEOPLE, **{**GIVEN, **argument})


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "tree",
    [
        {25: "young", 27: "young", 61: "old", 64: "old"},
        {"*": {"young": [25, 27], "old": [61, 64]}},
    ],
    ids=["generalisations", "a tree"],
)
def test_a_hierarchy_may_be_a_dict(tree: dict[object, object]) -> None:
    given = {**GIVEN, "hierarchies": {"age": tree}, "method": "Datafly", "suppression_threshold": 0}
    assert anonymize(PEOPLE, **given).release["age"].tolist() == ["young", "young", "old", "old"]


@pytest.mark.slow
def test_lines_of_a_file_that_do_not_fit_are_counted_in_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("age,n\n25,1\n27\n27,2\n61,3\n64,4\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"^1 line of .*a\.csv does not fit the first one"):
        release = anonymize(path, **GIVEN).release
    assert release["n"].tolist() == ["1", "2", "3", "4"]


# The file that a call writes


@pytest.mark.parametrize("argument", ["source", "population", "key", "same_domain_as", "earlier", "tables"])
def test_a_recoding_replaces_no_file_that_the_call_reads(argument: str, tmp_path: Path) -> None:
    read = tmp_path / "read.csv"
    read.write_text("n,age\n1,25\n2,27\n")
    given: dict[str, object] = {argument: read, "source": read if argument == "source" else PEOPLE}
    if argument == "tables":
        given["tables"] = {"visits": {"source": str(read), "key": "n"}}
    again = tmp_path / "below" / ".." / "read.csv"
    with pytest.raises(UsageError, match=r"^save_recoding= names '.*read\.csv', which the call reads\. Name another"):
        toolbox.anonymize(**given, **GIVEN, person="n", save_recoding=str(again))
    assert read.read_text() == "n,age\n1,25\n2,27\n"
