"""Datafly: generalise the most varied column, again and again, until few enough records are left to suppress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sqlalchemy import FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Portion
from toolbox.errors import UnsatisfiableError
from toolbox.messages import find_suppression_setting
from toolbox.methods.anonymizer import SuppressingAnonymizer
from toolbox.methods.arrays.full_domain import at_node, count_violating_records
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.queries.dialect import Query, Table
from toolbox.store.tables import QuasiIdentifierTables, Tables


@dataclass(frozen=True, kw_only=True)
class Datafly(SuppressingAnonymizer):
    """Full-domain generalisation, one level of one quasi-identifier at a time, then suppression.

    While more than ``suppression_threshold`` records are in classes that violate a model, as those smaller than k, the
    quasi-identifier with most distinct values goes up one level (ties: the first in the configuration). Then those
    records are suppressed.

    Parameters
    ----------
    models : tuple of PrivacyModel
        k-anonymity, and models that compare with a population.
    suppression_threshold : int, >= 0
        Most records that may be suppressed; 0 suppresses nobody.

    References
    ----------
    Sweeney (2002). Achieving k-anonymity privacy protection using generalization and suppression.
    doi:10.1142/S021848850200165X

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64, 64], "city": ["Graz", "Graz", "Linz", "Graz", "Linz"]})
    >>> declared = {
    ...     "quasi_identifiers": ["age", "city"],
    ...     "hierarchies": {
    ...         "age": [(23, "young", "*"), (25, "young", "*"), (61, "old", "*"), (64, "old", "*")],
    ...         "city": [("Graz", "*"), ("Linz", "*")],
    ...     },
    ... }
    >>> toolbox.anonymize(people, k=2, suppression_threshold=1, method="Datafly", order="input", **declared).release
         age  city
    0  young  Graz
    1  young  Graz
    2    old  Linz
    3      *     *
    4    old  Linz
    """

    name: ClassVar[str] = "Datafly"
    summary: ClassVar[str] = (
        "Makes whole columns coarser, one level at a time, and suppresses the few records that are left. Quick, and "
        "keeps less than others."
    )
    rank: ClassVar[int] = 30
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S021848850200165X"
    full_domain: ClassVar[bool] = True
    stops_at_first: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    weighs_records: ClassVar[bool] = True
    judges_profiles: ClassVar[bool] = True
    suppresses_persons: ClassVar[bool] = True
    bounds_levels: ClassVar[bool] = True

    # Without a default: the search suppresses up to it, so that whoever makes a Datafly must say how many that is.
    suppression_threshold: int | Portion = field()

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return isinstance(model, KAnonymity) or model.looks_beyond_class

    def anonymize(self, tables: Tables) -> Tables:
        return at_node(tables, self._search(tables), self.models)

    def _search(self, tables: Tables) -> list[int]:
        """Find the levels at which few enough records are in small classes."""
        store, names = tables.store, tables.interval_names
        distinct = [_count_distinct_values(tables, quasi_identifier) for quasi_identifier in tables.quasi_identifiers]
        ranges = [column.level_range for column in tables.quasi_identifiers]
        levels, frequencies = [low for low, _ in ranges], tables.combinations
        for column, name, low in zip(tables.quasi_identifiers, names, levels, strict=True):
            if low:
                # From the values themselves to the lowest level that may be released.
                step = select(column.level(0).label("lower"), column.level(low).label("upper")).distinct()
                frequencies = self._roll_up_column(tables, frequencies, name, step)
        allowed = int(self.suppression_threshold)
        while self._refused(tables, frequencies, levels) > allowed:
            # At the roots all records are one class, which is large enough.
            open_columns = [index for index, (_, high) in enumerate(ranges) if levels[index] < high]
            if not open_columns:
                raise UnsatisfiableError(
                    "At the highest levels that may be released, too many records are in small classes. Raise the "
                    f"levels or {find_suppression_setting()}, or lower k."
                )
            chosen = max(open_columns, key=lambda index: (distinct[index][levels[index]], -index))
            column = tables.quasi_identifiers[chosen]
            step = _select_next_level(column, levels[chosen])
            levels[chosen] += 1
            tables.report(f"{column.name} to level {levels[chosen]}")
            frequencies = self._roll_up_column(tables, frequencies, names[chosen], step)
        if frequencies is not tables.combinations:
            store.drop(frequencies)
        return levels

    def _refused(self, tables: Tables, frequencies: Table, levels: list[int]) -> int:
        """Count the records in classes that cannot be released."""
        if tables.person_pairs is None and all(isinstance(model, KAnonymity) for model in self.models):
            return int(tables.store.scalar(_count_records_below(frequencies, self.least_records)))
        return count_violating_records(tables, levels, self.models, int(self.suppression_threshold))

    @staticmethod
    def _roll_up_column(tables: Tables, frequencies: Table, name: str, step: Query) -> Table:
        """Roll up one column; drop what was rolled up."""
        rolled_up = _roll_up(frequencies, tables.interval_names, {name: step.subquery()})
        coarser = tables.store.create("frequencies", rolled_up)
        if frequencies is not tables.combinations:
            tables.store.drop(frequencies)
        return coarser


def _count_distinct_values(tables: Tables, column: QuasiIdentifierTables) -> list[int]:
    """Count the distinct values of a column at each of its levels."""
    counts = (func.count(column.level(level).distinct()) for level in range(column.height + 1))
    return list(tables.store.row(select(*counts)))


def _select_next_level(column: QuasiIdentifierTables, level: int) -> Query:
    """Return, for each value at a level, its generalisation one level up."""
    lower, upper = column.level(level), column.level(level + 1)
    return select(lower.label("lower"), upper.label("upper")).distinct()


def _roll_up(frequency_set: FromClause, keys: Sequence[str], raised: Mapping[str, FromClause]) -> Query:
    """Generalise columns of a frequency set and merge the rows that become equal.

    Parameters
    ----------
    frequency_set : FromClause
        The keys and ``size``, in records.
    keys : sequence of str
    raised : mapping of key to FromClause
        For each key to generalise, a table ``(lower, upper)`` that names each value's generalisation once.

    Returns
    -------
    Select, one row per class
        The keys, generalised, then ``size``.
    """
    joined: FromClause = frequency_set
    columns: list[ColumnElement[int]] = []
    for key in keys:
        if key in raised:
            step = raised[key].alias()
            joined = joined.join(step, step.c.lower == frequency_set.c[key])
            columns.append(step.c.upper.label(key))
        else:
            columns.append(frequency_set.c[key])
    grouping = [column.element if hasattr(column, "element") else column for column in columns]
    return select(*columns, _sum_sizes(frequency_set.c.size)).select_from(joined).group_by(*grouping)


def _count_records_below(frequency_set: FromClause, size: int) -> Query:
    """Count the records in classes smaller than a size: one row, one column."""
    small = frequency_set.c.size < size
    return select(func.coalesce(func.sum(frequency_set.c.size).filter(small), 0))


def _sum_sizes(size: ColumnElement[int]) -> ColumnElement[int]:
    """Add sizes up without leaving the type of a size: sums of 64-bit integers are 128 bits wide otherwise."""
    return cast(func.sum(size), size.type).label("size")
