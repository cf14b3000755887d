"""Which columns of which table a question means."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.questions import configured

from toolbox.config.model import Input, Output
from toolbox.flows.arguments.checks import Reading
from toolbox.flows.judge.question import TableDescription, make_described_question


def test_a_release_of_ours_is_utf_8_with_the_separator_of_the_output() -> None:
    question = configured(output=Output(path=None, separator="|"))
    given = question.input_of(Path("release.csv"), is_release=True)
    assert (given.separator, given.encoding) == ("|", "utf-8")
    original = question.input_of(Path("people.csv"))
    assert (original.separator, original.encoding) == (";", "latin-1")


def test_a_release_of_another_program_has_the_separator_that_yields_more_of_the_columns(tmp_path: Path) -> None:
    question, path = configured(input=Input(path=Path("in.csv"), header=True)), tmp_path / "release.csv"
    texts = {"age,town\n": ",", "age;town\n": ";", "age,zip;x;y\n": ",", "x;y\n": ",", "age|town,x\n": "|", "": ","}
    for text, separator in texts.items():
        path.write_text(text)
        assert question.input_of(path, is_release=True).separator == separator, text


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_by_names_the_separator_is_the_one_that_yields_the_columns(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(separator.join(["age", "town, or place"]) + "\n", encoding="utf-8") if separator != "," else (
        path.write_text('age,"town, or place"\n', encoding="utf-8")
    )
    question = make_described_question("test", TableDescription(quasi_identifiers=["age", "town, or place"]))
    assert question.input_of(path).separator == separator


def test_a_separator_that_is_given_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,town\n", encoding="utf-8")
    assert (
        make_described_question("test", TableDescription(quasi_identifiers=["age"], reading=Reading(separator=";")))
        .input_of(path)
        .separator
        == ";"
    )


def test_a_label_becomes_a_sensitive_column_once() -> None:
    question = make_described_question("test", TableDescription(quasi_identifiers=["age"], sensitive=["illness"]))
    assert question.add_sensitive("illness") is question
    assert [str(one.column) for one in question.add_sensitive("income").sensitive] == ["illness", "income"]
