"""A table of made-up people, for whoever wants to look before they bring their own."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random
from typing import Final

RECORDS: Final = 300
NAME: Final = "example.csv"
_NAMES: Final = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kim", "Lou", "Mia", "Noa")
_SURNAMES: Final = (
    "Adler",
    "Berg",
    "Costa",
    "Dahl",
    "Egger",
    "Fox",
    "Gruber",
    "Hahn",
    "Ivers",
    "Jung",
    "Klein",
    "Lang",
)
_TOWNS: Final = {"8010": "Graz", "8020": "Graz", "4020": "Linz", "4030": "Linz", "1010": "Wien", "1220": "Wien"}
_ILLNESSES: Final = ("asthma", "broken arm", "diabetes", "flu", "migraine", "pneumonia")


def example(folder: Path) -> Path:
    """Write the table to a folder, unless it is there, and return its path."""
    path = folder / NAME
    if not path.exists():
        with path.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("name", "born", "sex", "postcode", "town", "illness", "nights"))
            writer.writerows(_records())
    return path


def _records() -> list[tuple[str, ...]]:
    # The same people for everybody.
    chance = Random(20)
    found: list[tuple[str, ...]] = []
    for _ in range(RECORDS):
        postcode = chance.choice(list(_TOWNS))
        born = f"{chance.randint(1935, 2005)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        person = f"{chance.choice(_NAMES)} {chance.choice(_SURNAMES)}"
        nights = str(min(chance.randint(1, 9), chance.randint(1, 30)))
        found.append((person, born, chance.choice("FM"), postcode, _TOWNS[postcode], chance.choice(_ILLNESSES), nights))
    return found
