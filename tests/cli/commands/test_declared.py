"""What the options of `anonymize` declare, and which configuration they ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_options import parsed

from toolbox.cli.commands.anonymize import find_configuration, find_input, read_declarations
from toolbox.cli.options.reader import OptionReader
from toolbox.config.reading.declarations import NO_DECLARATIONS, Declarations
from toolbox.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chosen(*words: object) -> Path | None:
    return find_configuration(parsed("anonymize", *words))


def test_a_configuration_is_run_if_it_is_named_or_if_nothing_is_declared() -> None:
    assert chosen("-config", "c.xml", "--qi", "age") == Path("c.xml")
    assert chosen("people.csv", "-config", "c.xml") == Path("c.xml")
    assert chosen("-k", 5) == Path("config.xml")


@pytest.mark.parametrize("words", [("people.csv",), ("--qi", "age"), ("--model", "k-map:k=2"), ("--weight", "age=2")])
def test_a_file_or_a_column_says_that_the_options_say_everything(words: tuple[str, ...], folder: Path) -> None:
    (folder / "config.xml").write_text("<config/>")
    assert chosen(*words) is None


def test_an_input_alone_is_one_of_the_configuration_of_the_folder_if_there_is_one(folder: Path) -> None:
    assert chosen("-input", "people.csv") is None
    (folder / "config.xml").write_text("<config/>")
    assert chosen("-input", "people.csv") == Path("config.xml")


def test_a_configuration_in_the_place_of_records_is_refused() -> None:
    with pytest.raises(UsageError, match=r"people\.XML is a configuration.* Write -config people\.XML"):
        chosen("people.XML")


@pytest.mark.parametrize("name", ["people.xlsx", "people.CSV", "people.sav"])
def test_a_table_in_the_place_of_a_configuration_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} is a table, as its name says. toolbox init {name} writes"):
        chosen("-config", name)


def test_records_are_named_behind_the_command_or_by_input() -> None:
    assert find_input(parsed("anonymize", "a.csv", "--qi", "age", "b.csv")) == ["a.csv", "b.csv"]
    assert find_input(parsed("anonymize", "-input", "a.csv", "-input", "b.csv")) == ["a.csv", "b.csv"]
    assert find_input(parsed("anonymize")) is None
    with pytest.raises(UsageError, match=r"a\.csv and -input b\.csv both name the records"):
        find_input(parsed("anonymize", "a.csv", "-input", "b.csv"))


def test_a_second_name_that_is_no_file_is_taken_for_the_output(folder: Path) -> None:
    (folder / "a.csv").write_text("age\n30\n")
    with pytest.raises(UsageError, match=r"release\.csv is no file, and nothing names .* Write -output release\.csv\."):
        find_input(parsed("anonymize", "a.csv", "release.csv", "--qi", "age"))
    assert find_input(parsed("anonymize", "a.csv", "gone.csv", "-output", "r.csv")) == ["a.csv", "gone.csv"]
    assert find_input(parsed("anonymize", "a.csv", "gone.csv", "-config", "c.xml")) == ["a.csv", "gone.csv"]


def test_every_option_is_declared() -> None:
    words = [
        *("--person", "no,house"),
        *("--id", "name", "--qi", 'born,"town, or place"', "--qi", "size", "--sensitive", "ill"),
        *("--hierarchy", "born=dates:month", "--kind", "born=date", "--ordered", 'size=low,"mid, so",high'),
        *("--priority", "size=1", "--weight", '"town, or place"=2', "--model", "k-map:k=2"),
    ]
    assert read_declarations(OptionReader(parsed("anonymize", *words))) == Declarations(
        person=["no", "house"],
        identifiers=["name"],
        quasi_identifiers=["born", "town, or place", "size"],
        sensitive=["ill"],
        hierarchies={"born": "dates:month"},
        kinds={"born": "date"},
        ordered={"size": ["low", "mid, so", "high"]},
        priorities={"size": "1"},
        weights={"town, or place": "2"},
        models=["k-map:k=2"],
    )
    nothing = read_declarations(OptionReader(parsed("anonymize")))
    assert not nothing
    assert not NO_DECLARATIONS


def test_what_is_no_pair_or_no_list_is_noted() -> None:
    reader = OptionReader(parsed("anonymize", "--kind", "age", "--qi", '"a', "--ordered", 'size="a'))
    assert not read_declarations(reader), "what is wrong is nothing that the reader of configurations could trip over"
    assert [fault.found for fault in reader.faults] == [
        "--qi '\"a' is no list of names.",
        "--kind 'age' has no equals sign after a name.",
        "--ordered size '\"a' is no list of categories.",
    ]
