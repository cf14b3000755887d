"""A hospital's table as it comes: whatever identifies people is generalised, or named in a note before it leaves."""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta
from pathlib import Path

import pytest
from helpers.running import run_in_process

PEOPLE = 300
HEADER = (
    *("patient_no", "born", "postcode", "town", "admitted", "icd10", "email", "phone", "iban", "remarks", "salary"),
    "ward",
)
CODES = ("E11.9", "I10", "J45.0", "M54.5", "F32.1", "K21.0")
# Two accounts whose checksums are right, from the standard's own examples.
ACCOUNTS = ("DE89370400440532013000", "AT611904300234573201")


def patients() -> list[tuple[object, ...]]:
    draw = random.Random(3)
    towns = {f"0{number:04}": f"Town {number}" for number in range(1067, 1467, 10)}
    rows: list[tuple[object, ...]] = []
    for number in range(PEOPLE):
        born = date(1930, 1, 1) + timedelta(days=draw.randrange(29_000))
        admitted = (
            f"2024-0{draw.randrange(1, 10)}-1{draw.randrange(10)} {draw.randrange(10, 24)}:{draw.randrange(10, 60)}:00"
        )
        postcode = draw.choice(list(towns))
        rows.append(
            (
                f"P-{number:05}",
                born.strftime("%d.%m.%Y"),
                postcode,
                towns[postcode],
                admitted,
                draw.choice(CODES),
                f"person{number}@example.org",
                f"+43 660 {draw.randrange(10**6, 10**7)}",
                draw.choice(ACCOUNTS),
                f"Lives with her daughter {number}, was brought in by a neighbour at night",
                f"{draw.randrange(1, 9)}.{draw.randrange(100, 1000)},{draw.randrange(10, 100)}",
                draw.choice(("A", "B")),
            )
        )
    return rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hospital")
    with (made / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows([HEADER, *patients()])
    (made / "c.xml").write_text(
        "<config method='Mondrian' k='5'>"
        "<input filename='patients.csv' header='true' separator=';' decimal=',' thousands='.'/>"
        "<output filename='release.csv'/><id><att name='patient_no'/></id>"
        "<qid><att name='born' type='date'/><att name='postcode'/><att name='admitted' type='timestamp'/>"
        "<att name='salary' type='number'/></qid>"
        "<sens><att name='icd10' type='category'/></sens></config>",
        encoding="utf-8",
    )
    return made


@pytest.fixture(scope="module")
def released(folder: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return the columns of the release, and the notes of the run."""
    document = run_in_process("-config", folder / "c.xml", "--json").succeeded().document
    with (folder / "release.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=";")
    return {name: list(column) for name, column in zip(header, zip(*rows, strict=True), strict=True)}, document["notes"]


@pytest.mark.slow
def test_what_identifies_and_is_released_as_it_is_has_a_note_that_names_the_column(
    released: tuple[dict[str, list[str]], list[str]],
) -> None:
    (note,) = [note for note in released[1] if " look as if" in note]
    against = dict(part.split(" (", 1) for part in note.partition("unchanged: ")[2].split("; "))
    for column, reason in {
        "email": "e-mail addresses",
        "phone": "telephone numbers",
        "iban": "bank accounts",
        "remarks": "free text",
        "town": "give postcode away",
    }.items():
        assert reason in against[column]
    assert not {"ward", "icd10"} & set(against)
    assert any(note.startswith("Nobody declared town, email, phone, iban, remarks, ward") for note in released[1])
    assert not any("person1@" in note or "DE89" in note or "neighbour" in note for note in released[1])


@pytest.mark.slow
def test_dates_come_out_as_ranges_and_postcodes_keep_their_zeros(
    released: tuple[dict[str, list[str]], list[str]],
) -> None:
    columns, notes = released
    given = {row[1] for row in patients()}
    assert not given & set(columns["born"])
    assert all(text.startswith("[") and text[5] == "-" for text in columns["born"] if ":" in text)
    assert sum(":" in text for text in columns["born"]) > PEOPLE / 2
    assert all(text.startswith(("0", "{0")) for text in columns["postcode"])
    assert any(note.startswith("postcode: ") and "leading zeros" in note for note in notes)


@pytest.mark.slow
def test_salaries_are_numbers_with_a_decimal_comma(released: tuple[dict[str, list[str]], list[str]]) -> None:
    first = next(text for text in released[0]["salary"] if ":" in text)
    low, high = (float(end.replace(".", "").replace(",", ".")) for end in first.strip("[]").split(":"))
    assert 1_000 < low < high < 10_000


@pytest.mark.slow
def test_without_what_nobody_declared_only_the_declared_columns_leave(folder: Path) -> None:
    run_in_process("-config", folder / "c.xml", "--undeclared", "drop", "-output", folder / "few.csv").succeeded()
    with (folder / "few.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.reader(file, delimiter=";")) == ["born", "postcode", "admitted", "icd10", "salary"]
