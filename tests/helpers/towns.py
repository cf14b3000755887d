"""People of four towns and two sexes, as a search for those who stand out sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from toolbox.methods.singletons.columns import Column, Generalisation, Rows, Variant, all_variants, changes_of

Record = tuple[str, ...]
BOTH = ("local", "global")


def column(name: str, parents: dict[str, str], *, centroid: str | None = None) -> Column:
    """Make a column of these values, with their parents and a root; and a centroid, if there is one."""
    labels = tuple(parents)
    uppers = tuple(dict.fromkeys(parents.values()))
    group = np.array([uppers.index(parents[label]) for label in labels])
    nothing = np.zeros(len(labels), np.int64)
    found = [
        Generalisation("parent", group, uppers, np.arange(len(uppers))),
        Generalisation("any", nothing, ("*",), np.array([9])),
    ]
    if centroid is not None:
        found.append(Generalisation("middles", nothing, (centroid,), None))
    return Column(name, labels, tuple(found))


TOWN = column("town", {"Graz": "south", "Linz": "north", "Wels": "north", "north": "north"}, centroid="Linz")
SEX = column("sex", {"f": "any sex", "m": "any sex"})


def rows(records: Sequence[Record]) -> Rows:
    """Count people by town and sex, in the order in which their combinations come."""
    counts = Counter(records)
    values = [[one.labels.index(record[place]) for record in counts] for place, one in enumerate((TOWN, SEX))]
    sizes = np.array(list(counts.values()), np.int64)
    return Rows((TOWN, SEX), tuple(np.array(given) for given in values), sizes, np.arange(len(counts)))


def variant(given: Rows, name: str) -> Variant:
    """Find a variant by its name."""
    choices = [changes_of(number, one, BOTH, covering=False) for number, one in enumerate(given.columns)]
    return next(one for one in all_variants(choices) if one.name(given.columns) == name)


# The one in Graz and the man in Linz are alone.
PEOPLE = rows([("Graz", "f"), *[("Linz", "f")] * 3, ("Linz", "m"), *[("Wels", "m")] * 2])
