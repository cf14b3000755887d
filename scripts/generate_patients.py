"""Write the invented patients of docs/first_release.md; nobody of them exists.

    python scripts/generate_patients.py --records 200 --seed 1 --output configs/patients_200.csv

The same seed gives the same bytes on every machine: only ``random()`` is drawn, which Python promises to keep.
"""

import argparse
import csv
import sys
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple, TextIO

COLUMNS = (
    "patient_no", "name", "email", "born", "sex", "postcode", "insurance", "admitted", "nights", "illness", "note",
)  # fmt: skip
_FEMALE = ("Ada", "Berta", "Clara", "Dora", "Elif", "Fanny", "Greta", "Hanna", "Ines", "Jana", "Klara", "Lea")
_MALE = ("Adam", "Bruno", "Carl", "David", "Emil", "Felix", "Georg", "Hugo", "Ivan", "Jakob", "Kurt", "Leo")
_FAMILY = (
    "Auer", "Berger", "Czerny", "Dorn", "Eder", "Fuchs", "Gruber", "Huber", "Ivanov", "Jelinek", "Kaya", "Lang",
    "Moser", "Novak", "Orsini", "Pichler", "Quast", "Reiter", "Steiner", "Toth", "Urban", "Vogel", "Wolf", "Zach",
)  # fmt: skip
_POSTCODES = (
    ("1010", 4), ("1020", 12), ("1030", 12), ("1100", 16), ("1120", 10), ("1160", 10), ("1210", 14), ("1220", 14),
    ("8010", 10), ("8020", 10), ("8041", 4), ("4020", 12), ("4030", 6), ("4040", 4), ("9971", 1), ("6764", 1),
)  # fmt: skip
_INSURANCES = (("public", 80), ("farmers", 8), ("private", 12))
_ILLNESSES = {
    False: (("asthma", 20), ("migraine", 18), ("broken arm", 22), ("appendicitis", 20), ("depression", 14), ("HIV", 2)),
    True: (("diabetes", 22), ("heart attack", 22), ("stroke", 16), ("broken hip", 18), ("cataract", 16), ("HIV", 1)),
}
"""Of people younger than 55, and of all others: an illness tells something of an age, as illnesses do."""
_CALLERS = ("daughter", "son", "neighbour", "employer", "sister")
_WISHES = (
    "asks for a diet",
    "wants a single room",
    "afraid of dogs",
    "works at the town hall",
    "plays the organ in church",
)
_YOUNG, _FIRST_DAY = 55, date(2025, 1, 1)


class Patient(NamedTuple):
    """One invented patient, a value for each column."""

    patient_no: str
    name: str
    email: str
    born: date
    sex: str
    postcode: str
    insurance: str
    admitted: date
    nights: int
    illness: str
    note: str


def patients(records: int, seed: int) -> list[Patient]:
    """Draw that many patients."""
    random = Random(seed)
    return [_patient(random, number) for number in range(records)]


def _patient(random: Random, number: int) -> Patient:
    sex = "F" if random.random() < 0.52 else "M"
    given, family = _one_of(random, _FEMALE if sex == "F" else _MALE), _one_of(random, _FAMILY)
    age = int(16 + 40 * random.random() + 38 * random.random())
    admitted = _FIRST_DAY + timedelta(days=int(365 * random.random()))
    return Patient(
        patient_no=f"P{10_001 + 7 * number}",
        name=f"{given} {family}",
        email=f"{given}.{family}{number}@example.org".lower(),
        born=admitted - timedelta(days=int(365.25 * age + 365 * random.random())),
        sex=sex,
        postcode=_weighted(random, _POSTCODES),
        insurance=_weighted(random, _INSURANCES),
        admitted=admitted,
        nights=1 + int(3 * random.random() + age / 12 * random.random()),
        illness=_weighted(random, _ILLNESSES[age >= _YOUNG]),
        note=_note(random, admitted),
    )


def _note(random: Random, admitted: date) -> str:
    caller, wish = _one_of(random, _CALLERS), _one_of(random, _WISHES)
    return f"{caller} {_one_of(random, _FAMILY)} called on {admitted:%d.%m.}, {wish}"


def _one_of(random: Random, values: Sequence[str]) -> str:
    return values[int(random.random() * len(values))]


def _weighted(random: Random, weights: Sequence[tuple[str, int]]) -> str:
    left = random.random() * sum(weight for _, weight in weights)
    for value, weight in weights:
        left -= weight
        if left < 0:
            return value
    return weights[-1][0]


def write(rows: Sequence[Patient], target: TextIO) -> None:
    """Write them as comma separated text with a header."""
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    with options.output.open("w", encoding="utf-8", newline="") as target:
        write(patients(options.records, options.seed), target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
