"""The sensitive values of each class as the bits of one number, where nobody asks how many records have each value.

The bits are gathered while the records of the classes are counted. Counting each value of each class on its own takes
three times as long where millions of classes have a few records each.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import FromClause, String, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.privacy.model import PrivacyModel
from toolbox.queries.dialect import all_bits, nth_bit
from toolbox.queries.query import Table
from toolbox.store.store import Store
from toolbox.store.tables import SensitiveTables, Tables

HELD = "held_"
"""How columns of such numbers are named, before the position of the attribute."""
_MOST = 62
"""Different values that a number of 64 bits, with a sign, tells apart."""


def told_by_bits(final: Tables, models: Sequence[PrivacyModel]) -> tuple[SensitiveTables, ...]:
    """Return the sensitive attributes whose different values the models only count, and which have few of them."""
    judging: dict[str, list[PrivacyModel]] = {}
    for model in models:
        if model.attribute is not None:
            judging.setdefault(model.attribute, []).append(model)
    asked = [final.sensitive[name] for name, judges in judging.items() if all(judge.counts_values for judge in judges)]
    return tuple(sensitive for sensitive in asked if final.store.count(sensitive.overall) <= _MOST)


def bits_of_values(store: Store, sensitive: SensitiveTables) -> Table:
    """Give each value a bit of its own: ``text, bit``, one row per text."""
    codes, overall = sensitive.codes, sensitive.overall
    place = func.row_number().over(order_by=overall.c.value) - 1
    numbered = select(overall.c.value, nth_bit(place).label("bit")).subquery()
    same = numbered.c.value == codes.c.value
    return store.create("bits", select(codes.c.text, numbered.c.bit).join_from(codes, numbered, same))


def with_bits(
    joined: FromClause, record: FromClause, sensitive: SensitiveTables, bits: Table
) -> tuple[FromClause, ColumnElement[int]]:
    """Join the bit of its value to every record; return the join and what gathers the bits of several records.

    Parameters
    ----------
    joined : FromClause
        With the record.
    bits : Table
        Of `bits_of_values`.
    """
    text = cast(record.c[f"c{sensitive.position}"], String)
    joined = joined.join(bits, bits.c.text.is_not_distinct_from(text), isouter=True)
    return joined, all_bits(bits.c.bit).label(held_by(sensitive))


def held_by(sensitive: SensitiveTables) -> str:
    """Return the column that shows which values of an attribute a class holds."""
    return f"{HELD}{sensitive.position}"
