"""Ask pyCANON how anonymous a release is. A program of its own, because pyCANON pins old versions of pandas and numpy.

Usage: python pycanon_judge.py '{"path": "release.csv", "separator": ",", "quasi_identifiers": ["age", "sex"]}'
Prints one JSON document: {"records": 5, "k": 2}. The release has a header; every value is text, and an empty one is a
value like any other, since pyCANON would drop its record if it were read as a null.
"""

import json
import sys

import pandas as pd
from pycanon import anonymity


def main(question: str) -> None:
    asked = json.loads(question)
    release = pd.read_csv(asked["path"], sep=asked.get("separator", ","), dtype=str, keep_default_na=False)
    k = anonymity.k_anonymity(release, asked["quasi_identifiers"])
    print(json.dumps({"records": len(release), "k": int(k)}))


if __name__ == "__main__":
    main(sys.argv[1])
