"""What columns of text hold, where options name them and nobody says it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from toolbox.config.model import Limits
from toolbox.config.reading.declarations import Declarations
from toolbox.config.reading.overrides import Overrides
from toolbox.errors import ConfigurationError, InputError, UsageError
from toolbox.flows.arguments import configuration
from toolbox.flows.arguments.configuration import FoundKinds, find_kinds, read_command_configuration
from toolbox.store.engine.store import Store

TEXT = """\
age,price,zip,sex,born,seen,day,gone,mixed
21,"1,5",01010,f,1980-01-31,1980-01-31 10:00:00,31.12.2020,?,1
?,"2,5",8010,m,1981-02-28,1981-02-28 11:30:00,30.11.2021,,x
"""


def kinds(folder: Path, *names: str, **options: object) -> dict[str, str]:
    """Find the kinds as a run does, from a configuration that says nothing of them."""
    columns = {key: options.pop(key) for key in ("kinds", "hierarchies", "ordered") if key in options}
    config = read_command_configuration(
        None,
        Overrides(input=str(folder / "t.csv"), output=str(folder / "r.csv"), undeclared="pass", **options),
        Declarations(quasi_identifiers=names, **columns),
    )
    return {
        str(attribute.column): " ".join(filter(None, (str(attribute.kind), attribute.format)))
        for attribute in config.quasi_identifiers
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TEXT)
    return tmp_path


@pytest.mark.slow
def test_values_say_what_they_are(folder: Path) -> None:
    names = ("age", "zip", "sex", "born", "seen", "day", "mixed")
    assert kinds(folder, *names) == {
        **{"age": "number", "zip": "category", "sex": "category", "mixed": "category"},
        **{"born": "date", "seen": "timestamp", "day": "date %d.%m.%Y"},
    }


@pytest.mark.slow
def test_the_format_of_dates_is_found_and_said(folder: Path) -> None:
    overrides = Overrides(input=str(folder / "t.csv"), output=str(folder / "r.csv"), undeclared="pass")
    config = read_command_configuration(None, overrides, Declarations(quasi_identifiers=["day"]))
    (note,) = config.warnings
    assert note.startswith("day: its dates are read as %d.%m.%Y, which their values fit.")
    (folder / "t.csv").write_text("day\n01/02/2020\n03/04/2021\n")
    with pytest.raises(InputError, match="day: its dates fit several formats, which read them differently"):
        read_command_configuration(None, overrides, Declarations(quasi_identifiers=["day"]))


@pytest.mark.slow
def test_decimals_are_read_as_they_are_written(folder: Path) -> None:
    assert kinds(folder, "price") == {"price": "number"}
    assert kinds(folder, "price", decimal=".") == {"price": "category"}
    assert kinds(folder, "price", decimal=",") == {"price": "number"}


def test_what_is_said_is_kept(folder: Path) -> None:
    (folder / "h.csv").write_text("01010;*\n8010;*\n")
    given = {
        "kinds": {"age": "category"},
        "hierarchies": {"zip": str(folder / "h.csv")},
        "ordered": {"sex": ["f", "m"]},
    }
    assert kinds(folder, "age", "zip", "sex", **given) == {"age": "category", "zip": "category", "sex": "category"}


def test_a_column_without_a_value_stays_open(folder: Path) -> None:
    assert kinds(folder, "gone") == {"gone": "None"}


def test_columns_without_a_header_are_found_by_their_positions(folder: Path) -> None:
    (folder / "t.csv").write_text("21;f\n22;m\n")
    assert kinds(folder, "0", "1", header="no") == {"column 0": "number", "column 1": "category"}


def test_parquet_says_its_types_itself(tmp_path: Path) -> None:
    pd.DataFrame({"a": ["1", "2"]}).to_parquet(tmp_path / "t.parquet")
    overrides = Overrides(input=str(tmp_path / "t.parquet"), output=str(tmp_path / "r.csv"))
    config = read_command_configuration(None, overrides, Declarations(quasi_identifiers=["a"]))
    assert [attribute.kind for attribute in config.quasi_identifiers] == [None]
    assert find_kinds(config) == FoundKinds({})


def test_columns_are_looked_at_within_the_limits_of_the_run_and_beside_its_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Path | None, str | None, int | None]] = []

    class SeenStore(Store):
        def __init__(self, beside: Path | None, limits: Limits) -> None:
            opened.append((beside, limits.memory, limits.threads))
            super().__init__(beside, limits)

    monkeypatch.setattr(configuration, "Store", SeenStore)
    (tmp_path / "t.csv").write_text("id,age\n1,20\n2,30\n")
    (tmp_path / "visits.csv").write_text("id,ward\n1,a\n2,b\n")
    (tmp_path / "work").mkdir()
    declared = Declarations(
        person=["id"],
        quasi_identifiers=["age", "visits.ward"],
        tables={"visits": str(tmp_path / "visits.csv") + ":key=id"},
    )
    said = {"input": str(tmp_path / "t.csv"), "output": str(tmp_path / "r.csv"), "threads": "2"}
    read_command_configuration(None, Overrides(**said), declared)
    read_command_configuration(None, Overrides(**said, memory_limit="300MB", temp_dir=str(tmp_path / "work")), declared)
    assert opened == 2 * [(tmp_path, None, 2)] + 2 * [(tmp_path / "work", "300MB", 2)]


def test_wrong_names_and_undeclared_columns_are_told_before_anything_is_read(folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="no column 'sx'"):
        kinds(folder, "sx", "age")
    overrides = Overrides(input=str(folder / "t.csv"), output=str(folder / "r.csv"))
    with pytest.raises(UsageError, match="nobody declared price, zip, sex"):
        read_command_configuration(None, overrides, Declarations(quasi_identifiers=["age"]))
    with pytest.raises(InputError, match="cannot be read"):
        read_command_configuration(
            None, Overrides(input="nothing.csv", output=str(folder / "r.csv")), Declarations(quasi_identifiers=["a"])
        )


def read_so(folder: Path, text: str, *names: str, **options: object) -> tuple[str, str, tuple[str, ...]]:
    """Return the marks with which a run reads numbers, and its notes."""
    (folder / "t.csv").write_text(text)
    overrides = Overrides(input=str(folder / "t.csv"), output=str(folder / "r.csv"), undeclared="pass", **options)
    config = read_command_configuration(None, overrides, Declarations(quasi_identifiers=names))
    assert config.input is not None
    return config.input.decimal, config.input.thousands, config.warnings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "marks"),
    [
        # pay, people: one way fits both columns.
        (["1,5;7", "2,25;12"], (",", "")),
        (["1.234,50;7", "999,99;12"], (",", ".")),
        (["1.234,50;2.000", "999,99;12"], (",", ".")),
        (["1 234,5;2 000", "999,9;12"], (",", " ")),
        (["1,234.50;7", "999.99;12"], (".", ",")),
        # 1,234 alone tells nothing; beside 1,5 it is one and a bit, and beside 1.5 a thousand.
        (["1,234;1,5", "2,500;2"], (",", "")),
        (["1,234;1.5", "2,500;2"], (".", ",")),
    ],
)
def test_how_numbers_are_written_is_found_and_said(folder: Path, values: list[str], marks: tuple[str, str]) -> None:
    text = "pay;people\n" + "\n".join(values) + "\n"
    decimal, thousands, notes = read_so(folder, text, "pay", "people")
    assert (decimal, thousands) == marks
    (note,) = [note for note in notes if "all numbers of the input" in note]
    assert note.startswith("pay has numbers with ") or note.startswith("pay, people have numbers with ")
    config = read_command_configuration(
        None,
        Overrides(input=str(folder / "t.csv"), output=str(folder / "r.csv")),
        Declarations(quasi_identifiers=["pay", "people"]),
    )
    assert [attribute.kind for attribute in config.quasi_identifiers] == ["number", "number"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["1,234;7", "2,500;12"], "pay: its values would be numbers, but nothing tells"),
        # 1.234 is a thousand if commas stand before decimals, or else a number as it stands.
        (["1,5;1.234", "2,5;2.500"], "pay: its values would be numbers with decimal commas"),
        (["1,5;1.5", "2,5;2.75"], "pay: its values would be numbers with decimal commas"),
        (["1,5;7", "2.5;12"], "pay: its values would be numbers, but not all have the same mark"),
    ],
)
def test_what_nothing_decides_is_said_and_not_guessed(folder: Path, values: list[str], said: str) -> None:
    decimal, thousands, notes = read_so(folder, "pay;people\n" + "\n".join(values) + "\n", "pay", "people")
    assert (decimal, thousands) == (".", "")
    assert [note for note in notes if note.startswith(said)] != []


@pytest.mark.slow
def test_who_says_how_numbers_are_written_is_believed(folder: Path) -> None:
    decimal, thousands, notes = read_so(folder, "pay\n1;5\n", "pay", decimal=".", separator="|")
    assert (decimal, thousands) == (".", "")
    decimal, _, notes = read_so(folder, 'pay\n"1,5"\n"2,5"\n', "pay", decimal=".")
    assert decimal == "."
    assert [note for note in notes if note.startswith("pay: its values would be numbers with decimal commas")] != []
