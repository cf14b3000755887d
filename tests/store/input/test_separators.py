"""The separator of a text, where nothing names it: a comma as long as it fits the declared columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.running import run_in_process
from helpers.small_tables import declared, quasi_identifier

import toolbox
from toolbox.config.model import Column, Config, Input, QuasiIdentifier
from toolbox.store.input.text_file import find_separator


def asked(path: Path, text: str, *columns: str | int, header: bool = True, guesses: bool = True) -> Config:
    """Declare columns, by name or by position, of a file with a text."""
    path.write_text(text)
    attributes = [
        QuasiIdentifier(column=Column(index=name, name=None), kind=None)
        if isinstance(name, int)
        else quasi_identifier(name)
        for name in columns
    ]
    return replace(declared(attributes), input=Input(path=path, header=header, guesses_separator=guesses))


@pytest.mark.parametrize(
    ("text", "columns", "separator"),
    [
        ("age;town\n21;Graz\n", ["age", "town"], ";"),
        ("age\ttown\n21\tGraz\n", ["town"], "\t"),
        ("age|town\n21|Graz\n", ["town"], "|"),
        ("age,town\n21,Graz\n", ["age"], ","),
        ("age,a;b;c;d\n21,x\n", ["age"], ","),
        ("age;a,b,c,d\n21;x\n", ["age"], ";"),
        ('"a;b",c\n1,2\n', ["a;b"], ","),
        ("age;town\n21;Graz\n", ["street"], ","),
        ("age\n21\n", ["age"], ","),
        ("", ["age"], ","),
    ],
)
def test_the_separator_that_cuts_out_the_declared_columns(
    tmp_path: Path, text: str, columns: list[str], separator: str
) -> None:
    found = find_separator(asked(tmp_path / "in.csv", text, *columns))
    assert found.input.separator == separator
    assert not found.input.guesses_separator
    assert [separator != ","] == [bool(note) for note in found.warnings or [""]]


@pytest.mark.parametrize(("text", "separator"), [("21;Graz;a,b\n", ";"), ("21,Graz,a;b;c;d\n", ","), ("21\n", ",")])
def test_without_a_header_the_positions_must_be_there(tmp_path: Path, text: str, separator: str) -> None:
    found = find_separator(asked(tmp_path / "in.csv", text, 0, 2, header=False))
    assert found.input.separator == separator


def test_a_separator_that_is_named_is_taken(tmp_path: Path) -> None:
    config = asked(tmp_path / "in.csv", "age;town\n", "age", guesses=False)
    assert find_separator(config) is config


@pytest.mark.slow
def test_a_run_guesses_the_separator_says_so_and_releases_with_it(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes("age;town\n21;Wörgl\n22;Linz\n35;Graz\n36;Graz\n".encode("latin-1"))
    config = tmp_path / "c.xml"
    config.write_text(
        "<config k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid></config>"
    )
    run = run_in_process("-config", config, "--json", "--encoding", "latin-1", "--order", "input").succeeded()
    guessed = "Nothing names the separator of the input. A semicolon was taken, which fits the columns."
    about_release = ("The records are in the order of the input", "Nobody declared town")
    assert [note for note in run.document["notes"] if not note.startswith(about_release)] == [guessed]
    assert (tmp_path / "out.csv").read_text().splitlines()[:2] == ["age;town", "[21:22];Wörgl"]
    # The judges read both, each in its encoding.
    release, original = tmp_path / "out.csv", tmp_path / "in.csv"
    reading = ("--encoding", "latin-1", "--json")
    for arguments in (
        ("measure", original, release, "--qi", "age,town"),
        ("detect", original),
        ("risk", "-config", config),
    ):
        assert run_in_process(*arguments, *reading).succeeded().document, arguments
    refused = run_in_process("detect", original)
    assert (refused.status, "Name its encoding, such as --encoding windows-1252." in refused.stderr) == (4, True)
    found = toolbox.singletons(original, quasi_identifiers=["town"], encoding="latin-1", separator=";")
    assert found.records == 4
    released = toolbox.anonymize(toolbox.load_config(config, encoding="latin-1")).release
    assert released.columns.tolist() == ["age", "town"]


def test_an_encoding_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(toolbox.UsageError, match="encoding is 'klingon'; write the name of an encoding"):
        toolbox.detect(tmp_path, encoding="klingon")
    run = run_in_process("check", "x.csv", "--qi", "age", "--encoding", "klingon")
    assert "--encoding 'klingon' is an unknown encoding" in run.stderr


MISREAD = {
    # What the file holds, how it is said to be read, and what is told.
    "semicolons": ("age;town;sex\n30;Graz;f\n", ",", "has 1 column, 'age;town;sex'. It looks separated by a semicolon"),
    "a tab": ("age\ttown\tsex\n30\tGraz\tf\n", ";", "It looks separated by a tab, not by ';'. Write separator='\\t'"),
    "a comma": ("age,town,sex\n30,Graz,f\n", "|", "has 1 column, 'age,town,sex'. It looks separated by a comma"),
    "a title": (
        "Report of May;;\nage;town;sex\n30;Graz;f\n",
        ";",
        "the names of the columns are in line 2, below other",
    ),
    "a title and a blank line": (
        "May\n\nage;town;sex\n30;Graz;f\n",
        ";",
        "the names of the columns are in line 3, below",
    ),
}


@pytest.mark.parametrize("what", MISREAD)
def test_a_text_that_is_read_in_the_wrong_way_is_one_fault_which_says_how(tmp_path: Path, what: str) -> None:
    text, separator, told = MISREAD[what]
    (tmp_path / "may.csv").write_text(text)
    (tmp_path / "c.xml").write_text(
        f"<config method='Mondrian' k='2'><input filename='may.csv' separator='{separator}' header='true'/>"
        "<output filename='r.csv'/><qid><att name='age'/><att name='town'/><att name='sex'/></qid></config>"
    )
    finished = run_in_process("-config", tmp_path / "c.xml")
    assert finished.status == 2
    # One fault is one line; several would be counted, and have a line each.
    assert finished.stderr.count("\n") == 1
    assert told in finished.stderr
    assert "Graz" not in finished.stderr


def test_without_a_header_the_separator_is_told_and_no_value(tmp_path: Path) -> None:
    (tmp_path / "may.csv").write_text("30;Graz;f\n31;Linz;m\n")
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='2'><input filename='may.csv' separator=','/><output filename='r.csv'/>"
        "<qid><att index='0' name='age'/><att index='1' name='town'/><att index='2' name='sex'/></qid></config>"
    )
    finished = run_in_process("-config", tmp_path / "c.xml")
    assert "may.csv has 1 column. It looks separated by a semicolon, not by ','. Write separator=';'" in finished.stderr
    assert (finished.status, finished.stderr.count("\n")) == (2, 1)
    assert "Graz" not in finished.stderr


def test_columns_that_are_there_under_no_separator_are_told_one_by_one_as_ever(tmp_path: Path) -> None:
    (tmp_path / "may.csv").write_text("alter;ort\n30;Graz\n")
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='2'><input filename='may.csv' separator=',' header='true'/>"
        "<output filename='r.csv'/><qid><att name='age'/><att name='town'/></qid></config>"
    )
    assert "2 faults" in run_in_process("-config", tmp_path / "c.xml").stderr


def test_a_text_in_utf_16_is_told_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "may.csv").write_text("age;town\n30;Graz\n", encoding="utf-16")
    finished = run_in_process("check", tmp_path / "may.csv", "--qi", "age,town")
    assert "It begins as UTF-16 does: write --encoding utf-16." in finished.stderr
