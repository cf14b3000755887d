"""Everything that pyCANON can measure of a table; a part of the program pycanon_judge.py.

A question is {"path": "table.csv", "quasi_identifiers": ["age"], "sensitive": {"illness": "category", "pay": "number"}}.
The answer is a list of {"sensitive": [..], "harmonised": false, ..measures}: one for each sensitive attribute alone, and
for several one of all of them in either mode, of which pyCANON gives the worst.
"c" and "entropy_l" are there as pyCANON gives them, and as it would without cutting them off behind the point and
without sorting counts in ascending order ("exact_c", "exact_entropy_l").

A table has a header and no nulls, since pyCANON drops their records.
"""

import math
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pandas as pd
from pycanon import anonymity
from pycanon.anonymity import _l_diversity


def answer(path, quasi_identifiers, sensitive):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name, kind in sensitive.items():
        if kind == "number":
            table[name] = pd.to_numeric(table[name])
    asked = [([name], False) for name in sensitive]
    if len(sensitive) > 1:
        asked += [(list(sensitive), False), (list(sensitive), True)]
    return [
        {"sensitive": names, "harmonised": harmonised, **measures(table, quasi_identifiers, names, harmonised)}
        for names, harmonised in asked
    ]


def measures(table, names, sensitive, harmonised):
    arguments = {"data": table, "quasi_ident": names, "sens_att": sensitive, "gen": not harmonised}
    alpha, k = anonymity.alpha_k_anonymity(**arguments)
    found = {
        "k": k,
        "alpha": alpha,
        "distinct_l": anonymity.l_diversity(**arguments),
        "entropy_l": anonymity.entropy_l_diversity(**arguments),
        "t": anonymity.t_closeness(**arguments),
        "delta": anonymity.delta_disclosure(**arguments),
        "basic_beta": anonymity.basic_beta_likeness(**arguments),
        "enhanced_beta": anonymity.enhanced_beta_likeness(**arguments),
    }
    with without_slips():
        found["exact_entropy_l"] = anonymity.entropy_l_diversity(**arguments)
    if not harmonised:  # with harmonised attributes it takes the l of those that are not
        found["c"] = anonymity.recursive_c_l_diversity(**arguments)[0]
        with without_slips():
            found["exact_c"] = anonymity.recursive_c_l_diversity(**arguments)[0] - 1
    return {name: None if math.isnan(value) else float(value) for name, value in found.items()}


@contextmanager
def without_slips():
    patched = {"sort": lambda counts: np.sort(counts)[::-1], "floor": lambda value: value}
    _l_diversity.np = SimpleNamespace(**{**vars(np), **patched})
    _l_diversity.int = float
    try:
        yield
    finally:
        _l_diversity.np = np
        del _l_diversity.int
