"""Consistency: the released records that could be a person, and the people that a released record could be.

A released value is consistent with what it covers: an interval with the numbers within, a suppressed value with all.
Where levels are mixed, a class of k equal records says little: a person may fit one record of another class only. So
this counts the records that an attacker would find who knows a person's quasi-identifiers.

`toolbox.store.fitting` finds the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import BigInteger, Double, Table, cast, func, select

from toolbox.published.tables import Comparison
from toolbox.store.fitting import covered_weights, fitting, side


def released_records(comparison: Comparison) -> Table:
    """Count, for each combination of people, the released records that are consistent with it.

    Returns
    -------
    Table
        ``combination_id, size, consistent``: those who have the combination, and the records that could be theirs.
    """
    matches = Matches(comparison)
    try:
        return matches.released_records()
    finally:
        matches.drop()


class Matches:
    """All people and classes that fit; suppressed classes, which fit everybody, are only counted.

    Parameters
    ----------
    comparison : Comparison
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._store = comparison.store
        order = _order(comparison)
        people, classes = comparison.people, comparison.release.classes
        values = [people.value_names[index] for index in order]
        cells = [comparison.release.cell_names[index] for index in order]
        self._people = side(self._store, people.combinations, "combination_id", values)
        self._classes = side(self._store, classes, "equivalence_id", cells, where=~classes.c.suppressed)
        self._depth = len(order)
        self._last = f"prefix_{self._depth}"
        spans = [comparison.cells[index].spans for index in order]
        self._pairs = fitting(self._store, self._people, self._classes, spans)

    def released_records(self, *, with_suppressed: bool = True) -> Table:
        """Count the released records of each combination: ``combination_id, size, consistent``.

        Parameters
        ----------
        with_suppressed : bool
            Whether suppressed records, which could be anybody's, count.
        """
        person, fits, of_class = self._people.table, self._pairs, self._classes.table
        joined = person.outerjoin(fits, fits.c.value == person.c[self._last])
        joined = joined.outerjoin(of_class, of_class.c[self._last] == fits.c.cell)
        consistent = func.coalesce(func.sum(of_class.c.weight), 0) + (self._suppressed() if with_suppressed else 0)
        keys = [person.c.id.label("combination_id"), person.c.weight.label("size")]
        counted = select(*keys, cast(consistent, BigInteger).label("consistent")).select_from(joined)
        return self._store.create("consistent", counted.group_by(person.c.id, person.c.weight))

    def people_covered(self) -> Table:
        """Count the people of each class that is not suppressed: ``equivalence_id, size, people``."""
        found = covered_weights(self._people, self._classes, self._pairs, self._depth).subquery().c
        names = {"id": "equivalence_id", "weight": "size", "covered": "people"}
        return self._store.create("covered", select(*(found[name].label(label) for name, label in names.items())))

    def pairs(self) -> Table:
        """List the classes that cover each combination of people, suppressed ones left out.

        Returns
        -------
        Table
            ``combination_id, equivalence_id``.
        """
        person, fits, of_class = self._people.table, self._pairs, self._classes.table
        joined = person.join(fits, fits.c.value == person.c[self._last])
        joined = joined.join(of_class, of_class.c[self._last] == fits.c.cell)
        keys = [person.c.id.label("combination_id"), of_class.c.id.label("equivalence_id")]
        return self._store.create("fits", select(*keys).select_from(joined))

    def drop(self) -> None:
        """Drop the tables."""
        self._store.drop(self._pairs, self._people.table, self._classes.table)

    def _suppressed(self) -> int:
        classes = self._comparison.release.classes
        return int(self._store.scalar(select(func.coalesce(func.sum(classes.c.size), 0)).where(classes.c.suppressed)))


def _order(comparison: Comparison) -> Sequence[int]:
    """Return the order of the quasi-identifiers: those whose cells cover least come first, as they exclude most."""
    shares = []
    for index, (cells, domain) in enumerate(zip(comparison.cells, comparison.people.domains, strict=True)):
        released, meanings = comparison.release.cells[index], cells.meanings
        covered = func.sum(cast(meanings.c.people, Double) * released.c.records) / func.sum(released.c.records)
        joined = released.join(meanings, meanings.c.cell_id == released.c.cell_id)
        shares.append((comparison.store.scalar(select(covered).select_from(joined)), domain.name, index))
    return [index for *_, index in sorted(shares)]
