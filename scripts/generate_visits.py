"""Write invented visits of patients, of whom most have several; nobody of them exists.

    python scripts/generate_visits.py --records 1000000 --patients 200000 --seed 1 --output visits.csv

Year of birth, sex and region are the same in all visits of a patient; place, month and illness are not. So `--qi
born,sex,region` is a table whose persons add up, and `--qi born,sex,place,month` one in which they do not. The same
seed gives the same bytes on every machine.
"""

import argparse
from pathlib import Path
from random import Random

COLUMNS = ("patient", "born", "sex", "region", "place", "month", "illness")
_ILLNESSES = ("flu", "cold", "asthma", "migraine", "gout", "HIV", "stroke", "diabetes")


def write_visits(path: Path, records: int, patients: int, seed: int) -> None:
    """Write the visits, one patient after the other in no order."""
    draw = Random(seed).random
    people = [
        f"P{number},{1930 + int(draw() * 80)},{'fm'[int(draw() * 2)]},R{int(draw() * 40):02}"
        for number in range(patients)
    ]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(COLUMNS) + "\n")
        for number in range(records):
            # Everybody comes once; the other visits are of whom they are.
            person = people[number if number < patients else int(draw() * patients)]
            place, month = int(draw() * draw() * 60), 1 + int(draw() * 12)
            file.write(f"{person},L{place:02},{month},{_ILLNESSES[int(draw() * len(_ILLNESSES))]}\n")


def main() -> None:
    """Read the options and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--patients", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("visits.csv"))
    given = parser.parse_args()
    write_visits(given.output, given.records, given.patients, given.seed)


if __name__ == "__main__":
    main()
