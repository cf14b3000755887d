"""Each argument of each public call with what is no value of it: our own error, in the words of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pandas as pd
import pytest
from helpers.amounts import some
from helpers.wrong_arguments import PEOPLE, RELEASE, said_of, write_files, written, wrong_calls

import toolbox
from toolbox.errors import SettingError, UsageError

FOREIGN = re.compile(r"suppThreshold|toolbox row|(?<![\w-])-(?:config|k|l|t|method|input)\b|(?<![\w-])--[a-z]")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    write_files(tmp_path)
    with chdir(tmp_path):
        yield tmp_path


@pytest.mark.slow
def test_no_argument_raises_an_error_that_is_not_ours_or_speaks_of_options(folder: Path) -> None:
    wrong = []
    for name, argument, value in some(list(wrong_calls()), every=71, start=5):
        message = said_of(name, argument, value)
        lines = message.split("\n")
        if FOREIGN.search(message) or (message and not lines[-1].endswith((".", "?"))):
            wrong.append(f"{written(name, argument, value)}: {message}")
        if len(lines) > 1 and " faults" not in lines[0]:
            wrong.append(f"{written(name, argument, value)}: more than one line: {message}")
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "argument", "value", "says"),
    [
        (
            "anonymize",
            "hierarchies",
            {"town": 5},
            "hierarchies['town'] is 5; write the path of a file, rows, a dict or",
        ),
        ("check", "k", "abc", "k is 'abc'; write a whole number of at least 1, or None."),
        ("check", "encoding", 5, "encoding is 5; write a text, or None."),
        ("check", "thousands", [None], "thousands is [None]; write a text, or None."),
        ("check", "decimal", "abc", "decimal='abc' is neither a point nor a comma. Write . or ,."),
        ("check", "header", "no", "header is 'no'; write True, False or the line where it stands."),
        ("check", "quasi_identifiers", ["a"], "the table has no column 'a'. It has: age, town, illness."),
        ("check", "config", 5, "config= is of type int. Write config=toolbox.load_config('census.xml'), say."),
        ("measure", "metrics", 5, "metrics is 5; write a list."),
        ("measure", "label", 5, "label is 5; write the name of a column, or None."),
        ("detect", "config", "abc", "config= is of type str."),
        ("singletons", "rules", {"town": 5}, "rules['town'] is 5; write a list of rules, such as ['parent']."),
        ("sniff", "path", None, "path is None; write the path of a file."),
        ("sniff", "rows", -1, "rows is -1; write a whole number of at least 0, or None."),
        ("load_config", "path", 5, "path is 5; write the path of a file."),
        ("load_config", "input", 5, "input is 5; write the path of a file, or a list of them."),
        ("load_config", "k", "abc", "k='abc' is not a whole number. Write a whole number of at least 1."),
        ("compare", "by", 5, "by is 5; write the name of a metric, such as 'precision'."),
        ("open", "watcher", 5, "watcher is 5; write an object of a class that extends Watcher, or None."),
        ("risk", "known", ["age"], "known= describes an attacker who matches, and none is asked for."),
        ("anonymize", "separator", ";", "separator= says how a file is read, and the source is a table. Leave it out."),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_python(
    name: str, argument: str, value: object, says: str, folder: Path
) -> None:
    assert says in said_of(name, argument, value)


def test_columns_that_share_a_name_have_a_remedy_that_a_call_has() -> None:
    table = pd.DataFrame([[1, 2], [1, 3]], columns=["age", "age"])
    with pytest.raises(UsageError, match=r"has 2 columns named 'age'\. Give each column a name of its own\.$"):
        toolbox.anonymize(table, quasi_identifiers=["age"], k=1)


@pytest.mark.slow
def test_a_check_may_require_k_and_a_measure_name_its_metrics() -> None:
    report = toolbox.check(RELEASE, quasi_identifiers=["age"], k=2)
    assert (report.holds, [(model.name, model.required) for model in report.judged]) == (True, [("k-anonymity", 2)])
    assert not toolbox.check(RELEASE, quasi_identifiers=["age"], k=3).holds
    measured = toolbox.measure(PEOPLE, RELEASE, quasi_identifiers=["age"], metrics=["discernibility"])
    assert {measure.name for measure in measured.measures} == {"discernibility"}
    with pytest.raises(SettingError):
        toolbox.check(RELEASE, quasi_identifiers=["age"], k=0)


@pytest.mark.slow
def test_a_file_without_a_header_is_read_by_all_calls_in_the_same_way(tmp_path: Path) -> None:
    original, release = tmp_path / "people.csv", tmp_path / "release.csv"
    original.write_text("21;1,5;Ann\n22;NA;Bob\n33;2,5;Cem\n34;NA;Dee\n", encoding="utf-8")
    release.write_text("20-29;*;flu\n20-29;*;cold\n30-39;*;flu\n30-39;*;cold\n", encoding="utf-8")
    asked = {"header": False, "missing": "NA", "decimal": ",", "separator": ";"}
    assert toolbox.check(release, quasi_identifiers=["0"], **asked).achieved("k-anonymity") == 2
    assert toolbox.risk(release, original=original, quasi_identifiers=["0"], **asked).risk.records == 4
    made = toolbox.anonymize(original, quasi_identifiers=["0", "1"], identifiers=["2"], k=2, on_missing="skip", **asked)
    assert (made.summary.records_read, made.summary.records_skipped) == (4, 2)
    assert list(made.release.columns) == ["column 0", "column 1"]
    assert (
        made.release["column 1"].tolist() == ["[1.5:2.5]"] * 2 or made.release["column 1"].tolist() == ["[1,5:2,5]"] * 2
    )
    found = toolbox.detect(original, columns=["1"], **asked)
    assert found.detection.records == 4
