"""Write invented visits of patients, of whom most have several, and their configuration visits.xml; nobody exists.

    python scripts/generate_visits.py --records 1000000 --patients 200000 --seed 1 --output visits.csv

Year of birth, sex and region are the same in all visits of a patient; place, month, illness, day and cost are not. So
`--qi born,sex,region` is a table whose persons add up, and `--qi born,sex,place,month` one in which they do not. The
same seed gives the same bytes on every machine.
"""

import argparse
from datetime import date, timedelta
from pathlib import Path
from random import Random

from generated_file import PART, natural

COLUMNS = ("patient", "born", "sex", "region", "place", "month", "illness", "day", "cost")
CONFIGURATION = """\
<config method='Datafly' k='5'>
  <input filename='visits.csv' header='true'/>
  <output filename='release.csv'/>
  <qid>
    <att name='born'><vgh build='intervals' width='5,10,20,40'/></att>
    <att name='sex'><vgh build='auto'/></att>
    <att name='region'><vgh build='prefix'/></att>
    <att name='place'><vgh build='prefix'/></att>
  </qid>
  <sens><att name='illness'/></sens>
</config>
"""
_ILLNESSES = ("flu", "cold", "asthma", "migraine", "gout", "HIV", "stroke", "diabetes")
_YEAR = tuple((date(2026, 1, 1) + timedelta(days=day)).isoformat() for day in range(365))


def write_visits(path: Path, records: int, patients: int, seed: int) -> None:
    """Write the visits, one patient after the other in no order."""
    # Two sources of chance: the columns that came later leave the earlier ones as they were.
    draw, later = Random(seed).random, Random(f"{seed} later").random
    people = [
        f"P{number},{1930 + int(draw() * 80)},{'fm'[int(draw() * 2)]},R{int(draw() * 40):02}"
        for number in range(patients)
    ]
    part = path.with_name(path.name + PART)
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(COLUMNS) + "\n")
        for number in range(records):
            # Everybody comes once; the other visits are of whom they are.
            person = people[number if number < patients else int(draw() * patients)]
            place, month = int(draw() * draw() * 60), 1 + int(draw() * 12)
            illness = _ILLNESSES[int(draw() * len(_ILLNESSES))]
            day, cost = _YEAR[int(later() * 365)], int(later() * later() * 500_000)
            file.write(f"{person},L{place:02},{month},{illness},{day},{cost // 100}.{cost % 100:02}\n")
    part.replace(path)


def main() -> None:
    """Read the options and write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=natural, default=1_000_000)
    parser.add_argument("--patients", type=natural, help="(default: one for five records)")
    parser.add_argument("--seed", type=natural, default=1)
    parser.add_argument("--output", type=Path, default=Path("visits.csv"))
    parser.add_argument("--force", action="store_true", help="replace the output if it exists")
    given = parser.parse_args()
    if given.output.exists() and not given.force:
        parser.error(f"--output {given.output}: the file exists. Name another, or add --force to replace it.")
    given.output.with_name("visits.xml").write_text(CONFIGURATION, encoding="utf-8", newline="\n")
    patients = given.records // 5 if given.patients is None else given.patients
    write_visits(given.output, given.records, max(1, patients), given.seed)


if __name__ == "__main__":
    main()
