"""Ask pyCANON how private a release is. A program of its own, because pyCANON pins old versions of pandas and numpy.

Usage: python pycanon_judge.py '{"path": "release.csv", "separator": ",", "quasi_identifiers": ["age", "sex"]}'
Prints one JSON document: {"records": 5, "k": 2}. With "sensitive": "illness" in the question it also has "distinct_l",
"entropy_l", "recursive_c" (for the l of distinct_l; null if that is 1) and "t"; with "kind": "number" besides, t is
measured in the order of the numbers.

The release has a header; every value is text, and an empty one is a value like any other, since pyCANON would drop its
record if it were read as a null. The index counts the records from 0, since pyCANON takes labels for positions.
"""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
from pycanon import anonymity
from pycanon.anonymity import _l_diversity


def main(question: str) -> None:
    asked = json.loads(question)
    release = pd.read_csv(asked["path"], sep=asked.get("separator", ","), dtype=str, keep_default_na=False)
    names = asked["quasi_identifiers"]
    answer = {"records": len(release), "k": int(anonymity.k_anonymity(release, names))}
    if sensitive := asked.get("sensitive"):
        if asked.get("kind") == "number":
            release[sensitive] = pd.to_numeric(release[sensitive])
        answer |= sensitive_values(release, names, sensitive)
    print(json.dumps(answer))


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
    main(sys.argv[1])
