"""Whose sensitive value is certain: everybody in the class has the same one."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select

from toolbox.published.tables import Release


class CertainValues(NamedTuple):
    """The people whose value of one sensitive attribute is certain if their class is known."""

    attribute: str
    people: int
    """Records in classes that have one value; suppressed records are in no class."""


def certain_values(release: Release) -> tuple[CertainValues, ...]:
    """Count the records in classes with one value of a sensitive attribute, for each attribute.

    A class in which the value is missing, in all records or in some, has none that is certain.
    """
    held, classes = release.held, release.classes
    joined = held.join(classes, classes.c.equivalence_id == held.c.equivalence_id)
    counts = []
    for name, column in release.sensitive.items():
        text = held.c[column]
        is_one = (func.count(text.distinct()) == 1) & (func.count(text) == func.count())
        of_class = select(func.sum(held.c.records).label("records")).select_from(joined).where(~classes.c.suppressed)
        certain = of_class.group_by(held.c.equivalence_id).having(is_one).subquery()
        people = release.store.scalar(select(func.coalesce(func.sum(certain.c.records), 0)))
        counts.append(CertainValues(name, int(people)))
    return tuple(counts)
