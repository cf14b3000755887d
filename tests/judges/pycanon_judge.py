"""Ask pyCANON how private a release is. A program of its own, because pyCANON pins old versions of pandas and numpy.

Usage: python pycanon_judge.py, with one JSON document per line on standard input:
{"path": "release.csv", "separator": ",", "quasi_identifiers": ["age", "sex"]}
It prints a line for each: {"answer": {"records": 5, "k": 2}}, or {"failure": "what Python says of it"}. With
"sensitive": "illness" in the question the answer also has "distinct_l", "entropy_l", "recursive_c" (for the l of
distinct_l; null if that is 1) and "t"; with "kind": "number" besides, t is measured in the order of the numbers. With
"measure": true the question is one of pycanon_measures.py.

The release has a header; every value is text, and an empty one is a value like any other, since pyCANON would drop its
record if it were read as a null; "nulls": true has it read as one. The index counts the records from 0, since pyCANON
takes labels for positions.
"""

import json
import sys
import traceback
from types import SimpleNamespace

import numpy as np
import pandas as pd
from pycanon import anonymity
from pycanon.anonymity import _l_diversity
from pycanon_measures import answer as answer_of_measures


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            told = {"answer": answer_of_measures(**asked) if asked.pop("measure", False) else answer(**asked)}
        except Exception:
            told = {"failure": traceback.format_exc()}
        print(json.dumps(told), flush=True)


def answer(path, quasi_identifiers, separator=",", sensitive=None, kind="category", nulls=False):
    release = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=nulls)
    found = {"records": len(release), "k": int(anonymity.k_anonymity(release, quasi_identifiers))}
    if sensitive is None:
        return found
    if kind == "number":
        release[sensitive] = pd.to_numeric(release[sensitive])
    return found | sensitive_values(release, quasi_identifiers, sensitive)


def sensitive_values(release, names, sensitive):
    distinct = int(anonymity.l_diversity(release, names, [sensitive]))
    return {
        "distinct_l": distinct,
        "entropy_l": int(anonymity.entropy_l_diversity(release, names, [sensitive])),
        "recursive_c": recursive_c(release, names, sensitive) if distinct > 1 else None,
        "t": float(anonymity.t_closeness(release, names, [sensitive])),
    }


def recursive_c(release, names, sensitive):
    """Ask for the smallest whole c, with the counts of a class in descending order as the definition has them.

    pyCANON 1.3 sorts them in ascending order, so that its r_1 is the smallest and c hardly ever more than 1.
    """
    descending = {"sort": lambda counts: np.sort(counts)[::-1]}
    _l_diversity.np = SimpleNamespace(**{**vars(np), **descending})
    try:
        return int(anonymity.recursive_c_l_diversity(release, names, [sensitive])[0])
    finally:
        _l_diversity.np = np


if __name__ == "__main__":
    main()
