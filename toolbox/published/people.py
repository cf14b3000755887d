"""From the records of people to combinations of values, which an attacker may know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlalchemy import BigInteger, FromClause, Integer, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Kind, QuasiIdentifier
from toolbox.published.domains import build_domain
from toolbox.published.tables import Domain, People
from toolbox.queries.query import Query, Table
from toolbox.queries.scales import PLAIN, Figures
from toolbox.store.engine.store import Store
from toolbox.store.values.column_type import TypeHints


def build_people(
    store: Store,
    counted: Table,
    attributes: Sequence[QuasiIdentifier],
    kinds: Sequence[Kind | None],
    name: str,
    kept_missing: Mapping[str, str] = MappingProxyType({}),
    figures: Figures = PLAIN,
    zones: Sequence[str | None] | None = None,
    others: People | None = None,
) -> People:
    """Order the values of people, and count their combinations.

    Parameters
    ----------
    counted : Table
        ``text_1 .., size``: their texts in the quasi-identifiers, each combination once.
    kinds : sequence of {'number', 'category', None}
        What the input says of each column.
    name : str
        What messages call their table.
    kept_missing : mapping of quasi-identifier to text, optional
        What the release calls a missing category.
    figures : Figures
        How it writes numbers where it is text.
    zones : sequence of str, optional
        The zones of timestamps, where the input says them.
    others : People, optional
        Those of a population, so that a release may also name values that only they have.

    Raises
    ------
    InputError
        If a value is not in its hierarchy, or no number where there should be one.
    """
    nowhere: list[str | None] = [None] * len(attributes)
    domains = tuple(
        build_domain(
            store,
            attribute,
            _count_texts(counted, index),
            TypeHints(kind, zone, figures),
            name,
            kept_missing.get(str(attribute.column)),
            None if others is None else others.domains[index - 1],
        )
        for index, (attribute, kind, zone) in enumerate(zip(attributes, kinds, zones or nowhere, strict=True), start=1)
    )
    joined, values = join_values(counted, domains)
    size = cast(func.sum(counted.c.size), BigInteger).label("size")
    index = cast(func.row_number().over(order_by=values) - 1, Integer).label("combination_id")
    combinations = store.create("combinations", select(index, size, *values).select_from(joined).group_by(*values))
    records = int(store.scalar(select(func.sum(combinations.c.size))))
    return People(name=name, domains=domains, combinations=combinations, records=records)


def join_values(counted: Table, domains: Sequence[Domain]) -> tuple[FromClause, list[ColumnElement[int]]]:
    """Join combinations of texts to their values: the join, and the columns ``value_1 ..``."""
    joined: FromClause = counted
    values: list[ColumnElement[int]] = []
    for index, domain in enumerate(domains, start=1):
        spelled = domain.spellings
        joined = joined.join(spelled, spelled.c.text.is_not_distinct_from(counted.c[f"text_{index}"]))
        values.append(spelled.c.value_id.label(f"value_{index}"))
    return joined, values


def _count_texts(counted: Table, index: int) -> Query:
    text = counted.c[f"text_{index}"]
    return select(text.label("text"), cast(func.sum(counted.c.size), BigInteger).label("records")).group_by(text)
