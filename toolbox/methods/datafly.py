"""Datafly: generalise the most varied column, again and again, until few enough records are left to suppress."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sqlalchemy import FromClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Portion
from toolbox.errors import UnsatisfiableError
from toolbox.messages import find_suppression_setting
from toolbox.methods.anonymizer import SuppressingAnonymizer
from toolbox.methods.arrays.full_domain import at_node, count_violating_records, fetch_persons
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.queries.dialect import Query, Table
from toolbox.store.tables import QuasiIdentifierTables, Tables

if TYPE_CHECKING:
    from toolbox.methods.arrays.models import PersonsLeft


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
        persons = fetch_persons(tables)
        return at_node(tables, self._search(tables, persons), self.models, persons)

    def _search(self, tables: Tables, persons: PersonsLeft | None) -> list[int]:
        """Find the first levels on the way up at which few enough records are in small classes.

        The way follows from the hierarchies alone. Where a class is small or large by itself, fewer records are in
        small ones with each step, so that the way is halved again and again; otherwise each step is tried. The same is
        true of persons: no step puts anybody into a smaller class, and who looked like others still does.
        """
        way, allowed = _list_steps(tables), int(self.suppression_threshold)

        def is_enough(step: int) -> bool:
            tables.report(f"step {step} of {len(way) - 1}")
            return count_violating_records(tables, way[step], self.models, allowed, persons) <= allowed

        if not all(isinstance(model, KAnonymity) for model in self.models):
            found = next((step for step in range(len(way)) if is_enough(step)), len(way))
        elif tables.person_pairs is None:
            found = self._bisect(tables, way)
        else:
            found = bisect_left(range(len(way)), True, key=is_enough)
        if found == len(way):
            # At the roots all records are one class, which is large enough.
            raise UnsatisfiableError(
                "At the highest levels that may be released, too many records are in small classes. Raise the "
                f"levels or {find_suppression_setting()}, or lower k."
            )
        return way[found]

    def _bisect(self, tables: Tables, way: Sequence[Sequence[int]]) -> int:
        """Return the first step at which few enough records are in small classes; as many as there are if at none."""
        store, allowed = tables.store, int(self.suppression_threshold)
        failed, found = -1, len(way)
        below, levels = tables.combinations, [0] * len(tables.quasi_identifiers)
        while found - failed > 1:
            step = (failed + found) // 2
            tables.report(f"step {step} of {len(way) - 1}")
            frequencies = store.create("frequencies", _roll_up(tables, below, levels, way[step]))
            if int(store.scalar(_count_records_below(frequencies, self.least_records))) <= allowed:
                found, dropped = step, frequencies
            else:
                # Whatever is tried from now on is above.
                failed, dropped, below, levels = step, below, frequencies, list(way[step])
            if dropped is not tables.combinations:
                store.drop(dropped)
        if below is not tables.combinations:
            store.drop(below)
        return found


def _list_steps(tables: Tables) -> list[list[int]]:
    """List the levels of all columns after each step, the first levels included."""
    distinct = [_count_distinct_values(tables, column) for column in tables.quasi_identifiers]
    ranges = [column.level_range for column in tables.quasi_identifiers]
    way = [[low for low, _ in ranges]]
    while open_columns := [index for index, (_, high) in enumerate(ranges) if way[-1][index] < high]:
        levels = list(way[-1])
        levels[max(open_columns, key=lambda index: (distinct[index][levels[index]], -index))] += 1
        way.append(levels)
    return way


def _count_distinct_values(tables: Tables, column: QuasiIdentifierTables) -> list[int]:
    """Count the distinct values of a column at each of its levels."""
    counts = (func.count(column.level(level).distinct()) for level in range(column.height + 1))
    return list(tables.store.row(select(*counts)))


def _roll_up(tables: Tables, frequencies: Table, levels: Sequence[int], higher: Sequence[int]) -> Query:
    """Generalise the columns of a frequency set and merge the rows that become equal.

    Parameters
    ----------
    frequencies : Table
        ``size, interval_1 ..``.
    levels : sequence of int
        Those of its columns.
    higher : sequence of int

    Returns
    -------
    Select, one row per class
        ``interval_1 .., size``.
    """
    joined: FromClause = frequencies
    columns: list[ColumnElement[int]] = []
    for column, name, lower, upper in zip(tables.quasi_identifiers, tables.interval_names, levels, higher, strict=True):
        if lower == upper:
            columns.append(frequencies.c[name])
            continue
        raised = select(column.level(lower).label("lower"), column.level(upper).label("upper")).distinct().subquery()
        joined = joined.join(raised, raised.c.lower == frequencies.c[name])
        columns.append(raised.c.upper)
    labelled = [column.label(name) for column, name in zip(columns, tables.interval_names, strict=True)]
    return select(*labelled, _sum_sizes(frequencies.c.size)).select_from(joined).group_by(*columns)


def _count_records_below(frequency_set: FromClause, size: int) -> Query:
    """Count the records in classes smaller than a size: one row, one column."""
    small = frequency_set.c.size < size
    return select(func.coalesce(func.sum(frequency_set.c.size).filter(small), 0))


def _sum_sizes(size: ColumnElement[int]) -> ColumnElement[int]:
    """Add sizes up without leaving the type of a size: sums of 64-bit integers are 128 bits wide otherwise."""
    return cast(func.sum(size), size.type).label("size")
