"""The Python interface: a table or a configuration in, a proved release out."""

from dataclasses import fields, replace
from inspect import signature
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from helpers.in_order import anonymize

import toolbox
from toolbox import (
    Config,
    ConfigurationError,
    InputError,
    ProofError,
    Result,
    SettingError,
    ToolboxError,
    UnknownColumnError,
    UnsatisfiableError,
    UsageError,
    load_config,
)
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import Reading
from toolbox.methods.mondrian import Mondrian
from toolbox.store.tables import Tables

PATIENTS = pd.DataFrame(
    {
        "name": ["Ann", "Bob", "Cy", "Di"],
        "age": [25, 27, 61, 64],
        "sex": ["F", "M", "M", "F"],
        "illness": ["flu", "cold", "flu", "gout"],
    }
)
AGES = [(25, "young", "*"), (27, "young", "*"), (61, "old", "*"), (64, "old", "*")]
SEXES = [("F", "person"), ("M", "person")]


def rows(result: Result) -> list[tuple[object, ...]]:
    return list(result.release.itertuples(index=False, name=None))


# Tables


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda table: table, pa.Table.from_pandas, lambda table: table.to_dict("list")])
def test_a_table_of_any_make_gives_the_same_release_and_is_untouched(make) -> None:
    before = PATIENTS.copy(deep=True)
    result = anonymize(make(PATIENTS), quasi_identifiers=["age"], sensitive=["illness"], identifiers=["name"], k=2)
    assert list(result.release.columns) == ["age", "sex", "illness"]
    assert rows(result) == [
        ("[25:27]", "F", "flu"),
        ("[25:27]", "M", "cold"),
        ("[61:64]", "M", "flu"),
        ("[61:64]", "F", "gout"),
    ]
    assert (result.summary.proof.classes, result.summary.proof.smallest_class) == (2, 2)
    pd.testing.assert_frame_equal(PATIENTS, before)


@pytest.mark.slow
def test_datafly_takes_hierarchies_as_rows_frames_and_files(tmp_path: Path) -> None:
    path = tmp_path / "ages.csv"
    path.write_text("\n".join(";".join(map(str, row)) for row in AGES))
    for ages in (AGES, pd.DataFrame(AGES), path):
        result = anonymize(
            PATIENTS,
            quasi_identifiers=["sex", "age"],
            hierarchies={"age": ages, "sex": SEXES},
            method="datafly",
            k=2,
            suppression_threshold=0,
        )
        assert [row[1:3] for row in rows(result)] == [
            ("young", "person"),
            ("young", "person"),
            ("old", "person"),
            ("old", "person"),
        ]
        assert result.summary.method == "Datafly"


@pytest.mark.slow
def test_columns_may_have_any_names_even_numbers_and_equal_ones() -> None:
    table = PATIENTS[["age", "illness", "illness"]].set_axis([0, "x", "x"], axis=1)
    result = anonymize(table, quasi_identifiers=[0], hierarchies={0: AGES}, method="Datafly", k=2)
    assert list(result.release.columns) == [0, "x", "x"]
    assert rows(result)[0] == ("young", "flu", "flu")


@pytest.mark.slow
def test_kinds_decide_where_the_type_does_not(tmp_path: Path) -> None:
    zips = pd.DataFrame({"zip": [10, 9, 100, 90]})
    assert [row[0] for row in rows(anonymize(zips, quasi_identifiers=["zip"], k=2))] == [
        "[9:10]",
        "[9:10]",
        "[90:100]",
        "[90:100]",
    ]
    as_codes = anonymize(zips, quasi_identifiers=["zip"], kinds={"zip": "category"}, k=2)
    assert [row[0] for row in rows(as_codes)] == ["{10,100}", "{9,90}", "{10,100}", "{9,90}"]


@pytest.mark.slow
def test_priorities_and_weights_are_what_a_method_reads() -> None:
    """A configuration says the same with ``priority=`` and ``weight=`` of ``att``."""
    seen = {}

    class Look(Mondrian):
        name = "Look"

        def anonymize(self, tables: Tables) -> Tables:
            seen.update({one.name: (one.priority, one.weight) for one in tables.quasi_identifiers})
            return super().anonymize(tables)

    given = {"priorities": {"age": 2}, "weights": {"age": 0.5, "sex": 3}}
    anonymize(PATIENTS, quasi_identifiers=["age", "sex"], method=Look, k=2, **given)
    assert seen == {"age": (2, 0.5), "sex": (None, 3.0)}


@pytest.mark.slow
def test_missing_values_are_skipped_kept_or_refused() -> None:
    """In a table of the caller null is missing; a question mark is a value, as it is in nothing but files."""
    table = pd.DataFrame({"sex": ["F", None, "F", "?", "?"], "n": [1, 2, 3, 4, 5]})
    with pytest.warns(UserWarning, match="1 record is not in the release"):
        skipped = anonymize(table, quasi_identifiers=["sex"], k=2, on_missing="skip")
    assert rows(skipped) == [("F", 1), ("F", 3), ("?", 4), ("?", 5)]
    assert skipped.summary.records_skipped == 1
    kept = anonymize(table, quasi_identifiers=["sex"], k=2, on_missing="keep")
    assert rows(kept) == [("F", 1), ("?", 2), ("F", 3), ("?", 4), ("?", 5)]
    with pytest.raises(InputError, match=r"column sex: missing \(row 2\)"):
        anonymize(table, quasi_identifiers=["sex"], k=2, on_missing="fail")


@pytest.mark.slow
@pytest.mark.parametrize(("lacking", "asks"), [(1, False), (2, True)])
def test_more_than_one_record_in_a_hundred_is_not_left_out_unasked(lacking: int, *, asks: bool) -> None:
    table = pd.DataFrame({"sex": ["F"] * 100, "city": ["Graz"] * (100 - lacking) + [None] * lacking})
    given = {"quasi_identifiers": ["sex"], "sensitive": ["city"], "k": 2}
    if not asks:
        with pytest.warns(UserWarning, match="1 record is not in the release"):
            assert anonymize(table, **given).summary.records_skipped == 1
        return
    with pytest.raises(UsageError, match=r"2 of 100 records lack a declared value \(city 2\)") as caught:
        anonymize(table, **given)
    assert "on_missing='skip' leaves them out; on_missing='keep' keeps them" in str(caught.value)
    assert len(anonymize(table, **given, on_missing="keep").release) == 100


def test_a_categorical_column_forgets_the_values_of_records_that_are_left_out() -> None:
    table = pd.DataFrame({"age": [1, 1, None], "illness": pd.Categorical(["flu", "cold", "rare"])})
    with pytest.warns(UserWarning, match="1 record is not in the release"):
        release = anonymize(table, quasi_identifiers=["age"], k=2, on_missing="skip").release
    assert sorted(release["illness"].cat.categories) == ["cold", "flu"]


def test_an_error_of_a_mixed_column_quotes_no_cell() -> None:
    table = pd.DataFrame({"age": [1, 1], "illness": [1, "secret"]})
    with pytest.raises(InputError, match="column 'illness' holds values of several types") as error:
        anonymize(table, quasi_identifiers=["age"], sensitive=["illness"], k=2)
    assert "secret" not in str(error.value)


@pytest.mark.slow
def test_suppressed_records_are_kept_or_dropped() -> None:
    given = {"quasi_identifiers": ["age"], "hierarchies": {"age": AGES}, "method": "Datafly", "k": 2}
    table = PATIENTS.iloc[[0, 0, 3]].reset_index(drop=True)
    assert [row[1] for row in rows(anonymize(table, **given))] == ["25", "25", "*"]
    dropped = anonymize(table, suppressed="drop", **given)
    assert [row[1] for row in rows(dropped)] == ["25", "25"]
    assert (dropped.summary.proof.records_suppressed, dropped.summary.records_released) == (1, 2)


@pytest.mark.slow
def test_anatomy_has_two_parts_and_a_seed_repeats_them() -> None:
    given = {"quasi_identifiers": ["age"], "identifiers": ["name"], "k": 2, "output_format": "anatomy"}
    result = anonymize(PATIENTS, seed=1, **given)
    qit, st = result.parts
    assert (list(qit.columns), list(st.columns)) == (["age", "group"], ["group", "sex", "illness"])
    with pytest.raises(UsageError, match=r"Take result.parts instead of result.release"):
        _ = result.release
    for one, other in zip(result.parts, anonymize(PATIENTS, seed=1, **given).parts, strict=True):
        pd.testing.assert_frame_equal(one, other)


# Arguments


def test_the_flow_is_given_every_argument_under_its_own_name() -> None:
    of_a_file = {field.name for field in fields(Reading)}
    parameters = [name for name in signature(toolbox.anonymize).parameters if name not in {"source", *of_a_file}]
    of_columns = [field.name for field in fields(ColumnArguments)]
    # Child tables stand among the settings: the signature would be longer than a function may be.
    others = [field.name for field in fields(AnonymizeArguments)]
    others = [name for name in others if name not in ("columns", "call", "settings", "tables")]
    assert [*of_columns, *others, "settings"] == parameters


# Wrong arguments

WRONG = {
    "no quasi-identifier": ({"quasi_identifiers": []}, UsageError, "quasi_identifiers is empty"),
    "a column that is not there": ({"quasi_identifiers": ["agee"]}, UnknownColumnError, "Did you mean 'age'?"),
    "a column twice": ({"sensitive": ["age"]}, ConfigurationError, "age is declared twice"),
    "k is 0": ({"k": 0}, SettingError, "k is 0"),
    "k is text": ({"k": "2"}, SettingError, "whole number"),
    "k is no whole number": ({"k": 2.5}, SettingError, "whole number"),
    "k beyond the table": ({"k": 5}, UnsatisfiableError, "has 4 records, and a class needs at least 5"),
    "an unknown method": ({"method": "Mondriaan"}, UsageError, "Did you mean 'Mondrian'?"),
    "an unknown setting": ({"dimenson": "distinct"}, UsageError, "Did you mean 'dimension'?"),
    "an unknown word of a setting": ({"cut": "deep"}, SettingError, "write one of fallback, classic"),
    "an unknown format": ({"output_format": "genvals"}, SettingError, "'anatomy', 'genVals', 'genValsDist'"),
    "an unknown policy for missing": ({"on_missing": "drop"}, SettingError, "'skip', 'fail', 'keep'"),
    "an unknown policy for suppressed": ({"suppressed": "Drop"}, SettingError, "'keep', 'drop'"),
    "an unknown kind": ({"kinds": {"age": "numeric"}}, SettingError, "'number', 'category'"),
    "a priority of 0": ({"priorities": {"age": 0}}, SettingError, r"priorities\['age'\] is 0; write a whole"),
    "a priority that is no rank": ({"priorities": {"age": 1.5}}, SettingError, r"priorities\['age'\] is 1.5"),
    "the priority of no column": ({"priorities": {"agee": 1}}, UnknownColumnError, "Did you mean 'age'?"),
    "a weight of 0": ({"weights": {"age": 0}}, SettingError, r"weights\['age'\] is 0"),
    "a weight that is no number": ({"weights": {"age": float("nan")}}, SettingError, "a finite number"),
    "the weight of no column": ({"weights": {"agee": 1}}, UnknownColumnError, "Did you mean 'age'?"),
    "the kind of no declared column": ({"kinds": {"agee": "number"}}, UnknownColumnError, "Did you mean 'age'?"),
    "the hierarchy of no quasi-identifier": ({"hierarchies": {"sex": SEXES}}, UnknownColumnError, "'sex'"),
    "Datafly without hierarchies": ({"method": "Datafly"}, UsageError, "needs a hierarchy for 'age'"),
    "a negative threshold": ({"suppression_threshold": -1}, SettingError, "suppression_threshold is -1"),
    "a negative seed": ({"seed": -1}, SettingError, "seed is -1"),
    "a hierarchy that is none": (
        {"hierarchies": {"age": [(1, "*"), (1, "*")]}},
        ConfigurationError,
        "occurs in line 1 already",
    ),
    "a value outside its hierarchy": ({"hierarchies": {"age": AGES[:3]}}, InputError, "outside the hierarchy"),
    "one name instead of a list": ({"quasi_identifiers": "age"}, UsageError, "quasi_identifiers"),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_argument_is_refused(what: str) -> None:
    arguments, error, message = WRONG[what]
    with pytest.raises(error, match=message):
        anonymize(PATIENTS, **{"quasi_identifiers": ["age"], "k": 2, **arguments})


@pytest.mark.slow
@pytest.mark.parametrize("table", [pd.DataFrame({"age": []}), pa.table({"age": pa.array([], pa.int64())})])
def test_a_table_without_records_is_refused(table) -> None:
    with pytest.raises(InputError, match="holds no record"):
        anonymize(table, quasi_identifiers=["age"], k=2)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match="Give a pandas DataFrame or an Arrow table"):
        anonymize(7, quasi_identifiers=["age"])
    with pytest.raises(InputError, match="The table cannot be read"):
        anonymize(pd.DataFrame({"age": [1, "x", object()]}), quasi_identifiers=["age"])


# Configurations


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    PATIENTS.to_csv(tmp_path / "in.csv", index=False)
    PATIENTS.to_parquet(tmp_path / "in.parquet")
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
        "<id><att name='name'/></id><qid><att name='age'/></qid></config>"
    )
    return tmp_path


@pytest.mark.slow
def test_a_configuration_says_all_the_rest(folder: Path) -> None:
    for source in (str(folder / "c.xml"), load_config(folder / "c.xml")):
        result = anonymize(source)
        assert rows(result)[0] == ("[25:27]", "F", "flu")
        assert result.summary.release == (folder / "out.csv",)
        assert (folder / "out.csv").read_text().splitlines()[:2] == ["age,sex,illness", "[25:27],F,flu"]
        (folder / "out.csv").unlink()


@pytest.mark.parametrize(
    "argument",
    [
        {"k": 3},
        {"k": 10},
        {"method": "Mondrian"},
        {"method": "Datafly"},
        {"quasi_identifiers": ["sex"]},
        {"seed": 1},
        {"suppressed": "drop"},
        {"output_format": "anatomy"},
        {"cut": "classic"},
    ],
)
def test_nothing_is_said_beside_a_configuration(folder: Path, argument: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="configuration says everything itself"):
        anonymize(folder / "c.xml", **argument)
    assert not (folder / "out.csv").exists()


@pytest.mark.slow
def test_options_override_a_configuration_when_it_is_loaded(folder: Path) -> None:
    config = load_config(folder / "c.xml", k=4, output=folder / "other.csv", settings={"cut": "classic"})
    assert isinstance(config, Config)
    assert (config.k, config.settings, config.output.path) == (4, {"cut": "classic"}, folder / "other.csv")
    assert anonymize(config).summary.proof.smallest_class == 4


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("source", "target"),
    [("in.parquet", "out.csv"), ("in.csv", "out.csv"), ("in.csv", "out.parquet"), ("in.parquet", "out.pq")],
)
def test_a_written_release_is_read_back_with_its_header(folder: Path, source: str, target: str) -> None:
    result = anonymize(load_config(folder / "c.xml", input=folder / source, output=folder / target))
    assert list(result.release.columns) == ["age", "sex", "illness"]
    assert rows(result)[0] == ("[25:27]", "F", "flu")
    assert len(result.release) == 4


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("separator", ["#-----#", "||", ";"])
def test_values_with_separators_and_quotes_are_read_back(folder: Path, separator: str) -> None:
    notes = [f"x{separator}y", 'say "hi"', separator[0], "two\nlines"]
    path = folder / "in.csv"
    quoted = ['"' + note.replace('"', '""') + '"' for note in notes]
    path.write_text(
        "".join(f"{age}{separator}{note}\n" for age, note in [("age", "note"), *((1, note) for note in quoted)])
    )
    config = load_config(folder / "c.xml", separator=separator)
    assert [note for _, note in rows(anonymize(replace(config, identifiers=())))] == notes


def test_every_error_of_the_package_is_a_toolbox_error() -> None:
    for error in (UsageError, InputError, ProofError, UnsatisfiableError):
        assert issubclass(error, ToolboxError)


@pytest.mark.slow
def test_intervals_of_pandas_are_texts_where_they_are_generalised() -> None:
    ages = [21, 22, 31, 32, 64]
    people = pd.DataFrame({"age": ages, "range": pd.cut(ages, [20, 30, 50]), "illness": pd.cut(ages, [20, 30, 70])})
    before = people.copy()
    release = anonymize(people, quasi_identifiers=["age"], sensitive=["illness"], k=2).release
    pd.testing.assert_frame_equal(release[["range", "illness"]], before[["range", "illness"]])
    release = anonymize(people.iloc[:4], quasi_identifiers=["range"], k=2).release
    assert release["range"].tolist() == ["(20, 30]"] * 2 + ["(30, 50]"] * 2
    pd.testing.assert_frame_equal(people, before)
    with pytest.raises(InputError, match="'range' is of type dictionary"):
        anonymize(pa.Table.from_pandas(people), quasi_identifiers=["range"], k=2)


@pytest.mark.slow
def test_a_column_may_be_called_as_the_one_that_numbers_the_rows() -> None:
    people = pd.DataFrame({"toolbox row": [1, 2, 3, 4], "town": ["Graz", "Graz", "Linz", "Linz"]})
    release = anonymize(people, quasi_identifiers=["toolbox row"], k=2, order="input").release
    assert release["toolbox row"].tolist() == ["[1:2]", "[1:2]", "[3:4]", "[3:4]"]
    assert release["town"].tolist() == people["town"].tolist()
