"""What coarser columns would do for the records, or persons, in too small classes: counted for each, not guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import BigInteger, FromClause, and_, cast, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.published.tables import Cells, Comparison, Domain, Release
from toolbox.queries.dialect import find_first_by


class Coarser(NamedTuple):
    """The records in too small classes, if one column were coarser."""

    column: str
    is_left_out: bool
    """Whether the column would show nothing; else each of its values would rise by one level of its hierarchy."""
    records: int
    """Or persons, where classes count these."""


@dataclass(frozen=True, kw_only=True)
class BelowK:
    """The records in classes of fewer than k, and what each column could do for them."""

    k: int
    records: int
    """Or persons, where classes count these: each once, also who is in several such classes."""
    of: int
    """Records, or persons, of the release."""
    coarser: tuple[Coarser, ...]
    """One for each quasi-identifier, in their order."""
    noun: str = "record"
    """What is counted."""

    @property
    def best(self) -> Coarser | None:
        """The column that would help most, one level of a hierarchy before leaving a column out; None if none would.

        Examples
        --------
        >>> rows = (Coarser("age", False, 7), Coarser("zip", False, 4), Coarser("sex", True, 2))
        >>> BelowK(k=5, records=9, of=100, coarser=rows).best.column
        'zip'
        """
        helping = [coarser for coarser in self.coarser if coarser.records < self.records]
        return min(helping, key=lambda coarser: (coarser.is_left_out, coarser.records), default=None)


def count_below_k(release: Release, k: int, beside: Comparison | None = None) -> BelowK | None:
    """Count the records in classes of fewer than k, now and with each column coarser; None if there are none.

    Parameters
    ----------
    release : Release
    k : int
    beside : Comparison, optional
        The same release beside people: only these have hierarchies whose levels could be climbed. Without it, or
        without a hierarchy, a column can only be left out.
    """
    classes, persons = release.classes, release.persons
    if not (records := _count_in_small_classes(release, k, classes, [classes.c.equivalence_id])):
        return None
    rows = [_count_coarser_column(release, k, place, beside) for place, _ in enumerate(release.quasi_identifiers)]
    if persons is None:
        return BelowK(k=k, records=records, of=release.records, coarser=tuple(rows))
    everybody = int(release.store.scalar(select(func.count(persons.c.person.distinct()))))
    return BelowK(k=k, records=records, of=everybody, coarser=tuple(rows), noun="person")


def _count_coarser_column(release: Release, k: int, place: int, beside: Comparison | None) -> Coarser:
    """Group the classes by all other columns, and by what is one level above in this one."""
    classes, names = release.classes, list(release.cell_names)
    mine = classes.c[names.pop(place)]
    keys: list[ColumnElement[int]] = [classes.c[name] for name in names]
    joined: FromClause = classes
    is_left_out = True
    if beside is not None and (domain := beside.people.domains[place]).has_hierarchy:
        wider, is_left_out = _find_wider_nodes(beside.cells[place], domain), False
        joined = classes.outerjoin(wider, wider.c.cell_id == mine)
        # What no node is wider than is the root, whose number is 0.
        keys.append(func.coalesce(wider.c.node_id, 0).label("wider"))
    return Coarser(release.quasi_identifiers[place], is_left_out, _count_in_small_classes(release, k, joined, keys))


def _count_in_small_classes(release: Release, k: int, classes: FromClause, keys: Sequence[ColumnElement[int]]) -> int:
    """Count the records, or the different persons, of classes of fewer than k that agree in some columns.

    Parameters
    ----------
    classes : FromClause
        The classes of the release, joined to what has the columns.
    """
    shown, persons = ~release.classes.c.suppressed, release.persons
    if persons is None:
        size = cast(func.sum(release.classes.c.size), BigInteger).label("size")
        grouped = select(size).select_from(classes).where(shown)
        merged = (grouped.group_by(*keys) if keys else grouped).subquery()
        return int(release.store.scalar(select(func.coalesce(func.sum(merged.c.size), 0)).where(merged.c.size < k)))
    # A person who is in several of the classes that become one counts once in it.
    joined = classes.join(persons, persons.c.equivalence_id == release.classes.c.equivalence_id)
    members = select(*keys, persons.c.person).select_from(joined).where(shown).distinct().subquery()
    *together, person = members.c
    sized = select(person, func.count().over(partition_by=together).label("size")).subquery()
    return int(release.store.scalar(select(func.count(sized.c.person.distinct())).where(sized.c.size < k)))


def _find_wider_nodes(cells: Cells, domain: Domain) -> FromClause:
    """Find the narrowest node that holds more values than a cell, for each that has one: ``cell_id, node_id``."""
    spans, meanings, nodes = cells.spans, cells.meanings, domain.nodes
    ends = select(spans.c.cell_id, func.min(spans.c.first).label("first"), func.max(spans.c.last).label("last"))
    covered = ends.group_by(spans.c.cell_id).subquery()
    width = nodes.c.last - nodes.c.first + literal(1)
    holds = and_(
        nodes.c.first <= covered.c.first,
        nodes.c.last >= covered.c.last,
        width > meanings.c["values"],
    )
    joined = covered.join(meanings, meanings.c.cell_id == covered.c.cell_id).join(nodes, holds)
    narrowest = select(covered.c.cell_id, find_first_by(nodes.c.node_id, width).label("node_id"))
    return narrowest.select_from(joined).group_by(covered.c.cell_id).subquery()
