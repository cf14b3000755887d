"""What a privacy model sees of equivalence classes: their sizes and their sensitive values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import BigInteger, FromClause, cast, func, literal, select

from toolbox.config.model import Kind
from toolbox.errors import UsageError
from toolbox.store.tables import SensitiveTables, Tables


@dataclass(frozen=True)
class Classes:
    """Equivalence classes, of any origin.

    The classes of many anonymisations may stand side by side, as long as their ids differ.
    """

    sizes: FromClause
    """``equivalence_id, size``: the records of each class."""
    histogram: FromClause | None = None
    """``equivalence_id, value, records``: how many records of a class have a sensitive value; no row stands for none.
    None for a model without a sensitive attribute."""
    overall: FromClause | None = None
    """``value, records``: the same of the whole table."""
    kind: Kind | None = None
    """Whether the sensitive values are numbers, or categories, which stand as their codes."""
    tree: FromClause | None = None
    """``value, node, cost, level``: for each sensitive value every node of its hierarchy that it is below, itself
    included but without the root, what it costs to go up from there, and its level. None for an attribute without a
    hierarchy."""
    population: FromClause | None = None
    """``equivalence_id, size, outside``: the people of a population whose values each class covers, and those whom no
    class of its release covers; no row stands for none of both. None if no population is known."""
    held: FromClause | None = None
    """``equivalence_id, held``: the values of each class as the bits of one number, for a model that only counts them.
    The histogram then is a query, not a table."""
    is_ordered: bool = False
    """Whether categories are known to have an order, which is that of their values."""

    @property
    def judged(self) -> tuple[FromClause, FromClause]:
        """The histogram of each class and that of the whole table, for a model with a sensitive attribute."""
        assert self.histogram is not None and self.overall is not None, "the model has a sensitive attribute"
        return self.histogram, self.overall

    @property
    def people(self) -> FromClause:
        """The population, for a model that compares the classes with one.

        Raises
        ------
        UsageError
            If none is known.
        """
        if self.population is None:
            raise UsageError("The model compares classes with a population, and none is given.")
        return self.population


def described_by(sensitive: SensitiveTables | None, frequencies: FromClause) -> Classes:
    """Return classes described by a frequency set: their sizes, or their sensitive values.

    Parameters
    ----------
    sensitive : SensitiveTables, optional
        The sensitive attribute; None for models that look at sizes alone.
    frequencies : FromClause
        ``equivalence_id, size``, or with a sensitive attribute ``equivalence_id, value, records``.
    """
    if sensitive is None:
        return Classes(frequencies)
    size = cast(func.sum(frequencies.c.records), BigInteger).label("size")
    sizes = select(frequencies.c.equivalence_id, size).group_by(frequencies.c.equivalence_id).subquery()
    return Classes(sizes, frequencies, sensitive.overall, sensitive.kind, sensitive.tree)


def members_of(tables: Tables, members: FromClause, attribute: str | None) -> Classes:
    """Return classes that consist of whole combinations.

    Parameters
    ----------
    members : FromClause
        ``combination_id, equivalence_id, size``: each combination, or part of one, with its class.
    attribute : str, optional
        The sensitive attribute of the model that is to judge.
    """
    key = members.c.equivalence_id
    sizes = select(key, cast(func.sum(members.c.size), BigInteger).label("size")).group_by(key).subquery()
    if attribute is None:
        return Classes(sizes)
    sensitive = tables.sensitive[attribute]
    held = sensitive.histogram
    records = cast(func.sum(held.c.records), BigInteger).label("records")
    joined = members.join(held, held.c.combination_id == members.c.combination_id)
    histogram = select(key, held.c.value, records).select_from(joined).group_by(key, held.c.value).subquery()
    return Classes(sizes, histogram, sensitive.overall, sensitive.kind, sensitive.tree)


def whole_table(tables: Tables, attribute: str | None) -> Classes:
    """Return the whole table as one class, which covers the whole population."""
    combination = tables.combinations
    only = literal(0).label("equivalence_id")
    rows = select(combination.c.combination_id, only, combination.c.size).subquery()
    everybody = None
    if tables.population is not None:
        people = cast(literal(tables.population.figures.people), BigInteger).label("size")
        everybody = select(only, people, cast(literal(0), BigInteger).label("outside")).subquery()
    return replace(members_of(tables, rows, attribute), population=everybody)
