"""A lattice of six nodes that fits on the screen, and searches of it.

Of seven people, k=2 finds at the levels of age and sex, before anything is suppressed:

====== =========================== ========== ==========
levels classes                     suppressed released
====== =========================== ========== ==========
(0, 0) 2 2 1 1 1                   3          2
(0, 1) 2 3 2                       0          3
(1, 0) 3 2 1 1                     2          2
(1, 1) 5 2                         0          2
(2, 0) 4 3                         0          2
(2, 1) 7                           0          1
====== =========================== ========== ==========
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from helpers.small_tables import declared, load

from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.nodes import Lattice
from toolbox.methods.lattice.objectives import NodeObjective, make_objective
from toolbox.methods.lattice.searching import Search
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

TABLE = """
age sex
21  f
21  f
22  m
22  m
22  f
34  f
34  m
"""
HIERARCHIES = {"age": "21 young *\n22 young *\n34 old *", "sex": "f *\nm *"}
NODES = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
K2 = (KAnonymity(k=2),)


@lru_cache(maxsize=1)
def people(store: Store) -> Tables:
    """Load the table; searches only read it, and all of a store get the same."""
    return load(store, TABLE, declared("age sex", hierarchies=HIERARCHIES)).tables


def checker_of(store: Store, *, limit: int = 0, models: Sequence[PrivacyModel] = K2) -> Checker:
    return Checker(people(store), models, limit)


def search_of(checker: Checker, name: str = "lm") -> Search:
    heights = [column.height for column in checker.tables.quasi_identifiers]
    return Search(Lattice(heights), checker, objective(checker, name))


def objective(checker: Checker, name: str) -> NodeObjective:
    return make_objective(name, checker.tables, checker, checker.frequencies)


def values(checker: Checker, name: str) -> list[float]:
    """Return the value of a metric at every node, with all violating classes suppressed."""
    found = objective(checker, name)
    return [found.value(found.cost(checked)) for checked in checker.check(NODES)]
