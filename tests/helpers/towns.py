"""People of four towns and two sexes, as a search for those who stand out sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from toolbox.methods.singletons.columns import SingletonsColumn, SingletonsRows, ValueGeneralisation
from toolbox.methods.singletons.comparing import _list_changes, _list_variants, _SingletonsVariant

Record = tuple[str, ...]
BOTH = ("local", "global")


def column(name: str, parents: dict[str, str], *, centroid: str | None = None) -> SingletonsColumn:
    """Make a column of these values, with their parents and a root; and a centroid, if there is one."""
    labels = tuple(parents)
    uppers = tuple(dict.fromkeys(parents.values()))
    group = np.array([uppers.index(parents[label]) for label in labels])
    nothing = np.zeros(len(labels), np.int64)
    found = [
        ValueGeneralisation("parent", group, uppers, np.arange(len(uppers))),
        ValueGeneralisation("any", nothing, ("*",), np.array([9])),
    ]
    if centroid is not None:
        found.append(ValueGeneralisation("middles", nothing, (centroid,), None))
    return SingletonsColumn(name, labels, tuple(found))


TOWN = column("town", {"Graz": "south", "Linz": "north", "Wels": "north", "north": "north"}, centroid="Linz")
SEX = column("sex", {"f": "any sex", "m": "any sex"})


def rows(records: Sequence[Record]) -> SingletonsRows:
    """Count people by town and sex, in the order in which their combinations come."""
    counts = Counter(records)
    values = [[one.labels.index(record[place]) for record in counts] for place, one in enumerate((TOWN, SEX))]
    sizes = np.array(list(counts.values()), np.int64)
    return SingletonsRows((TOWN, SEX), tuple(np.array(given) for given in values), sizes, np.arange(len(counts)))


def variant(given: SingletonsRows, name: str) -> _SingletonsVariant:
    """Find a variant by its name."""
    choices = [_list_changes(number, one, BOTH, covering=False) for number, one in enumerate(given.columns)]
    return next(one for one in _list_variants(choices) if one.name(given.columns) == name)


# The one in Graz and the man in Linz are alone.
PEOPLE = rows([("Graz", "f"), *[("Linz", "f")] * 3, ("Linz", "m"), *[("Wels", "m")] * 2])
