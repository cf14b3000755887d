"""Which class each record is in is counted anew: on the records, or on the combinations of records that stay elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from helpers.small_tables import declared, load
from sqlalchemy import Integer, case, cast, literal, or_, select, union_all

from toolbox.config.model import Attribute, Column
from toolbox.errors import ProofError
from toolbox.privacy.proof.placed import has_shown_values, place, select_class_values
from toolbox.release.returned import prepare_for_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.counted import WeightedLoader
from toolbox.store.tables import Tables

PEOPLE = pa.table({"age": [20, 20, 30, 30, 40], "ill": ["flu", "cold", "flu", "flu", "gout"]})
COUNTS = pa.table({"age": [20, 20, 30, 40], "ill": ["flu", "cold", "flu", "gout"], "n": [1, 1, 2, 1]})
ILL = Attribute(column=Column(index=None, name="ill"), kind=None)
CONFIG = declared("age", sensitive=[ILL])
SOURCES = pytest.mark.parametrize("stays", [False, True], ids=["records", "combinations"])


def loaded(store: Store, *, stays: bool) -> Tables:
    """Load five people; the records themselves, or their counts alone."""
    if not stays:
        return load(store, PEOPLE, CONFIG).tables
    source = open_arrow_source(store, prepare_for_engine(COUNTS, COUNTS.column_names), added=1)
    return WeightedLoader(CONFIG, source, store, 2, {"ill": False}).load().tables


def recoded(tables: Tables) -> Tables:
    """Put the root in the place of all but the first combination."""
    combination, (age,) = tables.combinations, tables.quasi_identifiers
    first = combination.c.combination_id == 0
    chosen = case((first, combination.c.interval_1), else_=cast(literal(age.root), Integer))
    columns = (combination.c.combination_id, combination.c.size, literal(False).label("suppressed"))
    return tables.recoded(select(*columns, chosen.label("interval_1")))


@SOURCES
def test_the_records_of_each_class_are_counted(store: Store, stays: bool) -> None:
    initial = loaded(store, stays=stays)
    final = recoded(initial)
    placed = place(initial, final)
    pairs = sorted(store.rows(select(placed.pairs.c.combination_id, placed.pairs.c.equivalence_id)))
    (own, others, same) = (number for _, number in pairs)
    assert others == same != own
    assert sorted(store.rows(select(placed.sizes))) == sorted([(own, 2), (others, 3)])
    shown = select(final.equivalence.c.equivalence_id).where(has_shown_values(final))
    assert store.rows(shown) == [(own,)]


@pytest.mark.parametrize("times", [1, 5], ids=["key of its own", "shared key"])
def test_the_count_is_the_same_however_many_records_have_one_key(store: Store, times: int) -> None:
    """Three ages of one record each, or of five; all but the first age are one class."""
    ages = pa.table({"age": [20, 30, 40] * times, "ill": ["flu", "cold", "gout"] * times})
    initial = load(store, ages, CONFIG).tables
    assert initial.hardly_shares_keys == (times == 1)
    placed = place(initial, recoded(initial))
    assert sorted(size for _, size in store.rows(select(placed.sizes))) == [times, 2 * times]
    assert store.count(placed.pairs) == 3


@pytest.mark.slow
@SOURCES
def test_a_key_that_is_lost_doubled_or_moved_is_found(store: Store, stays: bool) -> None:
    initial = loaded(store, stays=stays)
    final = recoded(initial)
    keys = final.keys
    assert keys is not None
    first = store.scalar(select(keys.c.key).where(keys.c.combination_id == 0))
    others = [keys.c.combination_id, keys.c.equivalence_id]
    moved = case((keys.c.combination_id == 1, 2), (keys.c.combination_id == 2, 1), else_=keys.c.combination_id)
    wrong = {
        "lost": select(keys).where(keys.c.key != first),
        "doubled": select(union_all(select(keys), select(keys).where(keys.c.key == first)).subquery()),
        "in two classes": select(
            union_all(select(keys), select(keys.c.key, others[0], others[1] + 99).where(keys.c.key == first)).subquery()
        ),
        "moved": select(keys.c.key, moved.label("combination_id"), keys.c.equivalence_id),
        "another": select(case((keys.c.key == first, keys.c.key + 1), else_=keys.c.key).label("key"), *others),
        "none": select(keys).where(or_(False)),
    }
    for how, rows in wrong.items():
        spoilt = replace(final, keys=store.create("keys", rows))
        with pytest.raises(ProofError, match="a record is missing, doubled or changed"):
            place(initial, spoilt)
        assert how


def test_sensitive_values_of_combinations_are_those_that_were_counted(store: Store) -> None:
    initial = loaded(store, stays=True)
    final = recoded(initial)
    placed = place(initial, final)
    held = select_class_values(final, placed.pairs, "ill")
    found = select(held.equivalence_id, held.value, held.records).select_from(held.joined)
    rows = store.rows(found.group_by(held.equivalence_id, held.value))
    sizes = dict(store.rows(select(placed.sizes)))
    assert sorted((sizes[number], value, records) for number, value, records in rows) == [
        (2, 0.0, 1),
        (2, 1.0, 1),
        (3, 1.0, 2),
        (3, 2.0, 1),
    ]
