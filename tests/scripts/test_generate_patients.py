"""The invented patients of the guides: the same for everybody, and as the guides describe them."""

import csv
from collections import Counter
from pathlib import Path

import generate_patients as patients

COMMITTED = Path(__file__).parents[2] / "configs" / "patients_200.csv"


def test_the_committed_table_is_seed_1(tmp_path):
    made = tmp_path / "patients.csv"
    assert patients.main(["--records", "200", "--seed", "1", "--output", str(made)]) == 0
    assert made.read_bytes() == COMMITTED.read_bytes()


def test_another_seed_draws_other_people_and_a_longer_table_begins_with_the_shorter_one():
    assert patients.patients(20, seed=1) == patients.patients(30, seed=1)[:20]
    assert patients.patients(20, seed=1) != patients.patients(20, seed=2)


def test_every_combination_of_birth_sex_and_postcode_is_somebody_alone():
    """What the guides say of the table: without names everybody is still alone in it."""
    with COMMITTED.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 200
    assert set(Counter((row["born"], row["sex"], row["postcode"]) for row in rows).values()) == {1}
